#!/usr/bin/env python3
"""The runner's half of the protocol over real pipes: cut, joined, overtaken, left alone, frozen, at its end."""

import fcntl
import hashlib
import os
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from runner import SANITIZED, Runner, checks
from tap import done_testing, is_, ok
from wire import DATA, GET, HELLO, OFFER, OUTCOME, RUN_ID, START, STATE, Connection, Frame, attach, encode, error_of, state

check = checks()
F_SETPIPE_SZ = 1031
SLOW = "import time\nprint('begun', flush=True)\ntime.sleep(1.5)\nprint('x' * 200000)\nprint('end')"
SLOW_OUTPUT = b"begun\n" + b"x" * 200000 + b"\nend\n"


def greeting():
    with Runner() as runner:
        connection = Connection(runner.stdout, runner.stdin)
        ok(connection.receive(0.3) is None, check("P5", "a runner that nobody attached to says nothing"))
        connection.send(attach(1 << 20))
        hello = connection.wait_for(HELLO)
        version, phase, run_id, attempt = struct.unpack_from("<BB16sI", hello.payload)
        is_((version, phase, run_id, attempt, hello.session), (1, 1, RUN_ID, 1, 1 << 20),
            check("P4", "HELLO answers ATTACH: version, phase Ready, the run it is bound to"))
        is_(state(connection.wait_for(STATE))[:3], (1, 0, 0), check("P4", "STATE comes with it"))
        runner_memory(runner, "idle", 1024)
        greeted = runner.run("", session=2 << 20, stop_at="Greeted")
        ok(0 < greeted.number("boot-us") < 10**7, check("P4", "HELLO says how long the boot took"))


def runner_memory(runner, when, limit_kib):
    if runner.ground != "host" or SANITIZED:
        return
    with open(f"/proc/{runner.pid()}/status") as status:
        kib = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    ok(kib <= limit_kib, check("P6", f"the runner's memory when {when}: {kib} KiB, at most {limit_kib}"))


def damaged_stream():
    with Runner() as runner:
        connection = Connection(runner.stdout, runner.stdin)
        connection.send_bytes(os.urandom(1 << 20))
        half = encode(attach(1 << 20))
        connection.send_bytes(half[:-9])
        ok(connection.receive(0.3) is None, check("P2", "a mebibyte of garbage and half a frame are not answered"))
        for byte in b"\n" + encode(attach(2 << 20)):
            connection.send_bytes(bytes([byte]))
        hello = connection.wait_for(HELLO)
        is_(hello and hello.session, 2 << 20, check("P2", "ATTACH byte by byte behind them is"))


def sessions():
    with Runner() as runner:
        connection = Connection(runner.stdout, runner.stdin)
        connection.send(attach(5))
        connection.wait_for(HELLO)
        is_(error_of(connection, attach(3)), (1, 5), check("P4", "of two attaches the lower session is told the higher one"))
        is_(error_of(connection, Frame(OFFER, 3, 0, struct.pack("<Q32s", 5, bytes(32)))), (1, 5),
            check("P4", "so is every frame of it"))
        is_(error_of(connection, attach(9, b"another run id!\0"))[0], 2, check("P4", "another run is refused, whatever session"))
        is_(error_of(connection, attach(9, attempt=2))[0], 2, check("P4", "another attempt is refused"))
        connection.send(attach(6))
        is_(connection.wait_for(HELLO).session, 6, check("P4", "a higher session takes over"))


def refusals():
    with Runner(options=["--bundle-bytes=100000"]) as runner:
        connection = Connection(runner.stdout, runner.stdin)
        connection.send(attach(1))
        connection.wait_for(HELLO)
        junk = b"no bundle at all"
        digest = hashlib.sha256(junk).digest()
        is_(error_of(connection, Frame(OFFER, 1, 0, struct.pack("<Q32s", 100001, digest)))[0], 3,
            check("P6", "one byte over the bundle's room is TooLarge"))
        connection.send(Frame(OFFER, 1, 0, struct.pack("<Q32s", len(junk), bytes(32))))
        is_(error_of(connection, Frame(START, 1, 0, bytes(32)))[0], 5, check("P5", "START before all is received: NotReceived"))
        is_(error_of(connection, Frame(DATA, 1, 0, junk))[0], 4, check("P5", "an upload with another hash: HashMismatch"))
        is_(error_of(connection, Frame(OFFER, 1, 0, struct.pack("<Q32s", len(junk), digest)), Frame(DATA, 1, 0, junk))[0], 7,
            check("P5", "bytes that are no bundle: BadBundle"))
        is_(error_of(connection, Frame(GET, 1, 0, struct.pack("<BI", 3, 10)))[0], 8,
            check("P5", "an object that is none: Unsupported"))
        is_(error_of(connection, Frame(0x42, 1, 0, b""))[0], 8, check("P5", "a frame that is none: Unsupported"))
    for what, task in (("mode Lint", dict(mode=2)), ("an install phase", dict(install_ms=1000)),
                       ("streams over the room for the outcome", dict(stdout_bytes=8 << 20))):
        with Runner() as runner:
            outcome = runner.run("", **task)
            is_((outcome["state"], outcome["refusal"]), ("Failed", "7"), check("P5", f"{what}: BadBundle before anything runs"))


def attached_anew():
    with Runner() as runner:
        left = runner.run("print('whole')", stdin=bytes(4 << 20), stop_at="Uploading")
        is_(left["state"], "Uploading", check("P5", "a controller leaves in mid-upload"))
        again = runner.run("print('whole')", stdin=bytes(4 << 20), session=2 << 20)
        is_((again.end(), again.stdout), ("exited 0", b"whole\n"), check("P5", "the next one goes on and comes to the end"))
    with Runner() as runner:
        left = runner.run(SLOW, leave_at_bytes=1)
        is_((left["state"], left["phase"]), ("Started", "5"), check("P5", "a controller leaves in mid-run"))
        left = runner.run(SLOW, session=2 << 20, stop_at="Pulling")
        is_(left["state"], "Pulling", check("P5", "the next one leaves in mid-download"))
        again = runner.run(SLOW, session=3 << 20)
        is_((again.end(), again.stdout, again["starts"]), ("exited 0", SLOW_OUTPUT, "1"),
            check("P5", "the third one has the whole outcome of the one run"))
        once_more = runner.run(SLOW, session=4 << 20)
        is_(once_more.stdout, SLOW_OUTPUT, check("P5", "and so has every later one: there is no ACK"))


def stdin_at_its_end():
    with Runner() as runner:
        if runner.ground == "pod":
            return  # an attach that ends does not end a container's stdin; a restart of containerd does
        runner.run(SLOW, leave_at_bytes=1)
        runner.close_stdin()
        connection = Connection(runner.stdout, -1)
        sealed = connection.wait_for(STATE, 20, lambda frame: state(frame)[0] == 6)
        ok(sealed and sealed.session == 0,
           check("P6", "end of file on fd 0: the run goes on, and its end is told unasked, to nobody in particular"))
        length, digest = state(sealed)[3:]
        outcome = b""
        while len(outcome) < length:
            frame = connection.wait_for(OUTCOME, 20)
            if frame.offset == len(outcome):
                outcome += frame.payload
        is_(hashlib.sha256(outcome).digest(), digest, check("P6", "the outcome is sent unasked, whole"))
        ok(SLOW_OUTPUT in outcome, check("P6", "with all that the program wrote"))
        again = connection.wait_for(OUTCOME, 20)
        is_(again and again.offset, 0, check("P6", "and again after a gap"))
        ok(runner.process.poll() is None, check("P6", "the runner does not exit"))


def frozen_reader():
    """An attacher that stops reading delays nothing but itself."""
    with Runner() as runner:
        fcntl.fcntl(runner.stdout, F_SETPIPE_SZ, 4096)
        code = "import time\nprint('begun', flush=True)\nwhile True: print('x' * 10000)"
        left = runner.run(code, run_ms=1500, leave_at_bytes=1)
        is_(left["state"], "Started", check("P5", "a program runs that writes without end"))
        connection = Connection(runner.stdout, runner.stdin)
        for number in range(50):
            connection.send(attach((2 << 20) + number))
        # Longer than the program's time: 50 HELLOs are asked for, and nobody reads.
        time.sleep(4)
        outcome = runner.run(code, session=3 << 20)
        is_(outcome.end(), "killed run-time", check("P5", "while stdout was frozen the deadline held"))
        ok(1500 <= outcome.number("wall-ms") < 3500, check("P5", f"to the time ({outcome['wall-ms']} ms)"))
        ok(outcome.number("stdout-total") > 1000000, check("P5", "and the program was never held up"))


def nobody_there():
    """Nobody has the other ends open: no attach, and none to come. The runner waits without using the CPU."""
    if SANITIZED:
        return
    with Runner() as runner:
        if runner.ground != "host":
            return
        connection = Connection(runner.stdout, runner.stdin)
        connection.send(attach(1))
        connection.wait_for(HELLO)
        pid = runner.pid()
        runner.close_stdin()
        os.close(runner.stdout)
        runner.stdout = -1
        time.sleep(0.5)
        before = cpu_ticks(pid)
        time.sleep(1)
        ok(cpu_ticks(pid) - before <= 5, check("P6", "with both streams closed on the other side the runner sleeps"))


def cpu_ticks(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


greeting()
damaged_stream()
sessions()
refusals()
attached_anew()
stdin_at_its_end()
frozen_reader()
nobody_there()
done_testing()
