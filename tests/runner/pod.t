#!/usr/bin/env python3
"""The runner in a real Pod: what only Kubernetes can tell, break or end. The scenarios of the other tests run there too, with
GROUND=pod."""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import kube
from runner import Pod, Runner
from tap import done_testing, is_, note, ok, skip
from wire import HELLO, Connection, attach, encode, error_of, greet

MIB = 1 << 20
LONG = "import time\nprint('begun', flush=True)\ntime.sleep(1000)"
LAYERS = ("gvisor", "userNamespace", "pidNamespace", "networkNamespace", "mountNamespace", "ipcNamespace", "utsNamespace",
          "maskedPaths", "minimalDevices", "boundedTmp", "noCapabilities", "noNewPrivileges", "seccomp", "rlimits",
          "closedDescriptors")


def pod_runner(**options):
    return Runner(ground="pod", **options)


def isolation():
    with pod_runner() as runner:
        outcome = runner.run("print('中文')")
        is_((outcome.end(), outcome.stdout.decode()), ("exited 0", "中文\n"), "a task runs in a restricted Pod under gVisor")
        for layer in LAYERS:
            report = outcome.get(f"layer-{layer}", "not reported")
            is_(report.split()[0], "held", f"{layer} holds ({report})")
        is_(outcome.number("memory-enforced"), 1, "memory is watched")
        is_(outcome.number("memory-limit"), 512 * MIB, "the Pod's memory limit is seen")


def broken_attaches():
    """The attach is cut, frame or no frame; the next one goes on."""
    code = "import time\nprint('begun', flush=True)\ntime.sleep(2)\nprint('x' * 900000)"
    task = dict(stdin=os.urandom(10 << 20))
    with pod_runner() as runner:
        left = runner.run(code, stop_at="Uploading", **task)
        runner.attach_anew()
        is_(left["state"], "Uploading", "the attach is cut in mid-upload")
        left = runner.run(code, leave_at_bytes=1, session=2 << 20, **task)
        runner.attach_anew()
        is_(left["state"], "Started", "the upload goes on; the attach is cut in mid-run")
        left = runner.run(code, stop_at="Pulling", session=3 << 20, **task)
        runner.attach_anew()
        is_(left["state"], "Pulling", "the run went on; the attach is cut in mid-download")
        outcome = runner.run(code, session=4 << 20, **task)
        is_((outcome.end(), len(outcome.stdout), outcome["starts"]), ("exited 0", 900007, "1"),
            "all of the outcome is pulled, of one run")


def full_outcome():
    """As much as may be kept of both streams, of bytes that are no text. What it costs where the node keeps logs is recorded."""
    with pod_runner() as runner:
        outcome = runner.run("import os\nfor fd, n in (1, 1 << 20), (2, 1 << 18):\n"
                             "  with open(fd, 'wb') as f: f.write(os.urandom(n))")
        kept = len(outcome.stdout) + len(outcome.stderr)
        is_((outcome.end(), kept), ("exited 0", MIB + MIB // 4), "a full outcome is pulled")
        if not kube.IS_LOCAL:
            return
        pod = runner.pod.api.get(runner.pod.path)
        folder = f"/var/log/pods/{runner.pod.namespace}_{runner.pod.name}_{pod['metadata']['uid']}"
        logged = int(kube.node("enter", pod["spec"]["nodeName"], "du", "--bytes", "--summarize", folder).split()[0])
        ok(kept < logged < kept * 11 // 10, f"and costs the node's log no more than a tenth above its size: {logged} of {kept}")


def two_attaches():
    """Two controllers at once, as when a Lease changes hands: the higher session is served, the lower one is told."""
    with pod_runner() as runner:
        first = Connection(runner.stdout, runner.stdin)
        ok(greet(first, 1 << 20), "a controller attaches")
        with runner.another_attach() as second:
            ok(greet(second, 2 << 20), "another one attaches beside it, with a higher session")
            heard = first.wait_for(HELLO, matching=lambda frame: frame.session == 2 << 20)
            ok(heard, "the first one hears the answer too, and that it is not for it")
            is_(error_of(first, attach(1 << 20)), (1, 2 << 20), "when it speaks again it is told the higher session")
            # Both write at once, one of them halves of frames: what arrives is a mixture.
            half = encode(attach(1 << 20))[:-5]
            for number in range(200):
                first.send_bytes(half)
                second.send(attach((2 << 20) + number))
            first.send_bytes(b"\n")
            ok(greet(second, 3 << 20), "the second one gets through the noise of the first")
        outcome = runner.run("print('whole')", session=4 << 20)
        is_((outcome.end(), outcome.stdout), ("exited 0", b"whole\n"), "with the second one gone, the first may come back higher")


def talk_until_silent(connection, session):
    """Asks for HELLO after HELLO until none comes; returns the session, and the bytes that could be had."""
    while connection.bytes_in < 64 * MIB:
        for _ in range(500):
            session += 1
            connection.send(attach(session))
            connection.receive(0.001)
        session += 1
        if not greet(connection, session, seconds=3):
            break
    return session, connection.bytes_in


def frozen_attach():
    """An attacher that stops reading: the container's stdout is broadcast under one lock, so it freezes all others, too."""
    code = "print('begun', flush=True)\nwhile True: print('x' * 10000)"
    with pod_runner() as runner:
        deadline = time.monotonic() + 65  # of the run, with what it may be late
        runner.run(code, run_ms=60000, leave_at_bytes=1)
        connection = Connection(runner.stdout, runner.stdin)
        with kube.Attach(runner.pod.api, runner.pod.path):  # and never a read
            session, size = talk_until_silent(connection, 2 << 20)
            note(f"stdout froze {size} bytes after the attacher stopped reading")
            ok(connection.receive(15) is None, "one attacher that does not read for 15 s silences the runner for all")
            is_(connection.receive(deadline - time.monotonic()), None, "however long, past the deadline of the run")
        ok(greet(connection, session + 1), "once it is closed, the others hear again at once")
        outcome = runner.run(code, session=session + 2)
        is_(outcome.end(), "killed run-time", "the run has come to its deadline meanwhile")
        ok(60000 <= outcome.number("wall-ms") < 63000, f"in time ({outcome['wall-ms']} ms)")


def attach_until_heard(runner, session):
    """It takes a kubelet a moment to find the new containerd: attaches until one is answered. HELLO, or None."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        runner.attach_anew()
        try:
            if hello := greet(Connection(runner.stdout, runner.stdin), session, seconds=3):
                return hello
        except BrokenPipeError:
            pass  # it was refused
    return None


def containerd_restarted():
    """In mid-run, killed and told to stop. Every attach ends; the program, and the container's stdin, do not (runner_side.h)."""
    if not kube.IS_LOCAL:
        skip("a foreign cluster's containerd is not ours to restart")
        return
    code = "import time\nprint('begun', flush=True)\ntime.sleep(15)\nprint('x' * 900000)"
    for name in ("KILL", "TERM"):
        with pod_runner() as runner:
            runner.run(code, leave_at_bytes=1)
            node = runner.pod.api.get(runner.pod.path)["spec"]["nodeName"]
            kube.node("restart-containerd", node, name)
            runner.process.wait(timeout=30)
            hello = attach_until_heard(runner, 2 << 20)
            is_(hello and hello.payload[1], 5, f"containerd ended by SIG{name} in mid-run: the next attach is heard")
            outcome = runner.run(code, session=3 << 20)
            is_((outcome.end(), len(outcome.stdout), outcome["starts"]), ("exited 0", 900007, "1"),
                f"containerd ended by SIG{name}: all of the outcome is pulled, of one run")
            is_(runner.pod.api.get(runner.pod.path)["status"]["containerStatuses"][0]["restartCount"], 0,
                "in the same container")


def deleted_pod():
    with pod_runner() as runner:
        runner.run(LONG, leave_at_bytes=1)
        started = time.monotonic()
        runner.terminate()
        outcome = runner.run(LONG, session=2 << 20, release=1)
        is_((outcome.end(), outcome["partial"], outcome.stdout), ("killed shutdown", "1", b"begun\n"),
            "a Pod that is deleted in mid-run still gives its partial outcome")
        runner.pod.api.wait_gone(runner.pod.path)
        note(f"gone {time.monotonic() - started:.1f} s after the delete, of a grace of 30 s")
        ok(time.monotonic() - started < 25, "and is gone as soon as it is released")


def memory():
    """Over the plan's memory the watchdog is quicker; over the Pod's, nobody is."""
    hog = "keep = []\nprint('begun', flush=True)\nwhile True: keep.append(b'x' * (1 << 20))"
    with pod_runner() as runner:
        outcome = runner.run(hog, memory_bytes=128 * MIB)
        is_((outcome.end(), outcome.stdout), ("killed memory", b"begun\n"), "over the plan's memory: killed by the watchdog")
        note(f"peak {outcome.number('memory-peak') >> 20} MiB with a limit of 128")
    with pod_runner() as runner:
        runner.run(hog, memory_bytes=1 << 40, leave_at_bytes=1 << 30, timeout=60)
        end = runner.pod.terminated()
        is_((end["reason"], end["exitCode"] in (128, 137)), ("OOMKilled", True),
            f"over the Pod's memory: OOMKilled ({end['exitCode']})")


def without_gvisor():
    pod = Pod(runtime_class="runc", wait=False)
    end = pod.terminated()
    is_(end["exitCode"], 78, "under runc the runner exits with 78")
    is_(end.get("message"), "sandboxtask: not isolated: kernel log is not gVisor's", "with the fixed termination message")
    is_(pod.log(), "sandboxtask: not isolated: kernel log is not gVisor's\n", "and never a HELLO")
    pod.delete(grace=0)


isolation()
broken_attaches()
full_outcome()
two_attaches()
containerd_restarted()
frozen_attach()
deleted_pod()
memory()
without_gvisor()
done_testing()
