#!/usr/bin/env python3
"""What the API server accepts and refuses of our kinds, and that a refusal names the field."""

import base64
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import kube  # noqa: E402
import sandboxes  # noqa: E402
from sandboxes import merged, output, sandbox_class, task  # noqa: E402
from tap import done_testing, is_, like, note, ok  # noqa: E402

KIB = 1024
ACCEPTED = None

# Each row: a sentence, a merge patch to the spec of a valid task, and ACCEPTED or what the refusal must say.
TASKS = [
    # The code.
    ("a task needs code", {"code": None}, r"spec\.code: Required"),
    ("empty code is refused", {"code": ""}, r"spec\.code.*at least 1"),
    ("code of 262144 ASCII characters is accepted", {"code": "x" * 262144}, ACCEPTED),
    ("code of 262145 ASCII characters is refused", {"code": "x" * 262145}, r"spec\.code: Too long.*262144"),
    ("code of 262144 bytes in 131072 characters is accepted", {"code": "é" * 131072}, ACCEPTED),
    ("code of more bytes than 262144 in fewer characters is refused", {"code": "é" * 131073},
     r"spec\.code:.*262144 bytes.*stdin"),
    ("code of 1.5 MB of Chinese is refused", {"code": "中" * 262144}, r"spec\.code:.*262144 bytes"),
    ("U+0000 in code is refused", {"code": "print(1)\0import os"}, r"spec\.code:.*U\+0000"),
    ("other control characters in code are accepted", {"code": "print('\x01\x1b\t\x7f')"}, ACCEPTED),
    ("code is text", {"code": 7}, r"spec\.code.*must be of type string"),
    # Class, language, runtime.
    ("a class of 63 characters is accepted", {"sandboxClassName": "c" * 63}, ACCEPTED),
    ("a class of 64 characters is refused", {"sandboxClassName": "c" * 64}, r"spec\.sandboxClassName: Too long.*63"),
    ("a class of no characters is refused", {"sandboxClassName": ""}, r"spec\.sandboxClassName.*at least 1"),
    ("a class that no object could be named is refused", {"sandboxClassName": "Big_One"}, r"spec\.sandboxClassName:.*lower case"),
    ("a class with a dot is accepted", {"sandboxClassName": "team.big-one"}, ACCEPTED),
    ("c++ is a language", {"language": "c++"}, ACCEPTED),
    ("a language in upper case is refused", {"language": "Python"}, r"spec\.language:.*lower case"),
    ("a language of 33 characters is refused", {"language": "l" * 33}, r"spec\.language: Too long.*32"),
    ("a language of no characters is refused", {"language": ""}, r"spec\.language.*at least 1"),
    ("language and runtime together are accepted", {"language": "python", "runtime": "python-science"}, ACCEPTED),
    ("a runtime with a dot is refused", {"runtime": "python.science"}, r"spec\.runtime:.*name of a runtime"),
    ("a runtime of 64 characters is refused", {"runtime": "r" * 64}, r"spec\.runtime: Too long.*63"),
    ("a runtime of no characters is refused", {"runtime": ""}, r"spec\.runtime.*at least 1"),
    # Arguments.
    ("64 arguments are accepted", {"args": ["a"] * 64}, ACCEPTED),
    ("65 arguments are refused", {"args": ["a"] * 65}, r"spec\.args: Too many: 65: must have at most 64"),
    ("an empty argument is accepted", {"args": [""]}, ACCEPTED),
    ("an argument of 4096 bytes is accepted", {"args": ["é" * 2048]}, ACCEPTED),
    ("an argument of 4098 bytes in 2049 characters is refused", {"args": ["a", "é" * 2049]}, r"spec\.args\[1\]:.*4096 bytes"),
    ("an argument of 4097 characters is refused", {"args": ["x" * 4097]}, r"spec\.args\[0\]: Too long.*4096"),
    ("U+0000 in an argument is refused", {"args": ["a\0b"]}, r"spec\.args\[0\]:.*U\+0000"),
    ("arguments that look like a shell's are accepted", {"args": ["$(id)", "; rm -rf /", "--"]}, ACCEPTED),
    # Environment.
    ("64 variables are accepted", {"env": [{"name": f"V{n}", "value": ""} for n in range(64)]}, ACCEPTED),
    ("65 variables are refused", {"env": [{"name": f"V{n}"} for n in range(65)]},
     r"spec\.env: Too many: 65: must have at most 64"),
    ("a variable twice is refused", {"env": [{"name": "A"}, {"name": "A"}]}, r"spec\.env\[1\]: Duplicate"),
    ("a variable without a name is refused", {"env": [{"value": "x"}]}, r"spec\.env\[0\]\.name: Required"),
    ("a variable of no characters is refused", {"env": [{"name": ""}]}, r"spec\.env\[0\]\.name.*at least 1"),
    ("a name that starts with a digit is refused", {"env": [{"name": "1A"}]}, r"spec\.env\[0\]\.name:.*no digit"),
    ("a name with = is refused", {"env": [{"name": "A=B"}]}, r"spec\.env\[0\]\.name:.*letters, digits"),
    ("a name with a line break at its end is refused", {"env": [{"name": "A\n"}]}, r"spec\.env\[0\]\.name:.*letters, digits"),
    ("a name of 256 characters is accepted", {"env": [{"name": "N" * 256}]}, ACCEPTED),
    ("a name of 257 characters is refused", {"env": [{"name": "N" * 257}]}, r"spec\.env\[0\]\.name: Too long.*256"),
    ("a value of 32768 bytes is accepted", {"env": [{"name": "A", "value": "é" * 16384}]}, ACCEPTED),
    ("a value of 32770 bytes is refused", {"env": [{"name": "A", "value": "é" * 16385}]}, r"spec\.env\[0\]\.value:.*32768 bytes"),
    ("a value of 32769 characters is refused", {"env": [{"name": "A", "value": "x" * 32769}]},
     r"spec\.env\[0\]\.value: Too long"),
    ("U+0000 in a value is refused", {"env": [{"name": "A", "value": "\0"}]}, r"spec\.env\[0\]\.value:.*U\+0000"),
    ("a value from a Secret does not exist", {"env": [{"name": "A", "valueFrom": {}}]},
     r'unknown field "spec\.env\[0\]\.valueFrom"'),
    # Standard input, and all inputs together.
    ("stdin of 524288 bytes is accepted", {"stdin": "é" * 262144}, ACCEPTED),
    ("stdin of 524290 bytes is refused", {"stdin": "é" * 262145}, r"spec\.stdin:.*524288 bytes"),
    ("stdin of 524289 characters is refused", {"stdin": "x" * 524289}, r"spec\.stdin: Too long.*524288"),
    ("U+0000 in stdin is accepted, since it is only data", {"stdin": "a\0b"}, ACCEPTED),
    ("inputs of 786432 bytes together are accepted", {"code": "x" * 262144, "stdin": "y" * 524288}, ACCEPTED),
    ("inputs of 786433 bytes together are refused", {"code": "x" * 262144, "stdin": "y" * 524288, "args": ["z"]},
     r"spec:.*786432 bytes"),
    ("64 variables of 32 KiB are too much together", {"env": [{"name": f"V{n}", "value": "x" * 32768} for n in range(64)]},
     r"786432 bytes|too large"),
    # Resources.
    ("cpu as a number is accepted", {"resources": {"cpu": 1}}, ACCEPTED),
    ("cpu as a fraction in text is accepted", {"resources": {"cpu": "0.5"}}, ACCEPTED),
    ("cpu as a bare fraction is refused", {"resources": {"cpu": 0.5}}, r"spec\.resources\.cpu"),
    ("cpu of 10m is accepted", {"resources": {"cpu": "10m"}}, ACCEPTED),
    ("cpu of 9m is refused", {"resources": {"cpu": "9m"}}, r"spec\.resources\.cpu:.*10m to 1024"),
    ("cpu of 1024 is accepted", {"resources": {"cpu": 1024}}, ACCEPTED),
    ("cpu of 1025 is refused", {"resources": {"cpu": 1025}}, r"spec\.resources\.cpu:.*10m to 1024"),
    ("a negative cpu is refused", {"resources": {"cpu": "-1"}}, r"spec\.resources\.cpu:.*10m to 1024"),
    ("cpu that is no quantity is refused", {"resources": {"cpu": "two"}}, r"spec\.resources\.cpu:.*quantity"),
    ("memory of 16Mi is accepted", {"resources": {"memory": "16Mi"}}, ACCEPTED),
    ("memory of 16777215 bytes is refused", {"resources": {"memory": 16777215}}, r"spec\.resources\.memory:.*16Mi to 1Ti"),
    ("memory in m, the thousandth, is refused and explained", {"resources": {"memory": "512m"}},
     r"spec\.resources\.memory:.*Mi is"),
    ("memory of 1Ti is accepted", {"resources": {"memory": "1Ti"}}, ACCEPTED),
    ("memory above 1Ti is refused", {"resources": {"memory": "1025Gi"}}, r"spec\.resources\.memory:.*16Mi to 1Ti"),
    ("memory of 1.5Gi is accepted", {"resources": {"memory": "1.5Gi"}}, ACCEPTED),
    ("memory that is no quantity is refused", {"resources": {"memory": "256 MB"}}, r"spec\.resources\.memory:.*quantity"),
    ("tmp of all the memory is accepted", {"resources": {"memory": "64Mi", "tmp": "64Mi"}}, ACCEPTED),
    ("tmp above memory is refused", {"resources": {"memory": "64Mi", "tmp": "65Mi"}}, r"spec\.resources\.tmp:.*part of memory"),
    ("tmp of 0, which would mean no limit, is refused", {"resources": {"tmp": 0}}, r"spec\.resources\.tmp:.*1Mi to 1Ti"),
    ("a quantity of 33 characters is refused", {"resources": {"cpu": "0." + "0" * 30 + "1"}}, r"spec\.resources\.cpu.*32"),
    ("memory in 33 characters is refused", {"resources": {"memory": "256Mi".zfill(33)}}, r"spec\.resources\.memory.*32"),
    ("tmp in 33 characters is refused", {"resources": {"tmp": "64Mi".zfill(33)}}, r"spec\.resources\.tmp.*32"),
    # Time and output.
    ("runSeconds of 1 and of 86400 are accepted", {"timeouts": {"startSeconds": 1, "runSeconds": 86400}}, ACCEPTED),
    ("runSeconds of 0 is refused", {"timeouts": {"runSeconds": 0}}, r"spec\.timeouts\.runSeconds.*greater than or equal to 1"),
    ("runSeconds of 86401 is refused", {"timeouts": {"runSeconds": 86401}},
     r"spec\.timeouts\.runSeconds.*less than or equal to 86400"),
    ("startSeconds of 86401 is refused", {"timeouts": {"startSeconds": 86401}}, r"spec\.timeouts\.startSeconds.*86400"),
    ("startSeconds of 0 is refused", {"timeouts": {"startSeconds": 0}},
     r"spec\.timeouts\.startSeconds.*greater than or equal to 1"),
    ("runSeconds in text is refused", {"timeouts": {"runSeconds": "30s"}},
     r"spec\.timeouts\.runSeconds.*must be of type integer"),
    ("no output at all can be asked for", {"output": {"stdoutBytes": 0, "stderrBytes": 0}}, ACCEPTED),
    ("stdoutBytes of 16 MiB is accepted", {"output": {"stdoutBytes": 16777216}}, ACCEPTED),
    ("stdoutBytes of one more is refused", {"output": {"stdoutBytes": 16777217}}, r"spec\.output\.stdoutBytes.*16777216"),
    ("stderrBytes of one more is refused", {"output": {"stderrBytes": 16777217}}, r"spec\.output\.stderrBytes.*16777216"),
    ("negative stdoutBytes are refused", {"output": {"stdoutBytes": -1}},
     r"spec\.output\.stdoutBytes.*greater than or equal to 0"),
    ("negative stderrBytes are refused", {"output": {"stderrBytes": -1}},
     r"spec\.output\.stderrBytes.*greater than or equal to 0"),
    ("onOverflow Fail is accepted", {"output": {"onOverflow": "Fail"}}, ACCEPTED),
    ("onOverflow of another word is refused", {"output": {"onOverflow": "Drop"}},
     r'spec\.output\.onOverflow.*"Truncate", "Fail"'),
    # Fields that don't exist. Those of later versions are refused, so that nobody believes they work.
    ("an unknown field is refused", {"cod": "x"}, r'unknown field "spec\.cod"'),
    ("a field of a later version is refused", {"dependencies": ["numpy"]}, r'unknown field "spec\.dependencies"'),
    ("an unknown field further down is refused", {"timeouts": {"runMinutes": 1}}, r'unknown field "spec\.timeouts\.runMinutes"'),
    ("env as a map is refused", {"env": {"A": "1"}}, r"spec\.env"),
]

RUNTIME = {"name": "python", "language": "python", "image": "example.com/runner-python:1"}

CLASSES = [
    ("a class needs runtimes", {"runtimes": None}, r"spec\.runtimes: Required"),
    ("a class needs at least one runtime", {"runtimes": []}, r"spec\.runtimes.*at least 1"),
    ("32 runtimes are accepted", {"runtimes": [RUNTIME | {"name": f"r{n}"} for n in range(32)]}, ACCEPTED),
    ("33 runtimes are refused", {"runtimes": [RUNTIME | {"name": f"r{n}"} for n in range(33)]}, r"spec\.runtimes: Too many: 33"),
    ("a runtime twice is refused", {"runtimes": [RUNTIME, RUNTIME]}, r"spec\.runtimes\[1\]: Duplicate"),
    ("a runtime needs an image", {"runtimes": [{"name": "a", "language": "python"}]}, r"spec\.runtimes\[0\]\.image: Required"),
    ("an image with a blank is refused", {"runtimes": [RUNTIME | {"image": "a b"}]},
     r"spec\.runtimes\[0\]\.image:.*image reference"),
    ("an image by digest is accepted", {"runtimes": [RUNTIME | {"image": "example.com:5000/a/b@sha256:" + "0" * 64}]}, ACCEPTED),
    ("a variable of a runtime is checked", {"runtimes": [RUNTIME | {"env": [{"name": "A B"}]}]},
     r"spec\.runtimes\[0\]\.env\[0\]\.name"),
    ("isolation by gVisor is the only one", {"isolation": {"sandbox": "None"}}, r'spec\.isolation\.sandbox.*"GVisor"'),
    ("a demand for a visible memory limit is accepted", {"isolation": {"memoryLimit": "Required"}}, ACCEPTED),
    ("an empty podNamespace is accepted", {"podNamespace": ""}, ACCEPTED),
    ("a podNamespace that can't exist is refused", {"podNamespace": "a.b"}, r"spec\.podNamespace:.*namespace"),
    ("root is refused", {"runAsUser": 0}, r"spec\.runAsUser.*greater than or equal to 1"),
    ("a default above the maximum is refused", {"resources": {"cpu": {"default": "3", "max": "2"}}},
     r"spec\.resources\.cpu\.default:.*above cpu\.max"),
    ("a default at the maximum is accepted", {"resources": {"cpu": {"default": "2000m", "max": 2}}}, ACCEPTED),
    ("a maximum below the built-in default is refused", {"resources": {"memory": {"max": "128Mi"}}},
     r"spec\.resources\.memory\.default:.*above memory\.max"),
    ("a default memory of 9m is refused", {"resources": {"memory": {"default": "9m"}}},
     r"spec\.resources\.memory\.default:.*16Mi"),
    ("room for files above the memory is refused", {"resources": {"tmp": {"max": "2Gi"}}},
     r"spec\.resources\.tmp\.max:.*memory\.max"),
    ("a default of runSeconds above its maximum is refused", {"timeouts": {"runSeconds": {"default": 61, "max": 60}}},
     r"spec\.timeouts\.runSeconds\.default:.*above runSeconds\.max"),
    ("a default of startSeconds above its maximum is refused", {"timeouts": {"startSeconds": {"max": 60}}},
     r"spec\.timeouts\.startSeconds\.default:.*above startSeconds\.max"),
    ("a default of stdoutBytes above its maximum is refused", {"output": {"stdoutBytes": {"max": 1000}}},
     r"spec\.output\.stdoutBytes\.default:.*above stdoutBytes\.max"),
    ("a maximum of 16 MiB and a byte is refused", {"output": {"stderrBytes": {"max": 16777217}}}, r"stderrBytes\.max.*16777216"),
    ("limits at their least are accepted", {"limits": {"openFiles": 16, "processes": 1, "fileSize": 1, "cpuSeconds": 1,
                                                       "tmpInodes": 64}}, ACCEPTED),
    ("15 open files are refused", {"limits": {"openFiles": 15}}, r"spec\.limits\.openFiles.*16"),
    ("no process at all is refused", {"limits": {"processes": 0}}, r"spec\.limits\.processes.*1"),
    ("files of no bytes are refused", {"limits": {"fileSize": 0}}, r"spec\.limits\.fileSize:.*1 to 1Ti"),
    ("no CPU second at all is refused", {"limits": {"cpuSeconds": 0}}, r"spec\.limits\.cpuSeconds.*1"),
    ("63 inodes are refused", {"limits": {"tmpInodes": 63}}, r"spec\.limits\.tmpInodes.*64"),
    ("an overhead of no memory is refused", {"overhead": {"memory": 0}}, r"spec\.overhead\.memory:.*32Mi to 16Gi"),
    ("an overhead of no CPU is accepted", {"overhead": {"cpu": 0}}, ACCEPTED),
    ("more tasks of a namespace than of the class are refused", {"concurrency": {"maxTasks": 5}},
     r"spec\.concurrency\.maxTasksPerNamespace:.*above maxTasks"),
    ("a hold of 59 seconds is refused", {"holdSeconds": 59}, r"spec\.holdSeconds.*60"),
    ("a selector of namespaces is accepted",
     {"namespaceSelector": {"matchLabels": {"team": "a"}, "matchExpressions": [{"key": "x", "operator": "Exists"}]}}, ACCEPTED),
    ("a selector with In and no values is refused", {"namespaceSelector": {"matchExpressions": [{"key": "x", "operator": "In"}]}},
     r"spec\.namespaceSelector\.matchExpressions\[0\]\.values:.*In and NotIn"),
    ("a label that no namespace could have is refused", {"namespaceSelector": {"matchLabels": {"a b": "c"}}},
     r"spec\.namespaceSelector\.matchLabels:.*qualified name"),
    ("a toleration as in a Pod is accepted",
     {"scheduling": {"tolerations": [{"key": "gvisor", "operator": "Exists", "effect": "NoSchedule"}]}}, ACCEPTED),
    ("a toleration of nothing is refused", {"scheduling": {"tolerations": [{}]}}, r"tolerations\[0\]\.operator:.*Exists"),
    ("the least share of the CPU is accepted", {"scheduling": {"cpuRequestPercent": 1}}, ACCEPTED),
    ("no share of the CPU is refused", {"scheduling": {"cpuRequestPercent": 0}}, r"spec\.scheduling\.cpuRequestPercent.*1"),
    ("more than all of the CPU is refused", {"scheduling": {"cpuRequestPercent": 101}},
     r"spec\.scheduling\.cpuRequestPercent.*100"),
    ("a node label that can't exist is refused", {"scheduling": {"nodeSelector": {"disk": "a b"}}},
     r"spec\.scheduling\.nodeSelector:.*label value"),
    ("labels of the admin's own are accepted", {"podMetadata": {"labels": {"cost-center": "42"}}}, ACCEPTED),
    ("our own labels are refused", {"podMetadata": {"labels": {"sandboxtask.io/network": "open"}}},
     r"spec\.podMetadata\.labels:.*sandboxtask's own"),
    ("another managed-by is refused", {"podMetadata": {"labels": {"app.kubernetes.io/managed-by": "me"}}},
     r"spec\.podMetadata\.labels:.*managed-by"),
    ("annotations that configure gVisor are refused", {"podMetadata": {"annotations": {"dev.gvisor.flag.network": "host"}}},
     r"spec\.podMetadata\.annotations:.*dev\.gvisor"),
    ("a pull secret twice is refused", {"imagePullSecrets": [{"name": "a"}, {"name": "a"}]},
     r"spec\.imagePullSecrets\[1\]: Duplicate"),
    ("an unknown field of a class is refused", {"network": "open"}, r'unknown field "spec\.network"'),
]

BIGGEST = 768 * KIB


def base64_of(length):
    return base64.b64encode(b"\xff" * length).decode()


OUTPUTS = [
    ("an output of 768 KiB is accepted", {"bytes": BIGGEST, "data": base64_of(BIGGEST)}, ACCEPTED),
    ("an output of one byte more is refused", {"bytes": BIGGEST + 1, "data": base64_of(BIGGEST + 1)},
     r"data: Too long|bytes.*786432"),
    ("a length that is not that of the data is refused", {"bytes": 4}, r"bytes:.*length of what data holds"),
    ("an empty output is refused", {"bytes": 0, "data": ""}, r"bytes.*greater than or equal to 1"),
    ("data with + and / is accepted", {"data": "+/+/"}, ACCEPTED),
    ("data that is no base64 is refused", {"data": "***a"}, r"data:.*base64"),
    ("data of the other alphabet is refused", {"data": "-_-_"}, r"data:.*standard alphabet"),
    ("data without padding is refused", {"bytes": 1, "data": "YQ"}, r"data:.*padding"),
    ("one byte with padding is accepted", {"bytes": 1, "data": "YQ=="}, ACCEPTED),
    ("two bytes with padding are accepted", {"bytes": 2, "data": "YWI="}, ACCEPTED),
    ("a hash in upper case is refused", {"sha256": "A" * 64}, r"sha256:.*lower case hex"),
    ("a hash of 63 digits is refused", {"sha256": "0" * 63}, r"sha256:.*64 digits"),
    ("an output needs a task", {"task": None}, r"task: Required"),
    ("a task without its UID is refused", {"task": {"uid": None}}, r"task\.uid: Required"),
    ("a stream of a newer controller is accepted", {"stream": "install-log"}, ACCEPTED),
    ("index 1024 is refused", {"index": 1024}, r"index.*1023"),
]


def try_rows(api, path, valid, rows):
    for sentence, patch, refusal in rows:
        # A dry run passes everything but the storage, and leaves nothing behind.
        answer = api.request("POST", path, merged(valid, patch), dryRun="All", fieldValidation="Strict")
        if refusal is ACCEPTED:
            is_((answer.status, answer.message[:300]), (201, ""), sentence)
        else:
            ok(answer.status in (400, 413, 422), f"{sentence} (HTTP {answer.status})")
            like(answer.message, refusal, f"{sentence}: the message names the field")


def names_are_bounded(api):
    longest = api.request("POST", sandboxes.CLASSES, sandbox_class("n" * 63), dryRun="All")
    is_(longest.status, 201, "a class may have a name of 63 characters")
    longer = api.request("POST", sandboxes.CLASSES, sandbox_class("n" * 64), dryRun="All")
    like(longer.message, r"name of a SandboxClass.*63 characters",
         "a class may not have a name of 64 characters, a label's limit")


def unknown_fields_are_dropped_with_a_warning(api, namespace):
    answer = api.request("POST", sandboxes.tasks(namespace), task(cod="x"), dryRun="All")
    is_(answer.status, 201, "an unknown field is no error for a client that does not ask for strictness")
    like(answer.headers.get("Warning", ""), r'unknown field \\"spec.cod\\"', "but it is warned of")
    ok("cod" not in answer.body["spec"], "and dropped")


def the_examples_are_valid():
    examples = re.findall(r"```yaml\n(.*?)```", (kube.CHECKOUT / "docs/api.md").read_text(), re.DOTALL)
    is_(len(examples), 2, "the reference has an example of a task and of a class")
    applied = kube.kubectl("create", "--dry-run=server", "-f", "-", stdin="---\n".join(examples))
    is_((applied.returncode, applied.stderr), (0, ""), "which the API server accepts")


def a_minimal_class_is_complete(api):
    spec = api.create(sandboxes.CLASSES, sandbox_class(), dryRun="All")["spec"]
    is_(spec["runtimeClassName"], "gvisor", "a class that names no RuntimeClass gets gVisor's")
    is_(spec["isolation"], {"sandbox": "GVisor", "memoryLimit": "Optional"}, "and demands gVisor")
    is_(spec["podNamespace"], "sandboxtask-pods", "and keeps its Pods out of the tenants' namespaces")
    is_(spec["resources"], {"cpu": {"default": "1", "max": "2"}, "memory": {"default": "256Mi", "max": "1Gi"},
                            "tmp": {"default": "64Mi", "max": "256Mi"}}, "and has resources")
    is_(spec["timeouts"], {"startSeconds": {"default": 120, "max": 600}, "runSeconds": {"default": 60, "max": 600}},
        "and timeouts")
    is_(spec["output"], {"stdoutBytes": {"default": 1048576, "max": 4194304}, "stderrBytes": {"default": 262144, "max": 1048576}},
        "and limits of output")
    is_(spec["limits"], {"openFiles": 1024, "processes": 128, "tmpInodes": 16384}, "and limits of the system")
    is_(spec["scheduling"], {"cpuRequestPercent": 100}, "and its CPU to itself")
    is_((spec["holdSeconds"], spec["concurrency"]), (3600, {"maxTasks": 100, "maxTasksPerNamespace": 20}), "and all the rest")


# A value for each field of a task's spec, and another one. The schema's own list of fields says whether one is missing here.
EVERY_FIELD = {
    "sandboxClassName": ("default", "other"),
    "language": ("python", "perl"),
    "runtime": ("python", "perl"),
    "code": ("print(1)", "print(2)"),
    "args": (["a", "b"], ["b", "a"]),
    "env": ([{"name": "A", "value": "1"}], [{"name": "A", "value": "2"}]),
    "stdin": ("in", "out"),
    "resources": ({"cpu": 1}, {"cpu": 2}),
    "timeouts": ({"runSeconds": 1}, {"runSeconds": 2}),
    "output": ({"onOverflow": "Fail"}, {"onOverflow": "Truncate"}),
}


def a_spec_never_changes(api, namespace):
    crd = api.get(f"{sandboxes.CRDS}/sandboxtasks.sandboxtask.io")
    spec = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    is_(sorted(spec["properties"]), sorted(EVERY_FIELD), "the next tests know every field of the spec")
    full = api.create(sandboxes.tasks(namespace), task("full", **{name: values[0] for name, values in EVERY_FIELD.items()}))
    api.create(sandboxes.tasks(namespace), task("bare"))
    for name, (_, other) in EVERY_FIELD.items():
        changed = api.request("PATCH", f"{sandboxes.tasks(namespace)}/full", {"spec": {name: other}}, kube.MERGE_PATCH)
        like(changed.message, rf"spec\.{name}:.*can't be changed.*create another task", f"{name} can't be changed")
        if name in ("code", "sandboxClassName"):
            continue  # one is required, the other always there
        removed = api.request("PATCH", f"{sandboxes.tasks(namespace)}/full", {"spec": {name: None}}, kube.MERGE_PATCH)
        like(removed.message, rf"spec\.{name}:.*can't be changed", f"{name} can't be removed")
        added = api.request("PATCH", f"{sandboxes.tasks(namespace)}/bare", {"spec": {name: other}}, kube.MERGE_PATCH)
        like(added.message, rf"spec\.{name}:.*can't be changed", f"{name} can't be added")
    whole = api.request("PATCH", f"{sandboxes.tasks(namespace)}/full", {"spec": None}, kube.MERGE_PATCH)
    like(whole.message, r"spec: Required", "the spec can't be removed")
    labelled = api.patch(f"{sandboxes.tasks(namespace)}/full", {"metadata": {"labels": {"a": "b"}}})
    is_(labelled["spec"], full["spec"], "labels can be added")
    is_(labelled["metadata"]["generation"], 1, "which is no new generation")


def an_output_never_changes(api, namespace):
    path = f"{sandboxes.outputs(namespace)}/output"
    api.create(sandboxes.outputs(namespace), output())
    for field, change in [("task", {"task": {"name": "other"}}), ("stream", {"stream": "stderr"}), ("index", {"index": 1}),
                          ("sha256", {"sha256": "1" * 64}), ("data", {"data": "eHl6"}), ("bytes", {"bytes": 2, "data": "eHk="})]:
        answer = api.request("PATCH", path, change, kube.MERGE_PATCH)
        like(answer.message, rf"{field}:.*can't be changed", f"{field} of an output can't be changed")
    is_(api.get(path, fieldManager="x")["data"], "YWJj", "and it has not")


def a_class_may_change(api):
    with_name = f"schema-{kube.secrets.token_hex(3)}"
    path = f"{sandboxes.CLASSES}/{with_name}"
    api.create(sandboxes.CLASSES, sandbox_class(with_name))
    try:
        changed = api.patch(path, {"spec": {"timeouts": {"runSeconds": {"max": 30, "default": 10}}}})
        is_(changed["metadata"]["generation"], 2, "a class can be changed, and its generation tells")
    finally:
        api.delete(path)


def main():
    api = kube.connect()
    sandboxes.install(api)
    note(f"{len(TASKS) + len(CLASSES) + len(OUTPUTS)} objects")
    with kube.namespace(api, "schema") as namespace:
        is_(api.request("POST", sandboxes.tasks(namespace), task(), dryRun="All").status, 201, "a task of code alone is accepted")
        is_(api.request("POST", sandboxes.CLASSES, sandbox_class(), dryRun="All").status, 201,
            "a class of one runtime is accepted")
        is_(api.request("POST", sandboxes.outputs(namespace), output(), dryRun="All").status, 201, "an output is accepted")
        try_rows(api, sandboxes.tasks(namespace), task(), [(s, {"spec": p}, r) for s, p, r in TASKS])
        try_rows(api, sandboxes.CLASSES, sandbox_class(), [(s, {"spec": p}, r) for s, p, r in CLASSES])
        try_rows(api, sandboxes.outputs(namespace), output(), OUTPUTS)
        names_are_bounded(api)
        unknown_fields_are_dropped_with_a_warning(api, namespace)
        the_examples_are_valid()
        a_minimal_class_is_complete(api)
        a_spec_never_changes(api, namespace)
        an_output_never_changes(api, namespace)
        a_class_may_change(api)
    done_testing()


if __name__ == "__main__":
    main()
