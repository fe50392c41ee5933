#!/usr/bin/env python3
"""What a program writes: every byte counted, none invented, none changed, in constant memory. Checklist A, 1 to 4."""

import hashlib
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from runner import SANITIZED, Runner, checks, run
from tap import done_testing, is_, ok

MIB = 1 << 20
check = checks()


def writes(data, stream="stdout", **task):
    """The outcome of a program that writes `data` (a Python expression of bytes) and ends with 0."""
    return run(f"import sys\nsys.{stream}.buffer.write({data})", **task)


def every_byte():
    """2. All 256 byte values on both streams; exit code preserved."""
    outcome = run("import sys\nfor s in (sys.stdout, sys.stderr): s.buffer.write(bytes(range(256)) * 3)\nsys.exit(7)")
    is_(outcome.end(), "exited 7", check("A2", "the exit code is the program's"))
    is_(outcome.stdout, bytes(range(256)) * 3, check("A2", "all 256 byte values arrive on stdout"))
    is_(outcome.stderr, bytes(range(256)) * 3, check("A2", "all 256 byte values arrive on stderr"))
    is_(outcome["stdout-sha256"], hashlib.sha256(bytes(range(256)) * 3).hexdigest(), check("A2", "the hash is that of the bytes"))


def odd_lines():
    """3. One 50 MiB line; 10^6 empty lines; a NUL; lone CR."""
    outcome = writes("b'x' * (50 << 20)")
    is_(outcome.number("stdout-total"), 50 * MIB, check("A3", "a line of 50 MiB is counted whole"))
    is_(outcome["stdout-sha256"], hashlib.sha256(b"x" * 50 * MIB).hexdigest(), check("A3", "a line of 50 MiB is hashed whole"))
    is_(len(outcome.stdout), MIB, check("A3", "of a line of 50 MiB the limit is kept"))
    outcome = writes("b'\\n' * 10**6")
    is_(outcome.stdout, b"\n" * 10**6, check("A3", "a million empty lines arrive"))
    outcome = writes("b'a\\0b\\rc\\r\\nd'")
    is_(outcome.stdout, b"a\0b\rc\r\nd", check("A3", "NUL, a lone CR and a last line without an end arrive"))
    outcome = writes("'中文 ☕ 😀'.encode()")
    is_(outcome.stdout.decode(), "中文 ☕ 😀", check("A3", "Chinese and emoji arrive"))


def at_the_limit():
    """1. 1 MiB+1 of "☕" to stdout: kept <= limit, valid UTF-8, flag set; exactly 1 MiB: flag not set."""
    cups = "'☕'.encode() * 349526"  # three bytes each: 2 more than 1 MiB
    outcome = writes(cups)
    is_(outcome.number("stdout-total"), MIB + 2, check("A1", "one over the limit: the total is exact"))
    ok(len(outcome.stdout) <= MIB, check("A1", "one over the limit: no more than the limit is kept"))
    ok(len(outcome.stdout) >= MIB - 6, check("A1", "one over the limit: no more is lost than the cut needs"))
    is_(outcome.head["stdout"].decode().strip("☕"), "", check("A1", "one over the limit: the head ends on a character"))
    is_(outcome.tail["stdout"].decode().strip("☕"), "", check("A1", "one over the limit: the tail begins on a character"))
    is_(outcome.number("stdout-head"), 3 * MIB // 4, check("A1", "three quarters of the limit are the head"))
    outcome = writes(f"b'y' * {MIB}")
    is_(outcome.stdout, b"y" * MIB, check("A1", "exactly the limit is kept whole"))
    for size, kept in ((0, 0), (999, 999), (1000, 1000), (1001, 1000), (5000, 1000)):
        outcome = writes(f"(b'0123456789' * 1000)[:{size}]", stderr_bytes=1000, stream="stderr")
        is_((outcome.number("stderr-total"), len(outcome.stderr)), (size, kept),
            check("A1", f"{size} bytes with a limit of 1000 on stderr: {kept} are kept"))
    is_(outcome.head["stderr"] + outcome.tail["stderr"],
        (b"0123456789" * 75) + (b"0123456789" * 25), check("A1", "head and tail are the first and the last bytes"))
    outcome = writes("b'\\xff' * 1001", stdout_bytes=1000)
    is_(outcome.stdout, b"\xff" * 1000, check("A1", "what is no text is not cut on characters"))
    outcome = writes("b'12345'", stdout_bytes=0)
    is_((outcome.number("stdout-total"), outcome.stdout), (5, b""), check("A1", "a limit of 0 keeps nothing and counts all"))


def worst_bytes():
    """4. The size of what carries the output is bounded whatever its bytes are: none is escaped on the wire."""
    for byte, what in ((0, "a NUL"), (10, "a newline, which delimits frames"), (1, "a control character, six bytes in JSON"),
                       (0xFF, "no UTF-8")):
        outcome = writes(f"bytes([{byte}]) * {MIB}")
        is_(outcome.stdout, bytes([byte]) * MIB, check("A4", f"1 MiB of {what}: all of it arrives"))
        ok(MIB < outcome.number("bytes-in") < MIB * 102 // 100,
           check("A4", f"1 MiB of {what}: within 2 % of that on the wire ({outcome.number('bytes-in')} bytes)"))


def overflow_that_fails():
    endless = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
    outcome = run(endless, on_overflow=1, stdout_bytes=1000)
    is_(outcome.end(), "killed output", check("A1", "onOverflow Fail: a stream over its limit ends the run"))
    outcome = writes("b'x' * 1001", on_overflow=1, stdout_bytes=1000)
    is_(outcome.end(), "killed output", check("A1", "onOverflow Fail: also when the program ended before it was seen"))
    outcome = writes("b'x' * 1000", on_overflow=1, stdout_bytes=1000)
    is_(outcome.end(), "exited 0", check("A1", "onOverflow Fail: exactly the limit is fine"))


def flood():
    """53, 54: constant memory, and nothing is sent unasked."""
    chunk = "b'z' * 65536"
    with Runner() as runner:
        outcome = runner.run(f"import os\nc = {chunk}\nfor i in range(16384): os.write(1, c)", run_ms=120000)
        is_(outcome.number("stdout-total"), 1 << 30, check("A3", "a flood of 1 GiB is counted to the byte"))
        is_(outcome.end(), "exited 0", check("A3", "a flood does not hold the program up"))
        ok(0 < outcome.number("bytes-in-unasked") < 32768,
           check("A3", "a flood of 1 GiB sends nothing but a word on its state unasked"))
        ok(outcome.number("bytes-in") < 2 * MIB, check("A3", "and when it is asked for, what is kept and no more"))
        if runner.ground == "host" and not SANITIZED:
            with open(f"/proc/{runner.pid()}/status") as status:
                peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
            ok(peak < 4096, check("A3", f"the runner's memory stays within 4 MiB with its spools ({peak} KiB)"))


every_byte()
odd_lines()
at_the_limit()
worst_bytes()
overflow_that_fails()
flood()
done_testing()
