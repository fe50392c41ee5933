#!/usr/bin/env python3
"""Somebody forges or changes the Pods of tasks, or what is around them: with our admission policies, where the refusal is seen,
and without them, where the controller has to notice. Nothing runs unverified, nothing runs twice, and the status tells no lie."""

import contextlib
import pathlib
import struct
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e  # noqa: E402
import kube  # noqa: E402
import sandboxes  # noqa: E402
import wire  # noqa: E402
from sandboxes import PODS_NAMESPACE  # noqa: E402
from tap import is_, like, ok  # noqa: E402

LATE_CLASS = "e2e-late"
LONG = "import time\nprint('begun')\ntime.sleep(5)\nprint('done')"
MUTATING = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies"
MUTATING_BINDINGS = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings"
MANAGED_BY = "app.kubernetes.io~1managed-by"
DEFAULT_DENY = f"/apis/networking.k8s.io/v1/namespaces/{PODS_NAMESPACE}/networkpolicies/sandboxtask-default-deny"
HUGE_SESSION = 1 << 63


@contextlib.contextmanager
def without(api, *policies):
    """These admission policies bind nobody, until the end of the block."""
    for policy in policies:
        api.delete(f"{sandboxes.POLICY_BINDINGS}/{policy}")
    sandboxes.wait_policies(api)
    try:
        yield
    finally:
        sandboxes.install_controller(api)


def refused(api, method, path, body, policy_says, rule):
    answer = api.request(method, path, body)
    is_(answer.status, 403, rule)
    like(answer.message, policy_says, "and the refusal says why")


def waiting_task(api, namespace, **spec):
    """A task whose class is not there yet: it has a UID, but no Pod, until the class comes."""
    return e2e.create(api, namespace, sandboxClassName=LATE_CLASS, **spec)


# --- A Pod that was there first.


def stranger(task):
    """A Pod with the name of the task's first, and nothing else of it."""
    pod = sandboxes.pod(task["metadata"]["uid"].replace("-", ""), image=kube.image("test-tools"))
    pod["metadata"] = {"name": pod["metadata"]["name"]}
    return pod


def fake_runner(task, original):
    """The Pod that the task will get, made from that of a task like it, with a shell for a runner."""
    uid, metadata = task["metadata"]["uid"], original["metadata"]
    spec = {key: value for key, value in original["spec"].items() if key != "nodeName"}
    fake = spec["containers"][0] | {"image": kube.image("test-tools"), "command": ["sh", "-c", "cat >/tmp/seen"]}
    return {
        "metadata": {"name": e2e.pod_name(task), "labels": metadata["labels"] | {"sandboxtask.io/task-uid": uid},
                     "annotations": metadata["annotations"] | {
                         "sandboxtask.io/task": f"{task['metadata']['namespace']}/{task['metadata']['name']}"}},
        "spec": spec | {"containers": [fake]},
    }


def pods_that_were_there_first(api, namespace):
    pods = sandboxes.pods(PODS_NAMESPACE)
    task = waiting_task(api, namespace)
    refused(api, "POST", pods, stranger(task), "names the Pods of SandboxTasks",
            "with our policies nobody takes a sandbox's name")
    refused(api, "POST", pods, sandboxes.pod(), "mark the Pods of SandboxTasks", "nor a sandbox's labels")
    with e2e.sandbox_class(api, LATE_CLASS):
        is_(e2e.end(e2e.wait_finished(api, task)), "Completed 0", "and the task runs")
    with without(api, "sandboxtask-pods-identity"):
        a_stranger_of_the_name(api, namespace)
        a_fake_runner(api, namespace)


def a_stranger_of_the_name(api, namespace):
    task = waiting_task(api, namespace)
    path = e2e.pod_path(task)
    api.create(sandboxes.pods(PODS_NAMESPACE), stranger(task))
    with e2e.sandbox_class(api, LATE_CLASS):
        task = e2e.wait_finished(api, task)
    is_(e2e.end(task), "PodTampered", "without them: a Pod of the name that is not ours is never used")
    like(task["status"]["message"], "a Pod of its name that is not ours", "the message says so")
    is_(task["status"].get("startedAt"), None, "no code was sent")
    ok(api.find(path), "and it is not ours to delete")
    api.delete(path, {"gracePeriodSeconds": 0})


def a_fake_runner(api, namespace):
    original = e2e.wait_running(api, e2e.create(api, namespace, code=LONG))
    pod = api.get(e2e.pod_path(original))
    e2e.wait_finished(api, original)
    with e2e.stopped(api):
        task = e2e.create(api, namespace, code=LONG)
        api.create(sandboxes.pods(PODS_NAMESPACE), fake_runner(task, pod))
    task = e2e.wait_finished(api, task)
    is_(e2e.end(task), "PodTampered", "a fake runner in a Pod with our labels and the right plan is found out")
    like(task["status"]["message"], r"spec\.containers\[0\]\.image", "the message names the field")
    is_(task["status"].get("startedAt"), None, "no code was sent")
    api.wait_gone(e2e.pod_path(task))


# --- A Pod that is changed on its way, or while the program runs.


@contextlib.contextmanager
def injected_sidecar(api):
    """What a service mesh does to every Pod."""
    sidecar = ('JSONPatch{op: "add", path: "/spec/containers/-", value: Object.spec.containers{name: "mesh", '
               f'image: "{kube.image("test-tools")}", command: ["sleep", "60"], '
               'securityContext: Object.spec.containers.securityContext{allowPrivilegeEscalation: false, '
               'capabilities: Object.spec.containers.securityContext.capabilities{drop: ["ALL"]}}}}')
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    api.create(MUTATING, {"metadata": {"name": "e2e-mesh"}, "spec": {
        "failurePolicy": "Fail", "reinvocationPolicy": "Never",
        "matchConstraints": {"resourceRules": [rule]},
        "matchConditions": [{"name": "ours", "expression": "object.metadata.name.startsWith('sbt-')"}],
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": f"[{sidecar}]"}}]}})
    api.create(MUTATING_BINDINGS, {"metadata": {"name": "e2e-mesh"}, "spec": {"policyName": "e2e-mesh"}})
    sandboxes.wait_policies(api)
    try:
        yield
    finally:
        api.delete(f"{MUTATING_BINDINGS}/e2e-mesh")
        api.delete(f"{MUTATING}/e2e-mesh")
        sandboxes.wait_policies(api)


def a_sidecar(api, namespace):
    with injected_sidecar(api):
        task = e2e.run(api, namespace, timeouts={"startSeconds": 5})
        is_(e2e.end(task), "PodRejected", "with our policies a Pod with an injected sidecar is not made")
        like(task["status"]["message"], "exactly one container", "the message has the policy's word")
        with without(api, "sandboxtask-controller-creates"):
            task = e2e.run(api, namespace)
    is_(e2e.end(task), "PodTampered", "without them it is made, and found out")
    like(task["status"]["message"], r"spec\.containers", "the message names the field")
    is_(task["status"].get("startedAt"), None, "no code was sent")


def a_stripped_label(api, namespace):
    strip = [{"op": "remove", "path": f"/metadata/labels/{MANAGED_BY}"}]
    task = e2e.wait_running(api, e2e.create(api, namespace, code=LONG))
    answer = api.request("PATCH", e2e.pod_path(task), strip, kube.JSON_PATCH)
    is_(answer.status, 403, "with our policies nobody strips a sandbox's label")
    is_(e2e.end(e2e.wait_finished(api, task)), "Completed 0", "and the task goes on")
    with without(api, "sandboxtask-pods-changes"):
        task = e2e.wait_running(api, e2e.create(api, namespace, code=LONG))
        api.patch(e2e.pod_path(task), strip, kube.JSON_PATCH)
        task = e2e.wait_finished(api, task)
    is_(e2e.end(task), "PodTampered", "without them a stripped label ends the run")
    like(task["status"]["message"], r"metadata\.labels", "the message names it")
    api.wait_gone(e2e.pod_path(task))
    ok(True, "and the Pod is deleted, label or no label")


# --- Somebody else attaches.


def attach_frame(task):
    payload = struct.pack("<BB16sI", 1, 1, uuid.UUID(task["metadata"]["uid"]).bytes, 1)
    return b"\n" + wire.encode(wire.Frame(wire.ATTACH, HUGE_SESSION, 0, payload))


def a_foreign_attacher(api, namespace):
    task = e2e.wait_running(api, e2e.create(api, namespace, code=LONG))
    try:
        kube.Attach(api, e2e.pod_path(task))
        ok(False, "with our policies nobody else attaches")
    except kube.ApiError as error:
        is_(error.status, 403, "with our policies nobody else attaches")
    is_(e2e.end(e2e.wait_finished(api, task)), "Completed 0", "and the task goes on")
    with without(api, "sandboxtask-pods-connect"):
        task = e2e.wait_running(api, e2e.create(api, namespace, code=LONG))
        with kube.Attach(api, e2e.pod_path(task)) as stranger:
            stranger.write(attach_frame(task))
            task = e2e.wait_finished(api, task)
    is_(e2e.end(task), "Interrupted", "without them a stranger with a huge session number ends the run")
    like(task["status"]["message"], "[Ss]omebody else attached", "the message says so")
    api.wait_gone(e2e.pod_path(task))


# --- What is around the Pod.


def a_deleted_network_policy(api, namespace):
    uid = api.get(DEFAULT_DENY)["metadata"]["uid"]
    api.delete(DEFAULT_DENY)
    task = e2e.run(api, namespace)
    is_(e2e.end(task), "Completed 0", "a deleted NetworkPolicy does not hold up tasks")
    closed = api.wait(DEFAULT_DENY, lambda found: found is not None, "the policy is back")
    ok(closed["metadata"]["uid"] != uid, "since the controller makes it again")
    is_(sorted(closed["spec"]["policyTypes"]), ["Egress", "Ingress"], "with both directions closed")


def made_again_under_its_name(api, namespace):
    old = e2e.wait_running(api, e2e.create(api, namespace, name="again", code=LONG))
    api.delete(e2e.path_of(old))
    new = e2e.create(api, namespace, name="again", code="print('second')")
    task = e2e.wait_finished(api, new)
    is_((e2e.end(task), e2e.stream(api, task, "stdout")), ("Completed 0", b"second\n"),
        "a task made again under its name in mid-run has its own outcome")
    is_(task["status"]["podName"], e2e.pod_name(new), "of its own Pod")
    api.wait_gone(e2e.pod_path(old))
    ok(True, "the Pod of the first one is deleted")
    is_(api.get(e2e.path_of(new))["status"], task["status"], "and nothing of the first one gets into its status")


def orphaned(api, namespace):
    task = e2e.wait_running(api, e2e.create(api, namespace, code=LONG))
    api.delete(e2e.path_of(task), {"propagationPolicy": "Orphan"})
    api.wait_gone(e2e.path_of(task))
    api.wait_gone(e2e.pod_path(task))
    ok(True, "delete --cascade=orphan leaves no Pod behind")


def main():
    api = e2e.start()
    with e2e.namespace(api) as namespace:
        pods_that_were_there_first(api, namespace)
        a_sidecar(api, namespace)
        a_stripped_label(api, namespace)
        a_foreign_attacher(api, namespace)
        a_deleted_network_policy(api, namespace)
        made_again_under_its_name(api, namespace)
        orphaned(api, namespace)
    e2e.finish(api)


if __name__ == "__main__":
    main()
