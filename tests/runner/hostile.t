#!/usr/bin/env python3
"""Programs that try to change their outcome, to hide from it, or to bring the sandbox down. Checklist A, 5, 6, 10 and 11.

What is not tried: opening more of the image's files at once than the node lets a process open. That ends the sandbox, as too
much memory does (docs/security.md).
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from runner import GROUND, SANITIZED, checks, run
from tap import done_testing, is_, ok

check = checks()
MIB = 1 << 20

LIMITS_OF_INIT = """
import os, resource, time
for which in (resource.RLIMIT_NOFILE, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE):
    try: print('changed', which, resource.prlimit(1, which, (0, 0)))
    except PermissionError: pass
if os.fork() == 0:
    os.setsid()
    time.sleep(1000)
os._exit(6)
"""

STOPS_INIT = "import os, signal\nos.kill(1, signal.SIGSTOP)\nprint('on')"

ODD_NAME = """
import ctypes, os, time
ready, child = os.pipe()
if os.fork() == 0:
    ctypes.CDLL(None).prctl(15, b') Z 1 (', 0, 0, 0)
    os.write(child, b'x')
    time.sleep(1000)
os.read(ready, 1)
"""

# Nearest to a process in D state: it waits in the kernel for a child that will never exec or end.
VFORK = """
import ctypes
libc = ctypes.CDLL(None)
print('begun', flush=True)
CLONE_VM, CLONE_VFORK, SIGCHLD, SIGSTOP = 0x100, 0x4000, 17, 19
if libc.syscall(56, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0) == 0:
    libc.syscall(62, libc.syscall(39), SIGSTOP)
print('over')
"""

# As many as there may be: to look into each takes gVisor longer than the program took to make them.
FOLDERS = """
import os
n = 0
try:
    while True:
        os.mkdir(f'/tmp/{n}')
        n += 1
except OSError: print(n)
"""

STORM = """
import os, time
if os.fork() == 0:
    os.setsid()
    while True:
        try:
            if os.fork() == 0: os.setsid()
        except OSError: pass
time.sleep(0.3)
os._exit(5)
"""

# Its stdout has a reading end, and its stdin a writing one: both are its own pipes.
STREAMS_TURNED_ROUND = """
import os, sys
back = os.open('/proc/self/fd/1', os.O_RDONLY | os.O_NONBLOCK)
for i in range(100):
    os.write(1, b'x' * 1000)
    try: os.read(back, 1000)
    except BlockingIOError: pass
into = os.open('/proc/self/fd/0', os.O_WRONLY)
os.write(into, b'mine')
os.close(into)
os.write(2, sys.stdin.buffer.read())
os.write(1, b'end')
os._exit(4)
"""

OTHER_SYSTEM_CALLS = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes.fromhex('b814000000' 'cd80' 'c3'))  # getpid of 32 bits: mov eax, 20; int 0x80; ret
print(ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))() < 0)
"""

CPU_OF_MANY = """
import os, time
while True:
    if os.fork() == 0:
        while time.process_time() < 0.2: pass
        os._exit(0)
    os.wait()
"""

# What costs memory that is in no process: the sentry's, in gVisor. Each goes on until it is stopped.
KERNEL_MEMORY = {
    "System V shared memory": """
while True:
    segment = libc.shmget(0, 1 << 20, 0o1600)
    at = libc.shmat(segment, None, 0)
    ctypes.memset(ctypes.c_void_p(at), 1, 1 << 20)
    libc.shmdt(ctypes.c_void_p(at))
""",
    "System V messages": """
message = ctypes.create_string_buffer(b'\\1' + bytes(8007))
while True:
    queue = libc.msgget(0, 0o1600)
    while libc.msgsnd(queue, message, 8000, 0o4000) == 0: pass
""",
    "timers": """
timer = ctypes.c_void_p()
while True: libc.syscall(222, 1, None, ctypes.byref(timer))
""",
    "mappings": """
n = 0
for i in range(20):
    if os.fork() == 0: break
while True:
    libc.mmap(None, 4096, 1 + 2 * (n & 1), 0x22, -1, 0)
    n += 1
""",
    "events of inotify": """
watches = [libc.inotify_init() for i in range(100)]
for watch in watches: libc.inotify_add_watch(watch, b'/tmp', 0xfff)
while True:
    path = '/tmp/' + 'x' * 200 + str(time.monotonic())
    open(path, 'w').close()
    os.unlink(path)
""",
    "file locks": """
import fcntl
file, n = open('/tmp/lock', 'w+'), 0
while True:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, n)
    n += 2
""",
    "extended attributes": """
n = 0
while True:
    open(f'/tmp/{n}', 'w').close()
    for i in range(20): os.setxattr(f'/tmp/{n}', f'user.{i}', bytes(60000))
    n += 1
""",
    "connections nobody accepts": """
import socket
for i in range(30):
    if os.fork() == 0: break
server, keep = socket.create_server(('127.0.0.1', 0), backlog=4096), []
while True:
    keep.append(socket.create_connection(server.getsockname()))
    keep[-1].setblocking(False)
    try:
        while True: keep[-1].send(bytes(65536))
    except BlockingIOError: pass
""",
}
C_LIBRARY = """
import ctypes, os, time
libc = ctypes.CDLL(None)
libc.shmat.restype = libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
print('begun', flush=True)
"""


def against_init():
    """The jail's init has the program's uid, and counts and reports what the program did."""
    outcome = run(LIMITS_OF_INIT)
    is_((outcome.end(), outcome.stdout, outcome["leftovers"]), ("exited 6", b"", "1"),
        check("A10", "limits of the jail's init can't be changed: it goes on to count and to report"))
    outcome = run(STOPS_INIT, run_ms=1500)
    wanted = "exited 0" if GROUND == "host" else "killed run-time"
    is_((outcome.end(), outcome.stdout), (wanted, b"on\n"),
        check("A10", f"a program that stops the jail's init ({wanted}) keeps nobody but itself waiting"))
    if GROUND != "host":
        outcome = run(STOPS_INIT + "\nimport time\nprint(1, flush=True)\ntime.sleep(100)", cancel_at_bytes=1, cancel_grace_ms=300)
        is_(outcome.end(), "killed cancel", check("A10", "and CANCEL ends it after its grace"))


def hidden():
    outcome = run(ODD_NAME)
    is_((outcome.end(), outcome["leftovers"]), ("exited 0", "1"),
        check("A5", "a process whose name looks like the state of a zombie is counted"))
    outcome = run(VFORK, run_ms=1500)
    is_((outcome.end(), outcome.stdout), ("killed run-time", b"begun\n"),
        check("A5", "a parent that vfork holds in the kernel, its child stopped, is ended at the deadline"))
    outcome = run(STORM, processes=30)
    ok(outcome.end() == "exited 5" and outcome.number("leftovers") > 1,
       check("A6", f"daemons that fork on while they are killed ({outcome['leftovers']}): the run ends with the program"))
    ok(outcome.number("sealed-after-ms") < 10000, check("A6", "and in time"))


def folders():
    outcome = run(FOLDERS)
    is_((outcome.end(), outcome.stdout), ("exited 0", b"16384\n"), check("A6", "a program leaves as many folders as it may"))
    ok(outcome.number("sealed-after-ms") - outcome.number("wall-ms") < 3000,
       check("A6", "the runner is not held up by looking into them"))


def streams():
    outcome = run(STREAMS_TURNED_ROUND, stdin="given ")
    is_((outcome.end(), outcome.stderr, outcome.stdout[-3:]), ("exited 4", b"given mine", b"end"),
        check("A11", "a program that reads its stdout and writes its stdin has only itself to talk to"))
    ok(outcome.number("stdout-total") <= 100003, check("A11", "and nothing is invented"))


def entries():
    outcome = run(OTHER_SYSTEM_CALLS)
    ok(outcome.end() == "signalled 31" or (outcome.end(), outcome.stdout) == ("exited 0", b"True\n"),
       check("A10", f"the 32-bit entry to the kernel is no way around the filter: {outcome.end()}"))


def cpu_of_many():
    """RLIMIT_CPU is of one process: what all of them used is watched. On the host there may be no file that tells it."""
    if GROUND == "host":
        return
    outcome = run(CPU_OF_MANY, cpu_seconds=1, run_ms=30000)
    is_(outcome.end(), "killed cpu-time", check("A9", "CPU seconds are of the whole run, not of one process"))


def kernel_memory():
    """On the host's kernel these have limits of its own, or are in no cgroup: they say nothing there of gVisor."""
    if GROUND == "host" or SANITIZED:
        return
    for what, code in KERNEL_MEMORY.items():
        outcome = run(C_LIBRARY + code, memory_bytes=64 * MIB, tmp_bytes=64 * MIB, run_ms=60000)
        is_((outcome.end(), outcome.stdout), ("killed memory", b"begun\n"),
            check("A6", f"{what} over the memory limit: killed for memory"))
        peak = outcome.number("memory-peak") >> 20
        ok(64 <= peak < 160, check("A6", f"{what}: the peak is right ({peak} MiB with a limit of 64)"))


against_init()
hidden()
folders()
streams()
entries()
cpu_of_many()
kernel_memory()
done_testing()
