#!/usr/bin/env python3
"""The runner in a real Pod: what only Kubernetes can tell, break or end. The scenarios of the other tests run there too, with
GROUND=pod."""

import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from runner import Pod, Runner
from tap import diag, done_testing, is_, ok

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
        diag(f"the node's log: {len(runner.pod.log())} bytes, for {len(outcome.stdout)} of output, pulled once and a bit")


def frozen_attach():
    """An attacher that stops reading; the runner's deadline is not its."""
    with pod_runner() as runner:
        code = "print('begun', flush=True)\nwhile True: print('x' * 10000)"
        runner.run(code, run_ms=4000, leave_at_bytes=1)
        runner.process.send_signal(signal.SIGSTOP)
        time.sleep(15)
        runner.attach_anew()
        outcome = runner.run(code, session=2 << 20)
        is_(outcome.end(), "killed run-time", "while the attacher slept for 15 s the run came to its deadline")
        ok(4000 <= outcome.number("wall-ms") < 7000, f"in time ({outcome['wall-ms']} ms)")


def deleted_pod():
    with pod_runner() as runner:
        runner.run(LONG, leave_at_bytes=1)
        started = time.monotonic()
        runner.terminate()
        outcome = runner.run(LONG, session=2 << 20, release=1)
        is_((outcome.end(), outcome["partial"], outcome.stdout), ("killed shutdown", "1", b"begun\n"),
            "a Pod that is deleted in mid-run still gives its partial outcome")
        runner.pod.api.wait_gone(runner.pod.path)
        diag(f"gone {time.monotonic() - started:.1f} s after the delete, of a grace of 30 s")
        ok(time.monotonic() - started < 25, "and is gone as soon as it is released")


def memory():
    """Over the plan's memory the watchdog is quicker; over the Pod's, nobody is."""
    hog = "keep = []\nprint('begun', flush=True)\nwhile True: keep.append(b'x' * (1 << 20))"
    with pod_runner() as runner:
        outcome = runner.run(hog, memory_bytes=128 * MIB)
        is_((outcome.end(), outcome.stdout), ("killed memory", b"begun\n"), "over the plan's memory: killed by the watchdog")
        diag(f"peak {outcome.number('memory-peak') >> 20} MiB with a limit of 128")
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
frozen_attach()
deleted_pod()
memory()
without_gvisor()
done_testing()
