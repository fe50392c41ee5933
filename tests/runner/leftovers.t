#!/usr/bin/env python3
"""What a program leaves behind never holds the run up, and never stays. Checklist A, 5 and 8.

Exempt: a process in D state, which gVisor has not, and which can't be made at will on Linux.
"""

import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from runner import GROUND, SANITIZED, Runner, checks, run
from tap import done_testing, is_, like, ok

check = checks()

SESSION = """
import os, time
ready, child = os.pipe()
if os.fork() == 0:
    os.setsid()
    os.write(child, b'x')
    time.sleep(1000)
os.read(ready, 1)
print('main', flush=True)
"""

DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True: time.sleep(1)
    os._exit(0)
os.wait()
print('main', flush=True)
"""

STUBBORN = """
import os, signal, time
ready, child = os.pipe()
for i in range(3):
    if os.fork() == 0:
        for s in range(1, 32):
            try: signal.signal(s, signal.SIG_IGN)
            except OSError: pass
        os.write(child, b'x')
        while True: time.sleep(1)
for i in range(3): os.read(ready, 1)
print('main', flush=True)
"""

STOPPED = """
import os, signal, time
for i in range(3):
    pid = os.fork()
    if pid == 0:
        os.kill(os.getpid(), signal.SIGSTOP)
    os.waitpid(pid, os.WUNTRACED)
print('main', flush=True)
"""

WRITER = """
import os
ready, child = os.pipe()
if os.fork() == 0:
    os.setsid()
    os.write(child, b'x')
    while True: os.write(1, b'y' * 4096)
os.read(ready, 1)
os._exit(4)
"""


def left_behind():
    """5. `sleep 60 &` with inherited stdout; setsid; double fork; nohup; ignores SIGTERM; stopped: the run ends at once."""
    shell = [("sleep 600 & echo main", 1, "sleep 600 & with inherited stdout"),
             ("nohup sleep 600 >/dev/null 2>&1 & echo main", 1, "nohup"),
             ("(sleep 600 & sleep 600 &) ; echo main", 2, "orphans of a subshell"),
             ("trap '' TERM HUP INT; sleep 600 & echo main", 1, "a child that ignores SIGTERM"),
             ("sleep 0 & wait; echo main", 0, "a child that was waited for")]
    for code, count, what in shell:
        outcome = run(code, name="main.sh", arg=["sh", "main.sh"])
        is_((outcome.end(), outcome.stdout, outcome.number("leftovers")), ("exited 0", b"main\n", count),
            check("A5", f"{what}: the run ends with the program, leftovers are counted"))
        ok(outcome.number("wall-ms") < 10000, check("A5", f"{what}: nobody waited for it"))
    outcome = run(STOPPED)
    is_((outcome.end(), outcome.stdout), ("exited 0", b"main\n"), check("A5", "stopped children: the run ends with the program"))
    ok(outcome.number("leftovers") in range(4),
       check("A5", "stopped children: those count that the SIGHUP of an orphaned process group has not ended yet"))
    for code, count, what in ((SESSION, 1, "a child in a session of its own"), (DAEMON, 1, "a daemon (setsid, double fork)"),
                              (STUBBORN, 3, "children that ignore every signal")):
        outcome = run(code)
        is_((outcome.end(), outcome.stdout, outcome.number("leftovers")), ("exited 0", b"main\n", count),
            check("A5", f"{what}: the run ends with the program, leftovers are counted"))
    outcome = run(WRITER)
    is_((outcome.end(), outcome.number("leftovers")), ("exited 4", 1),
        check("A5", "a daemon that floods stdout without end does not hold the run up"))


def runner_is_clean():
    """No process, no descriptor, no file: what the runner has after a run it had before. Only on the host it can be looked at."""
    if GROUND != "host":
        return
    with Runner() as runner:
        runner.run("", stop_at="Greeted")
        before = descriptors(runner.pid())
        runner.run(STUBBORN, session=2 << 20)
        with open(f"/proc/{runner.pid()}/task/{runner.pid()}/children") as children:
            is_(children.read(), "", check("A5", "after the run the runner has no process, not even a zombie"))
        left = descriptors(runner.pid())
        is_([path for path in left if path not in before], [],
            check("A5", "after the run the runner has no descriptor that it had not at boot"))
        is_([path for path in left if path.startswith(("pipe:", "socket:", "/proc", "/tmp"))], left[:2],
            check("A5", "and of its pipes, sockets and folders only its own stdin and stdout"))


def descriptors(pid):
    """What each of its descriptors is, in their order; stderr is the test's."""
    return [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in sorted(map(int, os.listdir(f"/proc/{pid}/fd"))) if fd != 2]


def process_that_can_not_be_killed():
    """Made by a process of root in the runner's namespace, which the runner has no right to signal."""
    if GROUND != "host" or SANITIZED:
        return
    with Runner() as runner:
        runner.run("", stop_at="Greeted")
        survivor = subprocess.Popen(["nsenter", "--target", str(runner.pid()), "--pid", "sleep", "1000"])
        outcome = runner.run("print('main')\nexit(3)", session=2 << 20)
        is_((outcome.end(), outcome.stdout), ("exited 3", b"main\n"),
            check("A5", "a process that can't be killed keeps neither the outcome back nor changes it"))
        is_((outcome["detail"], outcome["leftovers"]), ("processes were left that could not be killed", "1"),
            check("A5", "and the outcome says so"))
        ok(outcome.number("wall-ms") < 5000 < outcome.number("sealed-after-ms"),
           check("A5", "though it was tried for a while, which is not the program's time"))
        survivor.kill()
        survivor.wait()


def closed_streams():
    """8. Child closes 1 and 2 and goes on; closes everything above 2; reopens /dev/stdout."""
    outcome = run("import os, time\nos.write(1, b'before')\nos.close(1)\nos.close(2)\ntime.sleep(0.3)\nos._exit(9)")
    is_((outcome.end(), outcome.stdout), ("exited 9", b"before"), check("A8", "a program that closes 1 and 2 runs on to its end"))
    outcome = run("import os\nos.closerange(3, 1000)\nos.write(1, b'still')\nos._exit(3)")
    is_((outcome.end(), outcome.stdout), ("exited 3", b"still"), check("A8", "closing everything above 2 changes nothing"))
    outcome = run("with open('/dev/stdout', 'w') as f: f.write('again')\nwith open('/dev/stderr', 'w') as f: f.write('too')\n"
                  "print(open('/dev/stdin').read(), end='')", stdin="in")
    is_((outcome.stdout, outcome.stderr), (b"againin", b"too"), check("A8", "/dev/stdout, stderr and stdin can be opened again"))
    outcome = run("import os\nos.dup2(os.open('/dev/null', os.O_RDWR), 1)\nprint('gone')\nos.write(2, b'here')")
    is_((outcome.stdout, outcome.stderr), (b"", b"here"), check("A8", "a program may put its stdout elsewhere"))


def init_is_killed():
    """In gVisor an init has no protection in its own namespace; Linux ignores the same signal."""
    outcome = run("import os, signal, time\nprint('before', flush=True)\nos.kill(1, signal.SIGKILL)\ntime.sleep(2)")
    wanted = ("exited 0", b"before\n") if outcome["verdict"] == "exited" else ("vanished", b"before\n")
    is_((outcome.end(), outcome.stdout), wanted, check("A5", f"a program that kills the jail's init: {wanted[0]}, and said so"))
    outcome = run("import os, signal\nfor s in range(1, 65):\n  if s not in (9, 19):\n    os.kill(1, s)\nprint('on')")
    is_((outcome.end(), outcome.stdout), ("exited 0", b"on\n"), check("A5", "every other signal to the jail's init does nothing"))
    if GROUND == "host":
        with Runner() as runner:
            runner.run("", stop_at="Greeted")
            with open(f"/proc/{runner.pid()}/task/{runner.pid()}/children") as children:
                os.kill(int(children.read()), signal.SIGKILL)
            is_(runner.process.wait(timeout=10), 70,
                check("A5", "a jail that ends before START: the runner exits with 70, since nothing can run in it"))
            like(runner.stderr(), "^sandboxtask: runner can't go on: jail: ", check("A5", "and its log says why"))
    outcome = run("import os, signal\ntry: os.kill(-1, signal.SIGKILL)\nexcept ProcessLookupError: pass\nprint('on')")
    is_((outcome.end(), outcome.stdout), ("exited 0", b"on\n"), check("A10", "kill(-1, SIGKILL) by the program reaches nobody"))


left_behind()
runner_is_clean()
process_that_can_not_be_killed()
closed_streams()
init_is_killed()
done_testing()
