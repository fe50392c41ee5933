"""The API of sandboxtask for the tests: its installation, valid objects to start from, and the people who send them.

    api = kube.connect()
    sandboxes.install(api)
    api.create(sandboxes.tasks(namespace), sandboxes.task("first", code="print(1)"))
"""

import secrets
import subprocess
import time

import kube

GROUP = "/apis/sandboxtask.io/v1beta1"
CLASSES = f"{GROUP}/sandboxclasses"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
POLICY_BINDINGS = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings"
PODS_NAMESPACE = "sandboxtask-pods"
SYSTEM_NAMESPACE = "sandboxtask-system"
LABELLED = "app.kubernetes.io/name=sandboxtask"
INSTALLED_IN = [
    CRDS, POLICIES, POLICY_BINDINGS, "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", "/api/v1/namespaces", "/apis/node.k8s.io/v1/runtimeclasses",
]
CONTROLLER = f"system:serviceaccount:{SYSTEM_NAMESPACE}:sandboxtask-controller"


def tasks(namespace):
    return f"{GROUP}/namespaces/{namespace}/sandboxtasks"


def outputs(namespace):
    return f"{GROUP}/namespaces/{namespace}/sandboxoutputs"


def pods(namespace):
    return f"/api/v1/namespaces/{namespace}/pods"


def kubectl(*arguments, stdin=None):
    """The output of a kubectl command that has to succeed."""
    result = kube.kubectl(*arguments, stdin=stdin)
    assert result.returncode == 0, f"kubectl {' '.join(arguments)}: {result.stderr}"
    return result.stdout


def wait_until(condition, what):
    deadline = time.monotonic() + kube.WAIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {kube.WAIT_SECONDS} s: {what}")
        time.sleep(kube.POLL_SECONDS)


def wait_policies(api):
    """The API server takes in changed policies a moment later, all together: once it has a new one, it has the rest."""
    name = f"test-{secrets.token_hex(3)}"
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    api.create(POLICIES, {"metadata": {"name": name}, "spec": {
        "matchConstraints": {"resourceRules": [rule]},
        "matchConditions": [{"name": "that-one", "expression": f"object.metadata.name == '{name}'"}],
        "validations": [{"expression": "false"}]}})
    api.create(POLICY_BINDINGS, {"metadata": {"name": name}, "spec": {"policyName": name, "validationActions": ["Deny"]}})
    probe = {"metadata": {"name": name}}
    try:
        wait_until(lambda: name in api.request("POST", "/api/v1/namespaces/default/configmaps", probe, dryRun="All").message,
                   "the API server has the policies")
    finally:
        api.delete(f"{POLICY_BINDINGS}/{name}")
        api.delete(f"{POLICIES}/{name}")


def install(api):
    """Puts crd/ and manifests/ onto the cluster, or finds them there, without a controller: the tests play its part."""
    deploy("--without-controller")
    wait_policies(api)


def install_controller(api):
    """The whole of it, with this checkout's controller running in the cluster from its image."""
    deploy()
    wait_policies(api)


def installed(api):
    """The paths of everything of ours on the cluster that is not inside a namespace of ours."""
    return sorted(f"{collection}/{item['metadata']['name']}" for collection in INSTALLED_IN
                  for item in api.get(collection, labelSelector=LABELLED)["items"])


def deploy(*arguments):
    done = subprocess.run([kube.CHECKOUT / "hack/deploy", *arguments], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr


# --- Objects.


def merged(original, patch):
    """The original with a merge patch (RFC 7386) applied."""
    if not isinstance(patch, dict):
        return patch
    result = dict(original) if isinstance(original, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def task(name="task", **spec):
    return {"apiVersion": "sandboxtask.io/v1beta1", "kind": "SandboxTask", "metadata": {"name": name},
            "spec": {"code": "print(6 * 7)"} | spec}


def sandbox_class(name="tests", **spec):
    runtime = {"name": "python", "language": "python", "image": "example.com/runner-python:1"}
    return {"apiVersion": "sandboxtask.io/v1beta1", "kind": "SandboxClass", "metadata": {"name": name},
            "spec": {"runtimes": [runtime]} | spec}


def output(name="output", **fields):
    return {"apiVersion": "sandboxtask.io/v1beta1", "kind": "SandboxOutput", "metadata": {"name": name},
            "task": {"name": "task", "uid": "c0ffee00-0000-4000-8000-000000000001"}, "stream": "stdout", "index": 0,
            "bytes": 3, "sha256": "0" * 64, "data": "YWJj"} | fields


def pod(uid=None, attempt=1, labels=None, image="example.com/runner-python:1"):
    """A Pod as the controller makes them: what all the policies together let pass."""
    uid = uid or secrets.token_hex(16)
    ours = {"app.kubernetes.io/managed-by": "sandboxtask", "sandboxtask.io/task-uid": uid, "sandboxtask.io/class": "default",
            "sandboxtask.io/network": "none"}
    limits = {"cpu": "100m", "memory": "64Mi", "ephemeral-storage": "16Mi"}
    container = {
        "name": "sandbox", "image": image, "imagePullPolicy": "IfNotPresent", "stdin": True,
        "resources": {"requests": limits, "limits": limits},
        "securityContext": {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],
    }
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": f"sbt-{uid}-{attempt}", "labels": ours if labels is None else labels,
                     "annotations": {"sandboxtask.io/task": "default/task", "sandboxtask.io/plan": "{}"}},
        "spec": {
            "runtimeClassName": "gvisor", "restartPolicy": "Never", "activeDeadlineSeconds": 600,
            "terminationGracePeriodSeconds": 1, "automountServiceAccountToken": False, "enableServiceLinks": False,
            "securityContext": {"runAsNonRoot": True, "runAsUser": 65534, "seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [container],
            "volumes": [{"name": "tmp", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}}],
        },
    }


# --- People.


def grant(api, namespace, user, role):
    """Binds a ClusterRole to a user in one namespace, as an admin of that namespace would."""
    api.create(f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/rolebindings", {
        "metadata": {"name": f"{user}-{role}"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}]})


def may(api, user, verb, resource, namespace="", group="", name="", subresource=""):
    """Whether RBAC lets a user do something."""
    attributes = {"verb": verb, "resource": resource, "namespace": namespace, "group": group, "name": name,
                  "subresource": subresource}
    groups = ["system:authenticated"] + (["system:serviceaccounts"] if user.startswith("system:serviceaccount:") else [])
    review = api.create("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
        "spec": {"user": user, "groups": groups, "resourceAttributes": attributes}})
    return review["status"]["allowed"]


def wait_granted(api, user, verb, resource, **where):
    """RBAC and the aggregation of roles follow their objects a moment later."""
    wait_until(lambda: may(api, user, verb, resource, **where), f"{user} may {verb} {resource} {where}")
