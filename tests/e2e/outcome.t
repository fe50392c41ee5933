#!/usr/bin/env python3
"""What a task's status says of what its program did: streams, exit codes, signals, limits, and specs that can't be run."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e  # noqa: E402
import kube  # noqa: E402
import sandboxes  # noqa: E402
from tap import is_, like, ok, skip  # noqa: E402

KIB, MIB = 1 << 10, 1 << 20

# What it is about, its spec, how it ends, stdout, stderr.
PROGRAMS = [
    ("JSON is read from standard input",
     dict(code="import json, sys\nprint(json.load(sys.stdin)['name'])", stdin='{"name": "中文", "n": [1.0, null]}'),
     "Completed 0", "中文\n".encode(), b""),
    ("standard input that is not given is empty and at its end",
     dict(code="import sys\nprint(repr(sys.stdin.read()))", stdin=None), "Completed 0", b"''\n", b""),
    ("the two streams are apart, and exact",
     dict(code="import sys\nsys.stdout.write('a\\r\\n\\n b')\nsys.stderr.write('\\tc')"), "Completed 0", b"a\r\n\n b", b"\tc"),
    ("bytes that are no UTF-8 arrive as they are",
     dict(code="import sys\nsys.stdout.buffer.write(bytes(range(256)))"), "Completed 0", bytes(range(256)), b""),
    ("a NUL arrives as it is", dict(code="print('a\\0b')"), "Completed 0", b"a\0b\n", b""),
    ("arguments and environment are as given",
     dict(code="import os, sys\nprint(sys.argv[1:], os.environ['A'], os.environ['B'])", args=["-x", "", "two words"],
          env=[{"name": "A", "value": "$HOME"}, {"name": "B"}]), "Completed 0", b"['-x', '', 'two words'] $HOME \n", b""),
    ("exit code 3 is NonZeroExit", dict(code="raise SystemExit(3)"), "NonZeroExit 3", b"", b""),
    ("exit code 124 is no timeout", dict(code="raise SystemExit(124)"), "NonZeroExit 124", b"", b""),
    ("exit code 137 is no lack of memory", dict(code="raise SystemExit(137)"), "NonZeroExit 137", b"", b""),
    ("exit code 139 is no signal", dict(code="raise SystemExit(139)"), "NonZeroExit 139", b"", b""),
    ("SIGSEGV is a signal and no exit code",
     dict(code="import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)"),
     "KilledBySignal SIGSEGV", b"", b""),
    ("abort() is SIGABRT", dict(code="import os\nprint('before', flush=True)\nos.abort()"),
     "KilledBySignal SIGABRT", b"before\n", b""),
    ("a program over its time is killed, and its output so far is kept",
     dict(code="import time\nprint('begun')\ntime.sleep(60)", timeouts={"runSeconds": 1}), "RunTimeout SIGKILL", b"begun\n", b""),
    ("a program over its memory is killed, and its output so far is kept",
     dict(code="print('begun')\nkeep = [bytearray(1 << 20) for _ in range(4096)]", resources={"memory": "64Mi"}),
     "OutOfMemory SIGKILL", b"begun\n", b""),
    ("more output than allowed ends the program, where the task wants that",
     dict(code="while True: print('x' * 99)", output={"stdoutBytes": 100, "onOverflow": "Fail"}),
     "OutputLimitExceeded SIGKILL", None, b""),
]

# Bytes that are written, the limit, and what the status says: bytes inline, SandboxOutputs, bytes kept, bytes omitted.
SIZES = [
    ("64 KiB are inline, whole", 64 * KIB, MIB, (64 * KIB, 0, 64 * KIB, 0)),
    ("one byte more is inline in part, and whole in a SandboxOutput", 64 * KIB + 1, MIB, (64 * KIB, 1, 64 * KIB + 1, 0)),
    ("1 MiB arrives whole in SandboxOutputs", MIB, MIB, (64 * KIB, 2, MIB, 0)),
    ("one byte over the limit is cut, which the status says", MIB + 1, MIB, (64 * KIB, 2, MIB, 1)),
    ("with a small limit nothing but head and tail is kept", 10 * KIB, KIB, (KIB, 0, KIB, 9 * KIB)),
]

# Specs that the schema lets pass, the reason, and the field, the limit and the cure that the message has to name.
BAD_SPECS = [
    ("a language that the class has no runtime for", dict(language="cobol"),
     "LanguageNotSupported", r"default has no runtime for cobol; it has: python"),
    ("a runtime that the class has not", dict(runtime="python-2"),
     "LanguageNotSupported", r"default has no runtime named python-2; it has: python"),
    ("a runtime of another language", dict(language="cobol", runtime="python"),
     "InvalidSpec", r"spec\.language is cobol.*leave one of them out"),
    ("more memory than the class allows", dict(resources={"memory": "512Gi"}),
     "LimitAboveMaximum", r"spec\.resources\.memory is 512Gi.*at most 1Gi"),
    ("more time than the class allows", dict(timeouts={"runSeconds": 86400}),
     "LimitAboveMaximum", r"spec\.timeouts\.runSeconds is 86400.*at most 600"),
    ("a class that is not there", dict(sandboxClassName="no-such-class", timeouts={"startSeconds": 1}),
     "ClassNotFound", r"spec\.sandboxClassName"),
    ("a class for other namespaces", dict(sandboxClassName="e2e-others"),
     "ClassNotAllowed", r"labels of namespace .* don't match the namespaceSelector of SandboxClass e2e-others"),
    ("all in all more than an object can hold",
     dict(code="print()", stdin="\x01" * 200_000), "InputTooLarge", r"when stored as JSON.*at most 786432"),
]


def pattern(length):
    """Bytes of which none is where another could be."""
    return "".join(f"{number:07d}\n" for number in range(length // 8 + 1))[:length].encode()


def programs(api, namespace):
    tasks = e2e.run_all(api, namespace, [spec for _, spec, *_ in PROGRAMS], at_once=6)
    for task, (rule, _, end, stdout, stderr) in zip(tasks, PROGRAMS, strict=True):
        is_(e2e.end(task), end, rule)
        if stdout is not None:
            is_(e2e.stream(api, task, "stdout"), stdout, "and this is its standard output")
        is_(e2e.stream(api, task, "stderr"), stderr, "and this is its standard error")


def sizes(api, namespace):
    code = "import sys\nsys.stdout.write(''.join(f'{n:07d}\\n' for n in range(int(sys.argv[1]) // 8 + 1))[:int(sys.argv[1])])"
    specs = [dict(code=code, args=[str(written)], output={"stdoutBytes": limit}) for _, written, limit, _ in SIZES]
    for task, (rule, written, _, wanted) in zip(e2e.run_all(api, namespace, specs, at_once=3), SIZES, strict=True):
        found, kept = task["status"]["stdout"], e2e.stream(api, task, "stdout")
        is_((len(e2e.inline(found)), len(found.get("refs", [])), len(kept), found["omittedBytes"]), wanted, rule)
        shown = len(e2e.inline(found))
        is_(found.get("headBytes"), None if shown == written else shown - shown // 4, "it says where the middle is left out")
        is_((found["bytes"], found["truncated"]), (written, wanted[3] > 0), "it says how many bytes there were")
        head = wanted[2] - wanted[2] // 4 if wanted[3] else written
        whole = pattern(written)
        ok(kept == whole[:head] + whole[written - (wanted[2] - head):], "and what was kept is head and tail to the byte")
        is_(e2e.conditions(task)["OutputComplete"], "False" if wanted[3] else "True", "and so does the condition OutputComplete")


def success(api, namespace):
    task = e2e.run(api, namespace, code="print(6 * 7)")
    status = task["status"]
    is_(e2e.conditions(task), {"Finished": "True", "Succeeded": "True", "Isolated": "True", "OutputComplete": "True",
                               "Reconciling": "False", "Stalled": "False"}, "the conditions of a success")
    is_((status["category"], status["retryable"], status["attempt"]), ("Success", False, 1), "category, retryable, attempt")
    isolation = status["isolation"]
    is_((isolation["runtime"], isolation["network"]["access"], isolation["network"]["proof"]), ("gVisor", "None", "NetNamespace"),
        "the isolation that was verified: gVisor, and no network")
    is_([layer for layer in isolation["layers"] if layer["state"] != "Held"], [], f"all {len(isolation['layers'])} layers held")
    is_((status["podNamespace"], status["podName"]), (sandboxes.PODS_NAMESPACE, e2e.pod_name(task)), "where it ran")
    api.wait_gone(e2e.pod_path(task))
    ok(True, "and that Pod is gone")


def bad_specs(api, namespace):
    specs = [spec for _, spec, *_ in BAD_SPECS]
    for task, (rule, _, reason, message) in zip(e2e.run_all(api, namespace, specs, at_once=4), BAD_SPECS, strict=True):
        status = task["status"]
        is_(e2e.end(task), reason, f"{rule}: {reason}")
        like(status["message"], message, "the message names the field and the cure")
        is_((status.get("podName"), status.get("startedAt")), (None, None), "and no Pod was made")


def nothing_of_others(api, audit):
    """What the controller asked of the API server while all of this ran."""
    asked = [event for event in audit.events_until(api.request("GET", "/version"))
             if event["user"]["username"] == sandboxes.CONTROLLER and "objectRef" in event]
    resources = {event["objectRef"]["resource"] for event in asked}
    ok({"sandboxtasks", "pods"} <= resources, f"the audit log has what the controller asked for: {', '.join(sorted(resources))}")
    is_(sorted(resources & {"secrets", "configmaps", "serviceaccounts", "nodes"}), [], "no Secret, no ConfigMap was among it")
    refused = {(event["verb"], event["objectRef"]["resource"]) for event in asked if event["responseStatus"]["code"] == 403}
    is_(refused, set(), "and nothing that it may not")


def main():
    api = e2e.start()
    audit = kube.AuditLog() if kube.IS_LOCAL else None
    with e2e.namespace(api) as namespace, e2e.sandbox_class(api, "e2e-others", namespaceSelector={"matchLabels": {"team": "b"}}):
        success(api, namespace)
        programs(api, namespace)
        sizes(api, namespace)
        bad_specs(api, namespace)
    if audit:
        nothing_of_others(api, audit)
    else:
        skip("a foreign cluster's audit log is out of reach", "no Secret, no ConfigMap is read or written")
    e2e.finish(api)


if __name__ == "__main__":
    main()
