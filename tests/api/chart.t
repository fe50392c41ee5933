#!/usr/bin/env python3
"""Installing, upgrading and removing by Helm: the commands of docs/operations.md and of the notes; then back for the others."""

import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e  # noqa: E402
import kube  # noqa: E402
import sandboxes  # noqa: E402
from sandboxes import PODS_NAMESPACE, SYSTEM_NAMESPACE  # noqa: E402
from tap import done_testing, is_, like, ok, skip  # noqa: E402

MANIFESTS = str(kube.CHECKOUT / "manifests")
RELEASE = ["sandboxtask", str(kube.CHECKOUT / "charts/sandboxtask"), f"--namespace={SYSTEM_NAMESPACE}"]
# What the chart or the controller makes in the namespace of the release.
CONTROLLERS_KINDS = ",".join(["deployments", "poddisruptionbudgets", "services", "networkpolicies", "serviceaccounts", "roles",
                             "rolebindings", "leases", "pods", "secrets"])


def helm(sentence, *arguments):
    """Runs helm, which has to succeed; what it printed."""
    done = kube.helm(*arguments)
    is_((done.returncode, re.findall(r"^(?:Error|W\d{4}).*", done.stderr, re.MULTILINE)), (0, []), sentence)
    return done.stdout


def uninstall(sentence):
    helm(sentence, "uninstall", "sandboxtask", f"--namespace={SYSTEM_NAMESPACE}", "--wait", "--timeout=120s")


def rolled_out():
    sandboxes.kubectl("rollout", "status", "deployment/sandboxtask-controller", f"--namespace={SYSTEM_NAMESPACE}",
                      "--timeout=120s")


def empty_the_cluster(api):
    sandboxes.kubectl("delete", "-k", MANIFESTS, "--ignore-not-found", "--timeout=60s")
    is_(sandboxes.installed(api), [], "without sandboxtask in the cluster")


def it_takes_over_from_kubectl_when_told_to(api):
    refused = kube.helm("install", *RELEASE)
    like(refused.stderr, "cannot be imported into the current release", "what kubectl installed is not touched unasked")
    helm("helm install --take-ownership goes on from what kubectl installed", "install", *RELEASE, "--take-ownership")
    rolled_out()
    sandboxes.wait_policies(api)
    with e2e.namespace(api) as namespace:
        is_(e2e.end(e2e.run(api, namespace)), "Completed 0", "and its controller runs a task")
    uninstall("helm uninstall removes it, whoever made it")


def commands_of(notes):
    """What the notes tell to type, line by line."""
    return re.findall(r"^  .*?: ((?:kubectl|echo) .*)$", notes, re.MULTILINE)


def typed(command):
    programs = pathlib.Path(kube.program("kubectl")).parent
    environment = os.environ | {"KUBECONFIG": kube.kubeconfig(), "PATH": f"{programs}:{os.environ['PATH']}", "NO_PROXY": "*"}
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, env=environment)


def it_installs_on_an_empty_cluster(api):
    notes = helm("helm install brings everything", "install", *RELEASE, "--create-namespace")
    commands = commands_of(notes)
    is_([command.split()[1] for command in commands], ["label", "rollout", "'{\"apiVersion\":", "wait"],
        "its notes say what is next")
    for command in commands:
        done = typed(command)
        is_((done.returncode, done.stderr), (0, ""), f"which works: {command[:60]}...")
    proof = f"{sandboxes.tasks('default')}/proof"
    is_(e2e.stream(api, api.get(proof), "stdout"), b"42\n", "and ends with the result of a task")
    api.delete(proof)
    difference = typed(f"kubectl diff -k {MANIFESTS}")
    is_((difference.returncode, difference.stdout), (0, ""), "kubectl finds no difference between the cluster and manifests/")


def an_upgrade_is_no_matter_to_a_task(api):
    with e2e.namespace(api) as namespace:
        task = e2e.wait_running(api, e2e.create(api, namespace, code="import time; time.sleep(20); print('there still')"))
        kinds = typed(f"kubectl apply --server-side --force-conflicts -k {kube.CHECKOUT}/crd")
        is_((kinds.returncode, kinds.stderr), (0, ""), "the kinds are upgraded first, by kubectl")
        notes = helm("helm upgrade with other values", "upgrade", *RELEASE, "--set=settings.maxTasks=7", "--set=replicas=1",
                     "--set=runtimeClass.others={runsc-kvm}", "--set=sandboxClass.spec.holdSeconds=600")
        is_([command.split()[1] for command in commands_of(notes)], ["rollout", "'{\"apiVersion\":", "wait"],
            "its notes no longer ask for the labels that are there")
        rolled_out()
        deployment = api.get(e2e.DEPLOYMENT)["spec"]
        is_((deployment["replicas"], deployment["template"]["spec"]["containers"][0]["args"]), (1, ["--max-tasks=7"]),
            "the controller is another one, with the new setting")
        budget = f"/apis/policy/v1/namespaces/{SYSTEM_NAMESPACE}/poddisruptionbudgets/sandboxtask-controller"
        is_(api.find(budget), None, "a budget that would hold up drains is gone")
        policy = api.get(f"{sandboxes.POLICIES}/sandboxtask-controller-creates")["spec"]
        is_(policy["variables"][0]["expression"], "['gvisor', 'runsc-kvm']", "the policy lists another RuntimeClass")
        is_(api.get(f"{sandboxes.CLASSES}/default")["spec"]["holdSeconds"], 600, "the class has changed")
        task = e2e.wait_finished(api, task)
        is_((e2e.end(task), task["status"]["attempt"], e2e.stream(api, task, "stdout")), ("Completed 0", 1, b"there still\n"),
            "and the task that ran meanwhile was not run again, nor lost")
        is_(e2e.end(e2e.run(api, namespace)), "Completed 0", "the next one runs, too")
    before = api.get(e2e.DEPLOYMENT)["metadata"]["generation"]
    helm("the same upgrade again", "upgrade", *RELEASE, "--reuse-values")
    is_(api.get(e2e.DEPLOYMENT)["metadata"]["generation"], before, "changes nothing")


def a_task_whose_sandbox_was_removed_is_interrupted(api):
    with e2e.namespace(api) as namespace:
        task = e2e.wait_running(api, e2e.create(api, namespace, code="import time; time.sleep(600)"))
        uninstall("helm uninstall while a task runs")
        api.wait_gone(f"/api/v1/namespaces/{PODS_NAMESPACE}")
        helm("helm install again", "install", *RELEASE)
        task = e2e.wait_finished(api, task)
        is_((e2e.end(task), task["status"]["attempt"]), ("Interrupted", 1), "the task says so then, and is not run again")


def what_is_left_is_the_kinds_and_the_tasks(api):
    with e2e.namespace(api) as namespace:
        task = e2e.run(api, namespace)
        uninstall("helm uninstall removes what it installed")
        kinds = sorted(f"{sandboxes.CRDS}/{kind}.sandboxtask.io" for kind in ("sandboxtasks", "sandboxclasses", "sandboxoutputs"))
        is_(sandboxes.installed(api), sorted([*kinds, f"/api/v1/namespaces/{SYSTEM_NAMESPACE}"]),
            "but the kinds and the namespace of the release")
        left = sandboxes.kubectl("get", CONTROLLERS_KINDS, f"--namespace={SYSTEM_NAMESPACE}", "--output=name")
        is_(left.split(), ["serviceaccount/default", "lease.coordination.k8s.io/sandboxtask-controller"],
            "in which there is nothing of it but the Lease")
        api.wait_gone(f"/api/v1/namespaces/{PODS_NAMESPACE}")
        is_(api.get(e2e.path_of(task))["status"], task["status"], "a task keeps its outcome")
        api.delete(e2e.path_of(task))
        ok(api.find(e2e.path_of(task)) is None, "and can be deleted while no controller is there")


def main():
    if not kube.program("helm"):
        skip("there is no helm", "installing by Helm")
        done_testing()
    api = kube.connect()
    kube.image("controller")
    kube.image("runner-python")
    sandboxes.install(api)
    try:
        it_takes_over_from_kubectl_when_told_to(api)
        empty_the_cluster(api)
        it_installs_on_an_empty_cluster(api)
        an_upgrade_is_no_matter_to_a_task(api)
        a_task_whose_sandbox_was_removed_is_interrupted(api)
        what_is_left_is_the_kinds_and_the_tasks(api)
    finally:
        kube.helm("uninstall", "sandboxtask", f"--namespace={SYSTEM_NAMESPACE}", "--ignore-not-found", "--wait", "--timeout=120s")
        sandboxes.install(api)
    done_testing()


if __name__ == "__main__":
    main()
