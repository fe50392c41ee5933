#!/usr/bin/env python3
"""Figures of the runner: its size and memory, how long a run takes it, how much output it takes, how fast it kills.

usage: bench.py FILE     (GROUND=host, gvisor or pod; RUNS=n; appends one JSON object a line to FILE)
"""

import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from bench import Table
from runner import GROUND, PYTHON, SHIPPED, Runner, run

RUNS = int(os.environ.get("RUNS", "15"))
MIB = 1 << 20
# A program that ends at its first byte, so that the end of the run tells when that was.
FIRST_BYTE = "import os\nos.write(1, b'x')\nos._exit(0)"
# What the same interpreter needs for it in the same sandbox, started by a program instead of the runner.
PLAIN_PYTHON = f"""
import subprocess, time
times = []
for i in range({RUNS}):
    started = time.monotonic()
    with subprocess.Popen(['{PYTHON}', 'first_byte.py'], stdout=subprocess.PIPE) as process:
        process.stdout.read(1)
        times.append(round((time.monotonic() - started) * 1000))
print(times)
"""
WRITE = "import os\nchunk = b'x' * {size}\nfor i in range({count}): os.write(1, chunk)"
SPIN = "import os\nfor i in range({count} - 1):\n  if os.fork() == 0: break\nwhile True: pass"


def memory(table):
    if GROUND != "host":
        return
    with Runner() as runner:
        runner.run("", stop_at="Greeted")
        with open(f"/proc/{runner.pid()}/status") as status:
            table.row("runner-rss-idle", "KiB", next(int(line.split()[1]) for line in status if line.startswith("VmRSS")))


def boot(table):
    """The runner's own share, and all from starting the container, sandbox or Pod to HELLO."""
    times, boots = [], []
    for _ in range(RUNS):
        started = time.monotonic()
        with Runner() as runner:
            greeted = runner.run("", stop_at="Greeted")
            times.append(round((time.monotonic() - started) * 1000))
        boots.append(greeted.number("boot-us") / 1000)
    table.row("runner-boot-to-jail-ready", "ms", boots)
    table.row("runner-nothing-to-hello", "ms", times)


def python(table):
    plain = json.loads(run(PLAIN_PYTHON, files={"first_byte.py": FIRST_BYTE}).stdout)
    outcomes = [run(FIRST_BYTE) for _ in range(RUNS)]
    firsts = [outcome.number("start-ms") + outcome.number("wall-ms") for outcome in outcomes]
    table.row("runner-start-to-exec", "ms", [outcome.number("start-ms") for outcome in outcomes])
    table.row("runner-plain-python-to-first-byte", "ms", plain)
    table.row("runner-start-to-first-byte", "ms", firsts, {"plain python3": plain})
    table.row("runner-start-to-sealed", "ms", [outcome.number("sealed-after-ms") for outcome in outcomes])


def drain(table):
    for name, size, count in (("drain-64-kib-writes", 65536, 4096), ("drain-64-byte-writes", 64, 100000)):
        outcome = run(WRITE.format(size=size, count=count), run_ms=120000)
        table.row(f"runner-{name}", "MiB/s", round(size * count / MIB / (outcome.number("wall-ms") / 1000), 1))


def kill(table):
    for count in (1, 20, 60):
        times = []
        for _ in range(max(3, RUNS // 3)):
            outcome = run(SPIN.format(count=count), run_ms=500, processes=100)
            times.append(outcome.number("sealed-after-ms") - outcome.number("start-ms") - 500)
        table.row(f"runner-kill-{count}-spinning", "ms", times)


def main():
    table = Table(sys.argv[1], ground=GROUND)
    table.row("runner-binary", "bytes", os.path.getsize(SHIPPED))
    memory(table)
    boot(table)
    python(table)
    drain(table)
    kill(table)


main()
