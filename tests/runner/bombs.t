#!/usr/bin/env python3
"""Programs that take all they can get: the run ends in time, the runner answers, the verdict is right. Checklist A, 6 and 12."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from runner import GROUND, Cgroup, Runner, checks, run
from tap import done_testing, is_, ok, skip

check = checks()
MIB = 1 << 20
LIMITS = {name: 1 << bit for bit, name in
          enumerate(("memory", "tmp-bytes", "tmp-inodes", "processes", "open-files", "file-bytes", "cpu"))}
PROCESSES = 30
# RLIMIT_NPROC leaves room for the runner, the jail's init and the Pod's pause container, which are not there everywhere.
PROCESSES_MAX = PROCESSES + {"host": 2, "gvisor": 1, "pod": 0}[GROUND]

FORK_SHELL = """
bomb() { bomb | bomb & }
bomb 2>/dev/null
sleep 1000
"""

FORK_PYTHON = """
import os
while True:
    try: os.fork()
    except OSError: pass
"""

# Waits a little at its end, so that the runner's look at limits, 20 times a second, sees it.
THREADS = """
import os, threading, time
n = 0
try:
    while True:
        threading.Thread(target=time.sleep, args=(1000,)).start()
        n += 1
except RuntimeError: print(n, flush=True)
time.sleep(0.3)
os._exit(0)
"""

NO_BOMB = """
import os, time
children = [os.fork() for i in range(3)]
if 0 in children: time.sleep(100)
time.sleep(0.3)
"""

FULL = """
n = 0
with open('PLACE/x', 'wb', buffering=0) as f:
    try:
        while True: n += f.write(bytes(65536))
    except OSError as e: print(n, e.errno)
"""

INODES = """
n = 0
try:
    while True:
        open(f'/tmp/{n}', 'w').close()
        n += 1
except OSError as e: print(n, e.errno)
"""

LARGE_FILE = """
try: open('x', 'wb').write(bytes(2 << 20))
except OSError as e: print(e.errno)
"""

EXACT_FILE = """
import os
fd = os.open('x', os.O_CREAT | os.O_WRONLY)
os.write(fd, bytes((1 << 20) - 10))
try:
    os.write(fd, bytes(10))
    if {size} > 1 << 20: os.write(fd, b'x')
    print(0)
except OSError as e: print(e.errno)
"""

OPEN_FILES = """
import os, time
n = 0
try:
    while True:
        os.dup(0)
        n += 1
except OSError as e: print(n, e.errno, flush=True)
time.sleep(0.3)
"""

HEAP = """
import time
keep = []
print('begun', flush=True)
while True:
    keep.append(bytearray(b'x' * (1 << 20)))
    time.sleep(0.001)
"""

MEMFD = """
import os, time
fd = os.memfd_create('x')
print('begun', flush=True)
while True:
    os.write(fd, bytes(1 << 20))
    time.sleep(0.001)
"""

TMPFS = """
import time
print('begun', flush=True)
with open('/dev/shm/x', 'wb', buffering=0) as f:
    while True:
        f.write(b'x' * (1 << 20))
        time.sleep(0.001)
"""

CHILDREN = """
import os, time
print('begun', flush=True)
for i in range(4):
    if os.fork() == 0: break
keep = []
while True:
    keep.append(bytearray(b'x' * (1 << 19)))
    time.sleep(0.002)
"""

PIPES = """
import fcntl, os, time
print('begun', flush=True)
while True:
    if os.fork() == 0:
        keep = [os.pipe() for i in range(100)]
        for r, w in keep:
            fcntl.fcntl(w, 1031, 1 << 20)
            os.write(w, bytes(1 << 20))
            time.sleep(0.002)
        time.sleep(1000)
    time.sleep(0.01)
"""

SOCKETS = """
import os, socket, time
print('begun', flush=True)
while True:
    if os.fork() == 0:
        keep = [socket.socketpair() for i in range(100)]
        for a, b in keep:
            a.setblocking(False)
            try:
                while True: a.send(bytes(65536))
            except BlockingIOError: time.sleep(0.001)
        time.sleep(1000)
    time.sleep(0.01)
"""


def met(outcome, limit):
    return bool(outcome.number("limit-hits") & LIMITS[limit])


def process_bombs():
    """6. Fork bomb (shell and os.fork), thread bomb; the runner still reports."""
    # The runner counts by walking over /proc, which is no instant: of the shell's processes, which come and go, it meets some
    # that began and some that ended meanwhile. Without a limit there would be thousands.
    for code, kind, most, what in ((FORK_SHELL, dict(name="main.sh", arg=["sh", "main.sh"]), 2 * PROCESSES_MAX,
                                    "a fork bomb in the shell"),
                                   (FORK_PYTHON, {}, PROCESSES_MAX, "a fork bomb in Python")):
        outcome = run(code, run_ms=2000, processes=PROCESSES, **kind)
        is_(outcome.end(), "killed run-time", check("A6", f"{what} ends at its deadline, and the runner reports it"))
        peak = outcome.number("processes-peak")
        ok(peak <= most, check("A6", f"{what} has no more processes than it may ({peak})"))
    # That of the shell dies of the limit; that of Python stays at it.
    ok(peak >= PROCESSES, check("A6", "the limit is no lower than the plan's"))
    ok(met(outcome, "processes"), check("A6", "the outcome names the limit that the bomb met"))
    outcome = run(THREADS, processes=PROCESSES)
    is_(outcome.end(), "exited 0", check("A6", "a thread bomb ends with an error of its own"))
    ok(PROCESSES - 1 <= int(outcome.stdout) < PROCESSES_MAX, check("A6", "a thread bomb has no more threads than it may"))
    ok(met(outcome, "processes"), check("A6", "a thread bomb: the outcome names the limit it met"))
    outcome = run(NO_BOMB)
    is_((outcome.end(), outcome.number("leftovers")), ("exited 0", 7), check("A6", "processes within the limit are no bomb"))
    ok(not met(outcome, "processes"), check("A6", "and no limit is named"))


def full_places():
    """12. /tmp full, inodes full."""
    for place in ("/tmp", "/work", "/dev/shm"):
        outcome = run(FULL.replace("PLACE", place), tmp_bytes=4 * MIB)
        size, errno = map(int, outcome.stdout.split())
        ok(4 * MIB <= size <= 4 * MIB + 8192 and errno == 28,
           check("A12", f"{place} is full at the plan's size: ENOSPC ({size} bytes)"))
        ok(met(outcome, "tmp-bytes"), check("A12", f"{place} is full: the outcome names the limit it met"))
    outcome = run(INODES, tmp_inodes=500)
    is_(outcome.stdout, b"500 28\n", check("A12", "inodes are full at the plan's number: ENOSPC"))
    ok(met(outcome, "tmp-inodes"), check("A12", "inodes are full: the outcome names the limit it met"))


def large_files():
    """12. File above fsize; and as many open files as there may be."""
    outcome = run(LARGE_FILE, file_bytes=MIB)
    is_((outcome.end(), outcome.stdout), ("exited 0", b"27\n"),
        check("A12", "a file above its limit is EFBIG in Python, which ignores SIGXFSZ"))
    ok(met(outcome, "file-bytes"), check("A12", "a file above its limit: the outcome names the limit it met"))
    for size, errno in ((MIB, 0), (MIB + 1, 27)):
        outcome = run(EXACT_FILE.format(size=size), file_bytes=MIB)
        is_(outcome.stdout.decode(), f"{errno}\n", check("A12", f"a file of {size} bytes with a limit of {MIB}: errno {errno}"))
    outcome = run("head -c 2000000 /dev/zero >x\nexit $?", name="main.sh", arg=["sh", "main.sh"], file_bytes=MIB)
    is_(outcome.end(), "exited 153", check("A12", "a file above its limit in a child of the shell is the shell's 128 + SIGXFSZ"))
    outcome = run("exec head -c 2000000 /dev/zero >x", name="main.sh", arg=["sh", "main.sh"], file_bytes=MIB)
    is_(outcome.end(), "signalled 25", check("A12", "a file above its limit is SIGXFSZ where nobody ignores it"))
    ok(met(outcome, "file-bytes"), check("A12", "SIGXFSZ: the outcome names the limit it met"))
    outcome = run(OPEN_FILES, open_files=64)
    is_(outcome.stdout, b"61 24\n", check("A12", "a bomb of open files is EMFILE at the plan's number"))
    ok(met(outcome, "open-files"), check("A12", "a bomb of open files: the outcome names the limit it met"))


def folders():
    """12. cwd deleted, cwd replaced by a link, HOME."""
    outcome = run("import os, shutil\nshutil.rmtree(os.getcwd(), True)\nos.chdir('/tmp')\nprint(os.listdir('/work'))")
    is_((outcome.end(), outcome.stdout), ("exited 0", b"[]\n"), check("A12", "a working folder that was emptied"))
    outcome = run("import os\nos.mkdir('a')\nos.chdir('a')\nos.rmdir('../a')\nos.symlink('/etc', '/work' + '/a')\nprint('on')")
    is_((outcome.end(), outcome.stdout), ("exited 0", b"on\n"), check("A12", "a current folder that was replaced by a link"))
    outcome = run("import os\nprint(os.path.expanduser('~'), os.access(os.path.expanduser('~'), os.W_OK))")
    is_(outcome.stdout, b"/tmp/home True\n", check("A12", "HOME is there and writable"))
    outcome = run("import os\nprint(os.access(os.path.expanduser('~'), os.W_OK))", env={"HOME": "/usr"})
    is_((outcome.end(), outcome.stdout), ("exited 0", b"False\n"), check("A12", "HOME may be read-only"))


def memory_bombs():
    """The watchdog: heap, memfd, tmpfs, several processes; pipes and sockets, which inside gVisor are the sentry's heap."""
    bombs = [(HEAP, "a heap"), (MEMFD, "a memfd"), (TMPFS, "a file in tmpfs"), (CHILDREN, "the heaps of several processes")]
    if GROUND != "host":
        bombs += [(PIPES, "the buffers of pipes"), (SOCKETS, "the buffers of sockets")]
    cgroup = Cgroup() if GROUND == "host" else None
    if cgroup and not cgroup.works:
        skip("no memory cgroup can be made here: memory is watched in the gVisor tests only")
        return
    for code, what in bombs:
        with Runner(cgroup=cgroup) as runner:
            outcome = runner.run(code, memory_bytes=64 * MIB, tmp_bytes=64 * MIB, file_bytes=1 << 30, run_ms=30000)
        is_((outcome.end(), outcome.stdout), ("killed memory", b"begun\n"),
            check("A6", f"{what} over the memory limit: killed for memory"))
        peak = outcome.number("memory-peak")
        ok(64 * MIB < peak < 160 * MIB, check("A6", f"{what}: the peak is right ({peak >> 20} MiB with a limit of 64)"))
        is_((outcome.number("memory-enforced"), met(outcome, "memory")), (1, True), check("A6", f"{what}: the limit is named"))
    with Runner(cgroup=cgroup) as runner:
        outcome = runner.run("x = b'x' * (40 << 20)\nimport time\ntime.sleep(0.1)\nprint('fits')", memory_bytes=80 * MIB)
    is_((outcome.end(), outcome.stdout), ("exited 0", b"fits\n"), check("A6", "what fits is left alone"))
    peak = outcome.number("memory-peak")
    ok(40 * MIB < peak < 80 * MIB, check("A6", f"and its peak is told ({peak >> 20} MiB)"))
    if cgroup:
        cgroup.remove()


process_bombs()
full_places()
large_files()
folders()
memory_bombs()
done_testing()
