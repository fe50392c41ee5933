#!/usr/bin/env python3
"""What hostile code can reach: nothing of the runner, the protocol, the Pod or the network. Checklist A, 10, 11 and 15."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from runner import GROUND, PYTHON, Runner, checks, run
from tap import diag, done_testing, is_
from wire import Frame, encode

check = checks()

# Each line of output is a rule that was broken: a program that finds nothing prints nothing.
RUNNER_OUT_OF_REACH = """
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
parent = os.getppid()
if parent != 1: print('the parent is not the jail init')
for path in os.listdir('/proc'):
    if not path.isdigit() or int(path) == os.getpid(): continue
    if int(path) != 1: print('another process is seen:', path)
    for name in ('environ', 'mem', 'maps', 'fd/0', 'fd/1', 'fd/3', 'root/etc/hostname', 'cwd/x'):
        try: open(f'/proc/{path}/{name}', 'rb').read(1); print('read', path, name)
        except OSError: pass
        try: open(f'/proc/{path}/{name}', 'r+b'); print('written', path, name)
        except OSError: pass
    try: print('linked', os.readlink(f'/proc/{path}/exe'))
    except OSError: pass
    if libc.ptrace(16, int(path), 0, 0) == 0: print('traced', path)
    try:
        fd = os.pidfd_open(int(path))
        if libc.syscall(438, fd, 1, 0) >= 0: print('took a descriptor of', path)
    except OSError: pass
    iov = (ctypes.c_void_p * 2)(ctypes.addressof(ctypes.create_string_buffer(16)), 16)
    if libc.syscall(310, int(path), iov, 1, iov, 1, 0) >= 0: print('read memory of', path)
"""

ENVIRONMENT = """
import glob, os
everything = repr(dict(os.environ))
for path in glob.glob('/proc/*/environ') + glob.glob('/proc/gvisor/*') + ['/proc/gvisor/spec_environ']:
    try: everything += open(path).read()
    except OSError: pass
if 'canary' in everything or 'POD_SECRET' in everything: print('the Pod environment is seen')
"""

CLEAN_START = """
import fcntl, os, signal, resource
fds = [fd for fd in range(1024) if not fails(fcntl.fcntl, fd, fcntl.F_GETFD)]
if fds != [0, 1, 2]: print('descriptors', fds)
status = dict(line.split(':\\t', 1) for line in open('/proc/self/status').read().splitlines() if ':\\t' in line)
for key in ('SigBlk', 'SigIgn', 'SigCgt'):
    if key in status and int(status[key], 16) & ~(1 << 12 | 1 << 24 | 1 << 1): print(key, status[key])
if signal.pthread_sigmask(signal.SIG_BLOCK, []): print('signals are blocked')
if os.umask(0) != 0o22: print('umask')
if os.getsid(0) != os.getpid(): print('no session of its own')
if not fails(open, '/dev/tty'): print('a terminal')
ids = os.getresuid() + os.getresgid() + tuple(os.getgroups())
if set(ids) != {65534}: print('ids', ids)
if os.getcwd() != '/work': print('cwd', os.getcwd())
if status['CapEff'].strip() != '0' * 16 or status['CapBnd'].strip() != '0' * 16: print('capabilities')
if status.get('NoNewPrivs', '1').strip() != '1' or status['Seccomp'].strip() != '2': print('privileges')
if resource.getrlimit(resource.RLIMIT_CORE) != (0, 0): print('core files')
if not fails(resource.setrlimit, resource.RLIMIT_NOFILE, (1024, 1024)): print('a limit was raised')
"""

NETWORK = """
import errno, socket, threading, time
outside = (('192.0.2.1', 53), ('169.254.169.254', 80), ('10.96.0.1', 443), ('2001:db8::1', 53))
for address in outside:
    family = socket.AF_INET6 if ':' in address[0] else socket.AF_INET
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        started = time.monotonic()
        try: socket.socket(family, kind).connect(address); print('connected to', address)
        except OSError as e:
            if e.errno not in (errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT): print(address, e)
        if time.monotonic() - started > 2: print('it took', time.monotonic() - started)
server = socket.create_server(('127.0.0.1', 0))
threading.Thread(target=lambda: server.accept()[0].sendall(b'local')).start()
if socket.create_connection(server.getsockname()).recv(5) != b'local': print('no local server')
a, b = socket.socketpair()
a.send(b'x')
for family in (socket.AF_PACKET, 40, 38):
    if not fails(socket.socket, family, socket.SOCK_RAW): print('family', family)
if not fails(socket.socket, socket.AF_INET, socket.SOCK_RAW, 1): print('raw socket')
"""

KERNEL = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
# Numbers of x86_64; the table of arm64 is tried by tests/unit/runner/seccomp.c.
CALLS = {
    'unshare': (272, 0x10000000), 'unshare net': (272, 0x40000000), 'setns': (308, 0, 0),
    'clone user': (56, 0x10000011, 0, 0, 0, 0), 'clone3': (435, 0, 0),
    'mount': (165, 0, b'/tmp', 0, 0x1000, 0), 'umount': (166, b'/dev/shm', 2),
    'chroot': (161, b'/tmp'), 'pivot_root': (155, b'/tmp', b'/tmp'), 'open_by_handle_at': (304, -1, 0, 0),
    'keyctl': (250, 0, -3, 0), 'bpf': (321, 0, 0, 0), 'io_uring': (425, 1, 0), 'userfaultfd': (323, 0),
    'perf': (298, 0, 0, -1, -1, 0), 'ptrace': (101, 0, 0, 0, 0), 'personality': (135, 0x0040000),
    'sethostname': (170, b'x', 1), 'settimeofday': (164, 0, 0), 'syslog': (103, 3, 0, 0), 'reboot': (169, 0, 0, 0, 0)}
for name, call in CALLS.items():
    result = libc.syscall(*call)
    if result == 0 and 'clone' in name: os._exit(0)
    if result != -1: print(name, result)
    elif ctypes.get_errno() not in (1, 38): print(name, os.strerror(ctypes.get_errno()))
"""

WRITABLE = """
import os
writable = set()
for folder, folders, files in os.walk('/', followlinks=False):
    paths = {name: os.path.join(folder, name) for name in folders}
    folders[:] = [name for name, path in paths.items() if path not in ('/proc', '/sys') and not os.path.islink(path)]
    probe = os.path.join(folder, '.probe')
    if not fails(lambda: open(probe, 'x').close()):
        os.unlink(probe)
        writable.add(folder)
    if folder.count('/') > 3: folders[:] = []
    for name in files:
        path = os.path.join(folder, name)
        if os.access(path, os.W_OK) and not os.path.islink(path) and not folder.startswith('/work'): writable.add(path)
wanted = {'/tmp', '/tmp/home', '/tmp/home/.cache', '/tmp/home/.config', '/tmp/home/.config/matplotlib', '/work', '/dev/shm',
          '/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom'}
for path in sorted(writable - wanted): print('writable:', path)
for path in sorted(wanted - writable): print('not writable:', path)
for path in ('/proc/sys/kernel/hostname', '/proc/self/oom_score_adj', '/proc/1/oom_score_adj'):
    if not fails(open, path, 'w'): print('opened', path)
for path in ('/dev/termination-log', '/dev/ptmx', '/dev/fuse', '/dev/net/tun', '/dev/mem', '/dev/kmsg', '/dev/console'):
    if os.path.exists(path): print('there is', path)
for path in ('/sys', '/proc/gvisor'):
    if os.path.exists(path) and os.listdir(path): print('not empty', path)
if os.path.exists('/proc/sentry-meminfo') and open('/proc/sentry-meminfo').read(): print('sentry memory is told')
if open('/dev/urandom', 'rb').read(4) == open('/dev/zero', 'rb').read(4): print('no randomness')
open('/dev/null', 'w').write('x')
"""

FAILS = """
def fails(function, *arguments):
    try: function(*arguments)
    except (OSError, ValueError): return True
    return False
"""


def finds_nothing():
    for line, code, rule in (
            ("A10", RUNNER_OUT_OF_REACH, "kill, ptrace, pidfd, /proc/1: nothing of runner and init can be read or written"),
            ("A10", ENVIRONMENT, "the Pod's environment is nowhere to be read"),
            ("A15", CLEAN_START, "signals, mask, descriptors, umask, session, limits, ids: clean at the start"),
            ("A10", NETWORK, "no network: unreachable at once, while local servers work"),
            ("A10", KERNEL, "no namespaces, mounts, keyrings, bpf, io_uring, clocks"),
            ("A10", WRITABLE, "writable places are exactly the documented ones")):
        outcome = run(FAILS + code, run_ms=60000)
        is_((outcome.end(), outcome.stdout.decode()), ("exited 0", ""), check(line, rule))
        if outcome.stderr:
            diag(outcome.stderr.decode())


def any_user():
    """OpenShift gives each namespace user ids of its own."""
    if GROUND == "pod":
        return
    with Runner(uid=123456) as runner:
        outcome = runner.run("import os\nprint(os.getuid(), os.getgid(), os.stat('main.py').st_uid)\nopen('/tmp/x', 'w')")
    is_((outcome["uid"], outcome.end(), outcome.stdout), ("123456", "exited 0", b"65534 65534 65534\n"),
        check("A10", "whatever user the Pod runs as, the program is 65534"))


def given():
    """Arguments and environment as the task has them, as many and as long as it may have them; and nothing else."""
    arguments = ["", "中文 ☕", "a\tb 'c' \"$d\" \\", "--x=y"] + ["y" * 4096] * 60
    outcome = run("import sys\nfor a in sys.argv[1:]: print(a)", arg=[PYTHON, "main.py", *arguments])
    is_(outcome.stdout.decode(), "\n".join(arguments) + "\n", check("A15", "64 arguments of up to 4 KiB arrive as given"))
    variables = {f"V{number}": f"{number}=中" + "x" * 32700 for number in range(20)}
    outcome = run("import os\nfor n in range(20): print(os.environ[f'V{n}'])", env=variables)
    is_(outcome.stdout.decode(), "\n".join(variables.values()) + "\n", check("A15", "640 KiB of variables arrive as given"))
    outcome = run("import os\nprint(*sorted(os.environ))", env={"MINE": "1", "TMPDIR": "/work"})
    is_(outcome.stdout.decode().split(), ["HOME", "LANG", "MINE", "MKL_NUM_THREADS", "MPLCONFIGDIR", "NUMEXPR_NUM_THREADS",
                                          "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PATH", "PYTHONUNBUFFERED",
                                          "PYTHON_CPU_COUNT", "TMPDIR", "XDG_CACHE_HOME"],
        check("A15", "the environment is the task's and the documented one, built from nothing"))


def sigpipe_is_default():
    outcome = run("{ yes; echo $? >&2; } | head -n 1", name="main.sh", arg=["sh", "main.sh"])
    is_((outcome.stdout, outcome.stderr), (b"y\n", b"141\n"), check("A15", "SIGPIPE ends a program whose reader is gone"))


def forged_protocol():
    """11. Frames, JSON and markers on every descriptor that can be opened change nothing but the program's own output."""
    frames = ((0x81, b"\x01\x06" + bytes(28)), (0x82, bytes(94)), (0x83, b"forged outcome"), (0x8F, b"\x01\x00" + bytes(8)),
              (0x01, b"\x01\x01" + bytes(20)), (0x05, b"\x00\x00\x10\x00\x00"), (0x06, bytes(4)), (0x0A, b""))
    forged = b"\n" + b"".join(encode(Frame(kind, session, 0, payload))
                              for session in (0, 1 << 20, 1 << 40) for kind, payload in frames)
    code = ("import os\nforged = open('forged', 'rb').read()\nfor fd in list(range(64)) * 2:\n  try: os.write(fd, forged)\n"
            "  except OSError: pass\n"
            "for path in ('/dev/stdout', '/dev/fd/1', '/proc/self/fd/1', '/proc/1/fd/1', '/proc/1/fd/3'):\n"
            "  try: open(path, 'wb').write(forged)\n  except OSError: pass\nos._exit(42)")
    outcome = run(code, files={"forged": forged})
    is_(outcome.end(), "exited 42", check("A11", "frames written to every descriptor do not change the verdict"))
    is_(outcome.stdout, forged * 5, check("A11", "frames written to stdout are the program's stdout, byte by byte"))
    is_(outcome.stderr, forged * 2, check("A11", "frames written to stderr are the program's stderr, byte by byte"))
    outcome = run("import sys\nsys.stdout.write('x' * 100000 + '{\"verdict\": 0}<<RESULT>>')\nsys.exit(1)", stdout_bytes=40000)
    is_((outcome.end(), outcome.number("stdout-total")), ("exited 1", 100024), check("A11", "a frame without end is text"))


def nothing_stays():
    with Runner() as runner:
        outcome = runner.run("for place in ('/tmp', '/work', '/dev/shm'): open(place + '/left', 'w').write('x' * 1000)")
        is_(outcome.end(), "exited 0", check("A10", "files can be written where they may"))
        if GROUND == "host":
            root = f"/proc/{runner.pid()}/root"
            left = [name for place in ("tmp", "work", "dev/shm", "data") for name in os.listdir(os.path.join(root, place))]
            is_(left, [], check("A10", "and are gone after the run"))
        again = runner.run("import os\nprint(os.listdir('/tmp'))", session=2 << 20)
        is_((again["starts"], again.end(), again.stdout), ("1", "exited 0", b""),
            check("A10", "a second bundle never runs in the same runner: what it has is the first one's outcome"))


finds_nothing()
any_user()
given()
sigpipe_is_default()
forged_protocol()
nothing_stays()
done_testing()
