#!/usr/bin/env python3
"""What other tests and users rely on: the TAP libraries fail when a check fails, make says what it can't do yet, and the
cluster's scripts know a process that still runs from one that has ended."""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "lib"))
from tap import done_testing, is_, like, ok  # noqa: E402

# One row a check: its name, then how it is written in C and in Python. Each is made to fail.
FAILING = [
    ("ok", 'ok(false, "x");', 'ok(False, "x")'),
    ("is", 'is("a", "b", "x");', 'is_("a", "b", "x")'),
    ("like", 'like("a", "^b", "x");', 'like("a", "^b", "x")'),
    ("cmp_ok", 'cmp_ok(1, ">", 2, "x");', None),
    ("is_bytes", 'is_bytes("a", 1, "b", 1, "x");', None),
]

C = '#include "tap.h"\nint main(void)\n{\n%s\ndone_testing();\n}\n'
PYTHON = "import sys\nsys.path.insert(0, %r)\nfrom tap import *\n%s\ndone_testing()\n"


def run_c(checks):
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "x.c"), pathlib.Path(folder, "x")
        source.write_text(C % checks)
        subprocess.run(["gcc", "-I", HERE / "lib", "-o", program, source, HERE / "lib/tap.c"], check=True)
        return subprocess.run([program], capture_output=True, text=True)


def run_python(checks):
    return subprocess.run([sys.executable, "-c", PYTHON % (str(HERE / "lib"), checks)], capture_output=True, text=True)


for run, passing, column in ((run_c, 'ok(true, "y"); skip("why");', 1), (run_python, 'ok(True, "y"); skip("why")', 2)):
    done = run(passing)
    is_(done.returncode, 0, f"{run.__name__}: checks that pass, or are skipped, are a success")
    like(done.stdout, r"^ok 1 - y\nok 2 .*# SKIP why\n1\.\.2\n$", f"{run.__name__}: each has its line, and the plan follows")
    is_(run("").returncode, 1, f"{run.__name__}: no check at all is a failure")
    for row in FAILING:
        if row[column] is None:
            continue
        done = run(row[column])
        is_(done.returncode, 1, f"{run.__name__}: a failing {row[0]} is a failure")
        is_(done.stdout, "not ok 1 - x\n1..1\n", f"{run.__name__}: and has its line")
        like(done.stderr, r"^# failed: x\n# at \S+:\d+\n", f"{run.__name__}: and says on stderr what failed, and where")

for target in ("sim-mutations", "soak"):
    done = subprocess.run(["make", "--silent", "-C", HERE.parent, target], capture_output=True, text=True)
    like(f"{done.returncode} {done.stderr}", f"^2 make {target}: nothing to run yet",
         f"make {target} says that there is nothing yet, and fails")


def stat(pid):
    """(state, threads) of a process, as proc(5) has them."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return fields[0], int(fields[17])


def still_runs(process):
    """What the scripts of the cluster say of it."""
    script = f". {HERE.parent}/hack/cluster/daemons; process_start {process.pid}"
    return subprocess.run(["bash", "-c", script], capture_output=True).returncode == 0


# Ends its first thread alone, by the system call of x86_64 or of the generic table.
HALF_DEAD = ("import ctypes, platform, threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n"
             "ctypes.CDLL(None).syscall(60 if platform.machine() == 'x86_64' else 93, 0)")

with subprocess.Popen([sys.executable, "-c", HALF_DEAD]) as half_dead:
    while stat(half_dead.pid) != ("Z", 2):
        pass
    ok(still_runs(half_dead), "a process that has lost its first thread only still runs: its sockets are open")
    half_dead.kill()
    while stat(half_dead.pid) != ("Z", 1):
        pass
    ok(not still_runs(half_dead), "one that waits to be reaped has ended")
ok(not still_runs(half_dead), "as has one that is gone")

done_testing()
