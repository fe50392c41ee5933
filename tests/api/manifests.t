#!/usr/bin/env python3
"""Installing and removing by kubectl: the commands of docs/operations.md, twice, and away again; then back for the others."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import kube  # noqa: E402
import sandboxes  # noqa: E402
from sandboxes import PODS_NAMESPACE, SYSTEM_NAMESPACE, pod, task  # noqa: E402
from tap import done_testing, is_, like, ok  # noqa: E402

CONTROLLER_PODS = "app.kubernetes.io/component=controller"
# What has to select the controller's Pods: its path in their namespace, and the field that selects.
SELECTORS = [
    ("PodDisruptionBudget", "/apis/policy/v1/namespaces/{}/poddisruptionbudgets/sandboxtask-controller", "selector"),
    ("Service", "/api/v1/namespaces/{}/services/sandboxtask-controller-metrics", "selector"),
    ("NetworkPolicy", "/apis/networking.k8s.io/v1/namespaces/{}/networkpolicies/sandboxtask-controller", "podSelector"),
]


def remove(api):
    removed = kube.kubectl("delete", "-k", str(kube.CHECKOUT / "manifests"), "--ignore-not-found", "--timeout=60s")
    is_((removed.returncode, removed.stderr), (0, ""), "kubectl delete -k manifests/ removes everything without an error")
    is_(sandboxes.installed(api), [], "and nothing is left")
    is_(api.find(f"/api/v1/namespaces/{PODS_NAMESPACE}"), None, "the Pod namespace is gone")


def install_on_an_empty_cluster():
    """As docs/operations.md says it."""
    applied = sandboxes.kubectl("apply", "-k", str(kube.CHECKOUT / "crd"), "--output=name")
    is_(len(applied.split()), 3, "kubectl apply -k crd/ brings the kinds")
    sandboxes.kubectl("wait", "--for=condition=Established", "--timeout=60s", "crd/sandboxclasses.sandboxtask.io")
    applied = kube.kubectl("apply", "-k", str(kube.CHECKOUT / "manifests"))
    is_((applied.returncode, applied.stderr), (0, ""), "then kubectl apply -k manifests/ brings the rest, without an error")
    ok("sandboxclass.sandboxtask.io/default created" in applied.stdout, "with a class default")


def a_second_time_changes_nothing(api):
    budget = SELECTORS[0][1].format(SYSTEM_NAMESPACE)
    before = api.get(budget)["metadata"]["generation"]
    applied = kube.kubectl("apply", "-k", str(kube.CHECKOUT / "manifests"))
    is_((applied.returncode, applied.stderr), (0, ""), "applied a second time there is no error")
    # kubectl replaces the selector of a budget whole, every time, and calls that a change.
    changed = [line for line in applied.stdout.splitlines() if not line.endswith(" unchanged")]
    is_(changed, ["poddisruptionbudget.policy/sandboxtask-controller configured"], "and no change")
    is_(api.get(budget)["metadata"]["generation"], before, "nor is what kubectl calls one")
    server_side = kube.kubectl("apply", "--server-side", "--force-conflicts", "--dry-run=server", "-k",
                               str(kube.CHECKOUT / "manifests"))
    is_(server_side.returncode, 0, "server-side apply takes them, too")


def what_is_installed_is_whole(api):
    for name in (SYSTEM_NAMESPACE, PODS_NAMESPACE):
        labels = api.get(f"/api/v1/namespaces/{name}")["metadata"]["labels"]
        is_(labels.get("pod-security.kubernetes.io/enforce"), "restricted", f"{name} enforces Pod Security restricted")
    policy = api.get(f"/apis/networking.k8s.io/v1/namespaces/{PODS_NAMESPACE}/networkpolicies/sandboxtask-default-deny")["spec"]
    labels = pod()["metadata"]["labels"]
    ok(policy["podSelector"]["matchLabels"].items() <= labels.items(), "the NetworkPolicy selects the Pods the controller makes")
    is_((sorted(policy["policyTypes"]), policy.get("ingress"), policy.get("egress")), (["Egress", "Ingress"], None, None),
        "and denies them everything, both ways")
    shipped = api.get(f"{sandboxes.CLASSES}/default")["spec"]
    is_(shipped["runtimeClassName"], "gvisor", "the class default has the RuntimeClass that the admission policy lists")
    is_(api.get("/apis/node.k8s.io/v1/runtimeclasses/gvisor")["handler"], "runsc", "which exists")
    is_(shipped["podNamespace"], PODS_NAMESPACE, "the class default keeps its Pods in the Pod namespace")
    bindings = api.get(sandboxes.POLICY_BINDINGS, labelSelector=sandboxes.LABELLED)["items"]
    policies = api.get(sandboxes.POLICIES, labelSelector=sandboxes.LABELLED)["items"]
    is_(sorted((b["spec"]["policyName"], b["spec"]["validationActions"][0]) for b in bindings),
        sorted((p["metadata"]["name"], "Deny") for p in policies), "every policy is bound, and denies")


def the_controller_runs(api):
    """The very Deployment of manifests/, whose images are loaded into the nodes before."""
    done = kube.kubectl("rollout", "status", "deployment/sandboxtask-controller", f"--namespace={SYSTEM_NAMESPACE}",
                        "--timeout=120s")
    is_((done.returncode, done.stderr), (0, ""), "the controller comes up")
    found = api.get(sandboxes.pods(SYSTEM_NAMESPACE), labelSelector=CONTROLLER_PODS)["items"]
    is_([kube.pod_is_running(pod) for pod in found], [True, True], "with two replicas, in a namespace that enforces restricted")
    labels = found[0]["metadata"]["labels"]
    for what, path, selector in SELECTORS:
        spec = api.get(path.format(SYSTEM_NAMESPACE))["spec"]
        chosen = spec[selector].get("matchLabels", spec[selector])
        ok(chosen.items() <= labels.items(), f"the {what} selects the controller's Pods")
    budget = api.wait(SELECTORS[0][1].format(SYSTEM_NAMESPACE),
                      lambda found: found["status"].get("disruptionsAllowed") == 1, "the budget has counted")
    is_(budget["status"]["desiredHealthy"], 1, "of which one may be evicted at a time")
    is_(answers_of_a_replica(api), ["/healthz 200", "/readyz 200", "/metrics 200"], "the port answers for health and metrics")


def answers_of_a_replica(api):
    """What the first of the controller's Pods answers, through the API server."""
    name = api.get(sandboxes.pods(SYSTEM_NAMESPACE), labelSelector=CONTROLLER_PODS)["items"][0]["metadata"]["name"]
    proxy = f"{sandboxes.pods(SYSTEM_NAMESPACE)}/{name}:8080/proxy"
    return [f"{path} {api.request('GET', proxy + path).status}" for path in ("/healthz", "/readyz", "/metrics")]


def tasks_go_with_the_kinds(api):
    """No finalizer of ours may hold up a namespace or the removal."""
    with kube.namespace(api, "manifests") as namespace:
        api.create(sandboxes.tasks(namespace), task("left"))
    api.wait_gone(f"/api/v1/namespaces/{namespace}")
    ok(True, "a namespace with a task in it can be deleted while no controller runs")
    like(api.request("POST", sandboxes.tasks(namespace), task()).message, "not found", "and is gone")


def main():
    api = kube.connect()
    kube.image("controller")
    sandboxes.install(api)
    try:
        tasks_go_with_the_kinds(api)
        remove(api)
        install_on_an_empty_cluster()
        the_controller_runs(api)
        a_second_time_changes_nothing(api)
        what_is_installed_is_whole(api)
    finally:
        sandboxes.install(api)
    done_testing()


if __name__ == "__main__":
    main()
