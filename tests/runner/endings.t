#!/usr/bin/env python3
"""How a run ends, and what the outcome says of it. Checklist A, 9 and 20.

Exempt: a jump of the clock, which can't be made in gVisor; every deadline is of the monotonic one.
"""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from runner import Runner, checks, run
from tap import done_testing, is_, ok

check = checks()
KILL_SELF = "import os, signal\nprint('before')\nos.kill(os.getpid(), signal.SIG{})"


def exits():
    """9. exit 0, 1, 2, 120, 124, 137, 139, 256, -1 by exit(): never read as a signal, a timeout or OOM."""
    for given, seen in ((0, 0), (1, 1), (2, 2), (120, 120), (124, 124), (137, 137), (139, 139), (256, 0), (-1, 255)):
        outcome = run(f"import sys\nsys.exit({given})")
        is_((outcome.end(), outcome["signal"], outcome["partial"]), (f"exited {seen}", "0", "0"),
            check("A9", f"exit({given}) is exit code {seen} and no signal"))
    outcome = run("import os, sys\nsys.stdout.write('lost?')\nos.close(1)", env={"PYTHONUNBUFFERED": ""})
    is_(outcome.end(), "exited 120",
        check("A9", "Python that can't write its last output exits with 120"))
    outcome = run("import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.3), print('late'))).start()")
    is_((outcome.end(), outcome.stdout), ("exited 0", b"late\n"), check("A9", "a thread that outlives main is waited for"))


def signals():
    """9. kill -9 self; SIGSEGV; SIGXCPU; abort."""
    for name, number in (("KILL", 9), ("SEGV", 11), ("XCPU", 24), ("TERM", 15), ("XFSZ", 25)):
        code = KILL_SELF.format(name)
        if name == "XFSZ":
            code = "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n" + code
        outcome = run(code, cpu_seconds=30)
        is_((outcome.end(), outcome["exit-code"]), (f"signalled {number}", "0"),
            check("A9", f"SIG{name} to itself is signal {number}"))
        is_(outcome.stdout, b"before\n", check("A9", f"SIG{name}: what was written before is there"))
    outcome = run("import os\nos.abort()")
    is_(outcome.end(), "signalled 6", check("A9", "abort() is signal 6"))
    outcome = run("import ctypes\nctypes.string_at(0)")
    is_(outcome.end(), "signalled 11", check("A9", "a real segmentation fault is signal 11"))


def that_can_not_start():
    for arg, errno, what in ((["/usr/bin/no-such-python"], 2, "a missing interpreter"),
                             (["no-such-python"], 2, "an interpreter that is not in PATH"),
                             (["/etc/passwd"], 13, "a program without x"),
                             (["/etc"], 13, "a folder as a program")):
        outcome = run(arg=arg)
        is_(outcome.end(), f"not-started exec {errno}", check("A9", f"{what} is no exit code but errno {errno} at exec"))
    for files, errno, what in (({"a": "", "a/b": ""}, 20, "a file below a file"), ({"b" * 256: ""}, 36, "a name of 256 bytes")):
        outcome = run("print('never')", files=files)
        is_((outcome.end(), outcome.stdout), (f"not-started files {errno}", b""),
            check("A9", f"{what} among the task's files is errno {errno} before anything runs"))
    outcome = run("exit 3", name="main.sh", arg=["sh", "main.sh"])
    is_(outcome.end(), "exited 3", check("A9", "a program is found in PATH"))
    outcome = run("x = 1\n" * 100000, tmp_bytes=0, run_ms=20000)
    is_(outcome.end(), "exited 0", check("A9", "room for the code is not taken from the program's tmp"))


def time_limits():
    """20. Deadline monotonic; SIGSTOP of the whole tree."""
    endless = {
        "a busy loop": "print('begun', flush=True)\nwhile True: pass",
        "a sleeper": "import time\nprint('begun', flush=True)\ntime.sleep(1000)",
        "a stopped program": "import os, signal\nprint('begun', flush=True)\nos.kill(os.getpid(), signal.SIGSTOP)",
        "a program that ignores SIGTERM": "import signal, time\nfor s in range(1, 32):\n  try: signal.signal(s, signal.SIG_IGN)\n"
                                          "  except OSError: pass\nprint('begun', flush=True)\nwhile True: time.sleep(1)",
        "a stopped tree": "import os, signal, time\nprint('begun', flush=True)\nfor i in range(5):\n  if os.fork() == 0:\n"
                          "    os.kill(os.getpid(), signal.SIGSTOP)\nos.kill(os.getpid(), signal.SIGSTOP)",
    }
    for what, code in endless.items():
        outcome = run(code, run_ms=700)
        is_((outcome.end(), outcome["signal"], outcome.stdout), ("killed run-time", "9", b"begun\n"),
            check("A20", f"{what}: the run ends at its deadline, with what was written"))
        ok(700 <= outcome.number("wall-ms") < 5000, check("A20", f"{what}: after its time ({outcome['wall-ms']} ms)"))


def cpu_limits():
    outcome = run("while True: pass", cpu_seconds=1, run_ms=20000)
    is_(outcome.end(), "killed cpu-time", check("A9", "CPU seconds used up: killed for CPU time, not a plain signal"))
    outcome = run("import signal\nsignal.signal(signal.SIGXCPU, lambda *a: None)\nwhile True: pass", cpu_seconds=1, run_ms=20000)
    is_(outcome.end(), "killed cpu-time", check("A9", "a program that catches SIGXCPU is ended as well"))


def cancel():
    polite = ("import signal, sys, time\ndef bye(*a):\n  print('bye')\n  sys.exit(5)\nsignal.signal(signal.SIGTERM, bye)\n"
              "print('begun', flush=True)\ntime.sleep(100)")
    outcome = run(polite, cancel_at_bytes=1, cancel_grace_ms=10000)
    is_((outcome.end(), outcome["exit-code"], outcome.stdout), ("killed cancel", "5", b"begun\nbye\n"),
        check("A9", "CANCEL lets a program end by SIGTERM, and says that it was cancelled"))
    stubborn = ("import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('begun', flush=True)\n"
                "while True: time.sleep(1)")
    outcome = run(stubborn, cancel_at_bytes=1, cancel_grace_ms=300)
    is_((outcome.end(), outcome["signal"]), ("killed cancel", "9"), check("A9", "CANCEL kills after its grace"))
    outcome = run("import os, signal\nprint('begun', flush=True)\nos.kill(os.getpid(), signal.SIGSTOP)", cancel_at_bytes=1,
                  cancel_grace_ms=5000)
    is_((outcome.end(), outcome["signal"]), ("killed cancel", "15"), check("A9", "CANCEL's SIGTERM reaches a stopped program"))
    outcome = run(stubborn, cancel_at_bytes=1, cancel_grace_ms=0)
    is_((outcome.end(), outcome["signal"]), ("killed cancel", "9"), check("A9", "CANCEL without a grace kills at once"))
    outcome = run("print('never')", cancel_early=1)
    is_((outcome["state"], outcome["starts"]), ("Cancelled", "0"), check("A9", "CANCEL before START: nothing runs"))


def sigterm():
    """Design 6: SIGTERM with an outcome not yet released."""
    with Runner(options=["--grace-seconds=20"]) as runner:
        code = "import time\nprint('begun', flush=True)\ntime.sleep(100)"
        runner.run(code, leave_at_bytes=1)
        runner.terminate()
        outcome = runner.run(code, session=2 << 20, release=1)
        is_((outcome.end(), outcome["partial"], outcome.stdout), ("killed shutdown", "1", b"begun\n"),
            check("A9", "SIGTERM in mid-run: the outcome is sealed as partial and still pulled"))
        is_(runner.process.wait(timeout=10), 0, check("A9", "SIGTERM, then RELEASE: the runner exits with 0 at once"))
    with Runner() as runner:
        runner.finish(runner.client(runner.task("", stop_at="Greeted")))
        runner.terminate()
        is_(runner.process.wait(timeout=10), 0, check("A9", "SIGTERM before START: the runner exits with 0 at once"))
    with Runner() as runner:
        runner.run("print(1)", release=1)
        runner.terminate()
        is_(runner.process.wait(timeout=10), 0, check("A9", "SIGTERM after RELEASE: the runner exits with 0 at once"))
    with Runner(options=["--grace-seconds=2"]) as runner:
        outcome = runner.run("print(1)")
        started = time.monotonic()
        runner.terminate()
        again = runner.run("print(1)", session=2 << 20)
        is_(again.stdout, b"1\n", check("A9", "SIGTERM with an outcome that was not released: it can still be pulled"))
        runner.process.wait(timeout=10)
        waited = time.monotonic() - started
        # In a Pod what ends is kubectl, a while after the container.
        ok(0.9 < waited < (2 if runner.ground != "pod" else 8),
           check("A9", f"... until a second before the grace ends ({waited:.2f} s)"))


exits()
signals()
that_can_not_start()
time_limits()
cpu_limits()
cancel()
sigterm()
done_testing()
