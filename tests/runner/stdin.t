#!/usr/bin/env python3
"""Standard input: whole, at its end, and no trouble for anybody when it is not read. Checklist A, 7."""

import hashlib
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from runner import checks, run
from tap import done_testing, is_

check = checks()
TEN_MIB = bytes(range(256)) * (10 << 12)

outcome = run("import hashlib, sys\nprint(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())", stdin=TEN_MIB)
is_(outcome.stdout.decode().strip(), hashlib.sha256(TEN_MIB).hexdigest(), check("A7", "10 MiB of stdin arrive byte by byte"))
outcome = run("print('unread')", stdin=TEN_MIB)
is_((outcome.end(), outcome.stdout), ("exited 0", b"unread\n"), check("A7", "10 MiB that nobody reads: code, output intact"))
outcome = run("import sys\nprint(len(sys.stdin.buffer.read(5 << 20)))\nsys.exit(3)", stdin=TEN_MIB)
is_((outcome.end(), outcome.stdout), ("exited 3", b"5242880\n"), check("A7", "10 MiB of which half is read"))
outcome = run("import os, sys\nn = 0\nwhile os.read(0, 1): n += 1\nprint(n)", stdin=TEN_MIB[:20000])
is_(outcome.stdout, b"20000\n", check("A7", "read one byte at a time"))
outcome = run("import os, time\nos.close(0)\ntime.sleep(0.3)\nprint('closed')\nos._exit(5)", stdin=TEN_MIB)
is_((outcome.end(), outcome.stdout), ("exited 5", b"closed\n"), check("A7", "a program that closes its stdin"))
outcome = run("import sys\nprint(repr(sys.stdin.read()))")
is_(outcome.stdout, b"''\n", check("A7", "no stdin is an empty one at its end"))
outcome = run("try: input()\nexcept EOFError: print('end')")
is_(outcome.stdout, b"end\n", check("A7", "input() without stdin is EOFError, at once"))
outcome = run("import sys\nfor line in sys.stdin: print(line.strip()[::-1])", stdin="中文\nabc\n")
is_(outcome.stdout.decode(), "文中\ncba\n", check("A7", "lines of text, UTF-8 on both sides"))
outcome = run("import sys\nsys.stdout.write('x' * 3000000)\nprint(len(sys.stdin.read()))", stdin="y" * 3000000)
is_(outcome.stdout[-8:], b"3000000\n", check("A7", "input and output that both wait do not lock each other"))
done_testing()
