#!/usr/bin/env python3
"""Where sandboxes live: in the Pod namespace, or in the task's own, which enforces Pod Security; and under which RuntimeClass:
one without gVisor never gets any code, even where an admin has vouched for it."""

import datetime
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e  # noqa: E402
import kube  # noqa: E402
import sandboxes  # noqa: E402
from tap import is_, like, ok  # noqa: E402

RESTRICTED = {"pod-security.kubernetes.io/enforce": "restricted"}
CREATES = f"{sandboxes.POLICIES}/sandboxtask-controller-creates"
UNVERIFIED_SECONDS = 5


def opt_in(api, namespace):
    """What docs/security.md demands of a namespace that takes the Pods of its own tasks."""
    sandboxes.kubectl("create", "rolebinding", "sandboxtask-pods", f"--namespace={namespace}", "--clusterrole=sandboxtask-pods",
                      f"--serviceaccount={sandboxes.SYSTEM_NAMESPACE}:sandboxtask-controller")
    sandboxes.wait_granted(api, sandboxes.CONTROLLER, "create", "pods", namespace=namespace)


def pods_in_the_tasks_namespace(api, namespace):
    opt_in(api, namespace)
    task = e2e.create(api, namespace, code="import time\ntime.sleep(2)\nprint('done')", sandboxClassName="e2e-own")
    e2e.wait_running(api, task)
    pod = api.get(e2e.pod_path(task, namespace=namespace))
    ok(kube.pod_is_running(pod), "the Pod is in the task's namespace, which enforces restricted")
    owner = pod["metadata"]["ownerReferences"][0]
    is_((owner["uid"], owner["controller"]), (task["metadata"]["uid"], True), "and is owned by the task")
    policies = api.get(f"/apis/networking.k8s.io/v1/namespaces/{namespace}/networkpolicies")["items"]
    closed = [sorted(policy["spec"]["policyTypes"]) for policy in policies]
    is_(closed, [["Egress", "Ingress"]], "its network is closed there, too")
    task = e2e.wait_finished(api, task)
    is_((e2e.end(task), e2e.stream(api, task, "stdout")), ("Completed 0", b"done\n"), "and the result arrives")
    is_(task["status"]["podNamespace"], namespace, "the status says where it was")
    api.wait_gone(e2e.pod_path(task, namespace=namespace))


def a_namespace_that_did_not_opt_in(api, namespace):
    task = e2e.run(api, namespace, sandboxClassName="e2e-own", timeouts={"startSeconds": 5})
    is_(e2e.end(task), "PodRejected", "a namespace that did not opt in gets no Pods")
    like(task["status"]["message"], "forbidden", "and the message has the API server's word")


def vouch_for(api, runtime_class):
    """The admin adds a RuntimeClass to the list in the policy."""
    policy = api.get(CREATES)
    listed = next(variable for variable in policy["spec"]["variables"] if variable["name"] == "runtimeClassNames")
    listed["expression"] = f"['gvisor', '{runtime_class}']"
    api.replace(CREATES, policy)
    sandboxes.wait_policies(api)


def a_class_without_gvisor(api, namespace):
    task = e2e.run(api, namespace, sandboxClassName="e2e-runc", timeouts={"startSeconds": 5})
    is_(e2e.end(task), "PodRejected", "a RuntimeClass that is not on the list is refused")
    like(task["status"]["message"], 'runtimeClassName: "runc" is not listed', "and the message says which list")
    vouch_for(api, "runc")
    task = e2e.run(api, namespace, sandboxClassName="e2e-runc")
    status = task["status"]
    is_(e2e.end(task), "IsolationUnverified", "on the list it gets a Pod, whose runner refuses to live outside gVisor")
    like(status["message"], "not isolated: kernel log is not gVisor's", "the message has the runner's word")
    is_(status.get("startedAt"), None, "the code was never sent")
    is_(e2e.conditions(task)["Isolated"], "False", "and the condition Isolated is False")


def how_quickly(api, namespace):
    """The Pod is watched beside: its container's start against the task's end."""
    task = e2e.create(api, namespace, sandboxClassName="e2e-runc")
    started = None
    for kind, pod in api.watch(sandboxes.pods(sandboxes.PODS_NAMESPACE), fieldSelector=f"metadata.name={e2e.pod_name(task)}"):
        state = (pod["status"].get("containerStatuses") or [{}])[0].get("state", {})
        started = started or (state.get("running") or state.get("terminated") or {}).get("startedAt")
        if kind == "DELETED":
            break
    finished = e2e.wait_finished(api, task)["status"]["finishedAt"]
    seconds = (datetime.datetime.fromisoformat(finished) - datetime.datetime.fromisoformat(started)).total_seconds()
    ok(seconds <= UNVERIFIED_SECONDS, f"it ends within {UNVERIFIED_SECONDS} s of the container's start ({seconds:.0f} s)")


def main():
    api = e2e.start()
    try:
        with e2e.sandbox_class(api, "e2e-own", podNamespace=""), e2e.namespace(api, RESTRICTED) as namespace:
            a_namespace_that_did_not_opt_in(api, namespace)
            pods_in_the_tasks_namespace(api, namespace)
        with e2e.sandbox_class(api, "e2e-runc", runtimeClassName="runc"), e2e.namespace(api) as namespace:
            a_class_without_gvisor(api, namespace)
            how_quickly(api, namespace)
    finally:
        sandboxes.install_controller(api)
    e2e.finish(api)


if __name__ == "__main__":
    main()
