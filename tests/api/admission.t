#!/usr/bin/env python3
"""The admission policies: for each rule what passes and what is refused, and that a refusal names the rule and the cure.

Three people send requests: erin, who may edit a namespace and no more; the controller's ServiceAccount, with the rights that
manifests/ gives it; and the admin, a member of system:masters, to whom the rules about our Pods apply as well.
"""

import contextlib
import pathlib
import re
import secrets
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import kube  # noqa: E402
import sandboxes  # noqa: E402
from sandboxes import merged, pod, task  # noqa: E402
from tap import done_testing, is_, like, ok, skip  # noqa: E402

RBAC = "/apis/rbac.authorization.k8s.io/v1"
PASSES = None
UNLISTED = f"test-{secrets.token_hex(3)}"


def container(**changes):
    """A patch to a Pod's only container."""
    return {"spec": {"containers": [merged(pod()["spec"]["containers"][0], changes)]}}


def labels(changes):
    return {"metadata": {"labels": changes}}


def annotations(changes):
    return {"metadata": {"annotations": changes}}


def secured(**changes):
    return container(securityContext=changes)


def limits(**changes):
    return container(resources={"limits": changes})


# What the controller may create: each row a patch to a sound Pod, and PASSES or what the refusal says.
CREATES = [
    ("a sound Pod passes", {}, PASSES),
    ("another name is refused", {"metadata": {"name": "sandbox-1"}}, r"named sbt-<task UID>-<attempt>"),
    ("a Pod without our label is refused", labels({"app.kubernetes.io/managed-by": None}),
     r"labels.*managed-by"),
    ("a Pod without its task's UID is refused", labels({"sandboxtask.io/task-uid": None}), r"labels.*task-uid"),
    ("a Pod without its class is refused", labels({"sandboxtask.io/class": None}), r"labels.*class"),
    ("a Pod without its network is refused", labels({"sandboxtask.io/network": None}), r"labels.*network"),
    ("a Pod without labels is refused", {"metadata": {"labels": None}}, r"labels.*managed-by"),
    ("another label passes", labels({"cost-center": "42"}), PASSES),
    ("no RuntimeClass is refused", {"spec": {"runtimeClassName": None}},
     r'runtimeClassName: "" is not listed.*runtimeClassNames'),
    ("a RuntimeClass that is not listed is refused", {"spec": {"runtimeClassName": UNLISTED}},
     rf'"{UNLISTED}" is not listed.*add it to runtimeClassNames'),
    ("the host's network is refused", {"spec": {"hostNetwork": True}}, r"hostNetwork"),
    ("the host's processes are refused", {"spec": {"hostPID": True}}, r"hostPID"),
    ("the host's IPC is refused", {"spec": {"hostIPC": True}}, r"hostIPC"),
    ("shared processes are refused", {"spec": {"shareProcessNamespace": True}}, r"shareProcessNamespace"),
    ("a node chosen past the scheduler is refused", {"spec": {"nodeName": "node-1"}}, r"nodeName"),
    ("a port on the host is refused", container(ports=[{"containerPort": 80, "hostPort": 80}]), r"ports"),
    ("a second container is refused",
     {"spec": {"containers": pod()["spec"]["containers"] + [merged(pod()["spec"]["containers"][0], {"name": "b"})]}},
     r"exactly one container"),
    ("a container of another name is refused", container(name="main"), r"one container, named sandbox"),
    ("an init container is refused", {"spec": {"initContainers": [merged(pod()["spec"]["containers"][0], {"name": "i"})]}},
     r"initContainers"),
    ("a privileged container is refused", secured(privileged=True, allowPrivilegeEscalation=None), r"privileged"),
    ("privilege escalation is refused", secured(allowPrivilegeEscalation=True), r"allowPrivilegeEscalation false"),
    ("privilege escalation that is not denied is refused", secured(allowPrivilegeEscalation=None),
     r"allowPrivilegeEscalation false"),
    ("a writable root is refused", secured(readOnlyRootFilesystem=False), r"readOnlyRootFilesystem"),
    ("capabilities that are kept are refused", secured(capabilities=None), r"capabilities\.drop \[ALL\]"),
    ("an added capability is refused", secured(capabilities={"add": ["NET_BIND_SERVICE"]}), r"adds no capability"),
    ("an unmasked /proc is refused", merged(secured(procMount="Unmasked"), {"spec": {"hostUsers": False}}), r"default procMount"),
    ("no security context at all is refused", container(securityContext=None), r"securityContext"),
    ("root is refused", {"spec": {"securityContext": {"runAsUser": 0}}}, r"not user 0"),
    ("root in the container is refused", secured(runAsUser=0), r"not user 0"),
    ("an image that may run as root is refused", {"spec": {"securityContext": {"runAsNonRoot": False}}}, r"runAsNonRoot true"),
    ("a container that may run as root is refused", secured(runAsNonRoot=False), r"runAsNonRoot true"),
    ("no user ID passes, since the image has one", {"spec": {"securityContext": {"runAsUser": None}}}, PASSES),
    ("no seccomp profile is refused", {"spec": {"securityContext": {"seccompProfile": None}}}, r"seccompProfile RuntimeDefault"),
    ("an unconfined container is refused", secured(seccompProfile={"type": "Unconfined"}), r"seccompProfile RuntimeDefault"),
    ("sysctls are refused",
     {"spec": {"securityContext": {"sysctls": [{"name": "net.ipv4.ip_unprivileged_port_start", "value": "0"}]}}},
     r"sysctls"),
    ("a token is refused", {"spec": {"automountServiceAccountToken": True}}, r"automountServiceAccountToken.*must be false"),
    ("a token that is not denied is refused", {"spec": {"automountServiceAccountToken": None}}, r"automountServiceAccountToken"),
    ("a hostPath is refused", {"spec": {"volumes": [{"name": "tmp", "hostPath": {"path": "/"}}]}}, r"volumes.*no hostPath"),
    ("a Secret is refused", {"spec": {"volumes": [{"name": "tmp", "secret": {"secretName": "s"}}]}}, r"volumes.*no Secret"),
    ("a ConfigMap is refused", {"spec": {"volumes": [{"name": "tmp", "configMap": {"name": "c"}}]}}, r"volumes.*no ConfigMap"),
    ("a projected token is refused",
     {"spec": {"volumes": [{"name": "tmp",
                            "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}}]}}, r"volumes.*no token"),
    ("a variable from a Secret is refused",
     container(env=[{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]), r"env.*Secret"),
    ("all of a ConfigMap as variables is refused", container(envFrom=[{"configMapRef": {"name": "c"}}]), r"env.*ConfigMap"),
    ("a literal variable passes", container(env=[{"name": "A", "value": "1"}]), PASSES),
    ("a lifecycle hook is refused", container(lifecycle={"postStart": {"exec": {"command": ["id"]}}}), r"no lifecycle hooks"),
    ("a liveness probe is refused", container(livenessProbe={"exec": {"command": ["id"]}}), r"no probes"),
    ("a readiness probe is refused", container(readinessProbe={"exec": {"command": ["id"]}}), r"no probes"),
    ("a startup probe is refused", container(startupProbe={"exec": {"command": ["id"]}}), r"no probes"),
    ("a device is refused", {"spec": {"resourceClaims": [{"name": "gpu", "resourceClaimName": "gpu"}]}}, r"no devices"),
    ("a Pod that restarts is refused", {"spec": {"restartPolicy": "OnFailure"}}, r"restartPolicy Never"),
    ("a Pod without a deadline is refused", {"spec": {"activeDeadlineSeconds": None}}, r"activeDeadlineSeconds"),
    ("a Pod without a limit of memory is refused", limits(memory=None), r"limits of cpu, memory and"),
    ("a Pod without a limit of disk is refused", limits(**{"ephemeral-storage": None}), r"ephemeral-storage"),
    ("an annotation that configures gVisor is refused", annotations({"dev.gvisor.flag.network": "host"}),
     r"no annotation dev\.gvisor"),
    ("another annotation passes", annotations({"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}),
     PASSES),
]


class Scene:
    """A namespace that opted in to Pods of its own, with a sandbox of ours, a Pod of erin's, and the three people."""

    def __init__(self, api, namespace):
        self.admin = api
        self.namespace = namespace
        self.erin = api.as_user(f"erin-of-{namespace}")
        self.controller = api.as_user(sandboxes.CONTROLLER)
        self.pods = sandboxes.pods(namespace)
        sandboxes.grant(api, namespace, f"erin-of-{namespace}", "edit")
        api.create(f"{RBAC}/namespaces/{namespace}/rolebindings", {
            "metadata": {"name": "sandboxtask-pods"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "sandboxtask-pods"},
            "subjects": [{"kind": "ServiceAccount", "name": "sandboxtask-controller", "namespace": sandboxes.SYSTEM_NAMESPACE}]})
        sandboxes.wait_granted(api, f"erin-of-{namespace}", "create", "sandboxtasks", group="sandboxtask.io", namespace=namespace)
        sandboxes.wait_granted(api, sandboxes.CONTROLLER, "create", "pods", namespace=namespace)
        # Neither is meant to start: an image that is nowhere.
        self.sandbox = self.controller.create(self.pods, pod())["metadata"]["name"]
        plain = merged(pod(), {"metadata": {"name": "plain", "labels": None, "annotations": None}})
        self.plain = self.erin.create(self.pods, plain)["metadata"]["name"]

    def path(self, name, subresource=""):
        return f"{self.pods}/{name}" + (f"/{subresource}" if subresource else "")


@contextlib.contextmanager
def runtime_class(api, name):
    """A RuntimeClass that exists and is not on the list."""
    api.create("/apis/node.k8s.io/v1/runtimeclasses", {"metadata": {"name": name}, "handler": "runc"})
    try:
        yield
    finally:
        api.delete(f"/apis/node.k8s.io/v1/runtimeclasses/{name}")


def tries_to_create(client, path, wanted):
    return client.request("POST", path, wanted, dryRun="All")


def tries_to_patch(client, path, change, content_type=kube.MERGE_PATCH):
    return client.request("PATCH", path, change, content_type, dryRun="All")


def passes(answer, sentence):
    is_((answer.status, answer.message if answer.status >= 300 else ""), (answer.status if answer.status < 300 else 200, ""),
        sentence)


def refused(answer, policy, message, sentence):
    """Refused by the policy that should, and in words that help."""
    is_(answer.status, 403, sentence)
    like(answer.message, rf"ValidatingAdmissionPolicy '{policy}' .*{message}", f"{sentence}: the message says why")


def not_refused(answer, sentence):
    """A connection that can't be made for other reasons than ours: the Pod has no node, the request is no websocket."""
    ok(answer.status != 403 and "ValidatingAdmissionPolicy" not in answer.message, f"{sentence} (HTTP {answer.status})")


def the_controller_creates_sandboxes_only(scene):
    for sentence, patch, refusal in CREATES:
        answer = tries_to_create(scene.controller, scene.pods, merged(pod(), patch))
        if refusal is PASSES:
            passes(answer, sentence)
        else:
            refused(answer, "sandboxtask-controller-creates", refusal, sentence)
    elsewhere = tries_to_create(scene.controller, sandboxes.pods("default"), pod())
    like(elsewhere.message, r"cannot create resource \"pods\".*namespace \"default\"",
         "a namespace that has not opted in is out of reach")
    passes(tries_to_create(scene.controller, sandboxes.pods(sandboxes.PODS_NAMESPACE), pod()),
           "a sound Pod passes in the Pod namespace, under Pod Security restricted")


def the_list_of_runtime_classes_is_the_admins(scene):
    """Tried on a copy of the policy that is for another user, so that nobody else notices."""
    name = user = f"test-{secrets.token_hex(3)}"
    policy = scene.admin.get(f"{sandboxes.POLICIES}/sandboxtask-controller-creates")["spec"]
    binding = scene.admin.get(f"{sandboxes.POLICY_BINDINGS}/sandboxtask-controller-creates")["spec"]
    lists = [v for v in policy["variables"] if v["name"] == "runtimeClassNames"]
    is_([v["expression"] for v in lists], ["['gvisor']"], "the list that is shipped has gVisor's RuntimeClass and no other")
    lists[0]["expression"] = f"['gvisor', '{UNLISTED}']"
    policy["matchConditions"] = [{"name": "by-the-test", "expression": f"request.userInfo.username == '{user}'"}]
    policy["validations"] = [v for v in policy["validations"] if "runtimeClassNames" in v["expression"]]
    client = scene.admin.as_user(user)
    sandboxes.grant(scene.admin, scene.namespace, user, "edit")
    plain = merged(pod(), {"metadata": {"name": "of-the-test", "labels": None}})

    def answer(runtime_class_name):
        return tries_to_create(client, scene.pods, merged(plain, {"spec": {"runtimeClassName": runtime_class_name}}))

    sandboxes.wait_granted(scene.admin, user, "create", "pods", namespace=scene.namespace)
    try:
        scene.admin.create(sandboxes.POLICIES, {"metadata": {"name": name}, "spec": policy})
        scene.admin.create(sandboxes.POLICY_BINDINGS,
                           {"metadata": {"name": name}, "spec": binding | {"policyName": name}})
        sandboxes.wait_until(lambda: "is not listed" in answer(None).message, "the copy counts")
        passes(answer(UNLISTED), "a RuntimeClass that an admin adds to the list passes")
        passes(answer("gvisor"), "beside the one that was there")
    finally:
        scene.admin.request("DELETE", f"{sandboxes.POLICY_BINDINGS}/{name}")
        scene.admin.request("DELETE", f"{sandboxes.POLICIES}/{name}")


def the_controller_touches_sandboxes_only(scene):
    controller, policy = scene.controller, "sandboxtask-controller-changes"
    label = labels({"sandboxtask.io/network": "install"})
    passes(tries_to_patch(controller, scene.path(scene.sandbox), label),
           "the controller may change the network label of a sandbox")
    refused(tries_to_patch(controller, scene.path(scene.sandbox), labels({"sandboxtask.io/task-uid": "x"})), policy,
            "none of the labels that say what it is", "the controller may not give a sandbox to another task")
    refused(tries_to_patch(controller, scene.path(scene.sandbox), {"spec": {"activeDeadlineSeconds": 60}}), policy,
            "no spec of a Pod", "the controller may not change the spec of a sandbox")
    refused(tries_to_patch(controller, scene.path(scene.plain), labels({"a": "b"})), policy,
            "Pod plain is none of sandboxtask", "the controller may not change another Pod")
    refused(controller.request("DELETE", scene.path(scene.plain), {"dryRun": ["All"]}), policy,
            "Pod plain is none of sandboxtask", "the controller may not delete another Pod")
    passes(controller.request("DELETE", scene.path(scene.sandbox), {"dryRun": ["All"]}),
           "the controller may delete a sandbox")
    not_refused(controller.request("GET", scene.path(scene.sandbox, "attach"), stdin="true"),
                "the controller may attach to a sandbox")
    refused(controller.request("GET", scene.path(scene.plain, "attach"), stdin="true"), "sandboxtask-controller-attaches",
            "not attach to plain", "the controller may not attach to another Pod")


def the_controller_opens_no_network_of_others(scene):
    path = f"/apis/networking.k8s.io/v1/namespaces/{scene.namespace}/networkpolicies"
    ours = {"metadata": {"name": "sandboxtask-default-deny"}, "spec": {
        "podSelector": {"matchLabels": {"app.kubernetes.io/managed-by": "sandboxtask"}}, "policyTypes": ["Ingress", "Egress"]}}
    policy = "sandboxtask-controller-networkpolicies"
    passes(tries_to_create(scene.controller, path, ours), "the controller may make a NetworkPolicy for our Pods")
    refused(tries_to_create(scene.controller, path, merged(ours, {"spec": {"podSelector": {"matchLabels": None}}})), policy,
            "podSelector", "the controller may not make a NetworkPolicy for every Pod")
    others = merged(ours, {"spec": {"podSelector": {"matchLabels": {"app.kubernetes.io/managed-by": None, "app": "web"}}}})
    refused(tries_to_create(scene.controller, path, others), policy, "podSelector",
            "the controller may not make a NetworkPolicy for other Pods")
    refused(tries_to_create(scene.controller, path, merged(ours, {"metadata": {"name": "allow"}})), policy,
            "named sandboxtask-", "the controller may not make a NetworkPolicy of another name")


def nobody_else_makes_sandboxes(scene):
    policy = "sandboxtask-pods-identity"
    plain = merged(pod(), {"metadata": {"name": "mine", "labels": None, "annotations": None}})
    for client, who in ((scene.erin, "an editor"), (scene.admin, "an admin")):
        passes(tries_to_create(client, scene.pods, plain), f"{who} may make a Pod")
        passes(tries_to_create(client, scene.pods, merged(plain, labels({"app.kubernetes.io/managed-by": "Helm"}))),
               f"{who} may make a Pod that something else manages")
        refused(tries_to_create(client, scene.pods, merged(plain, labels({"app.kubernetes.io/managed-by": "sandboxtask"}))),
                policy, "create a SandboxTask", f"{who} may not make a Pod that we seem to manage")
        refused(tries_to_create(client, scene.pods, merged(plain, labels({"sandboxtask.io/task-uid": "1"}))), policy,
                "take other labels", f"{who} may not make a Pod with a label of ours")
        refused(tries_to_create(client, scene.pods, merged(plain, {"metadata": {"name": f"sbt-{'0' * 32}-1"}})), policy,
                "take another", f"{who} may not take a name of ours")
        passes(tries_to_create(client, scene.pods, merged(plain, {"metadata": {"name": "sbt-mine-1"}})),
               f"{who} may take a name that only begins like ours")
        label = labels({"sandboxtask.io/network": "open"})
        refused(tries_to_patch(client, scene.path(scene.plain), label), "sandboxtask-pods-changes", "take other labels",
                f"{who} may not label a Pod as ours")
        passes(tries_to_patch(client, scene.path(scene.plain), labels({"a": "b"})), f"{who} may label a Pod otherwise")
    refused(tries_to_patch(scene.admin, scene.path(scene.plain, "status"), label), "sandboxtask-pods-changes",
            "take other labels", "a Pod is not labelled as ours by a write of its status")
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": scene.plain}, "target": {"kind": "Node", "name": "n"}}
    labelled = merged(binding, label)
    refused(tries_to_create(scene.admin, scene.path(scene.plain, "binding"), labelled), policy, "take other labels",
            "a Pod is not labelled as ours by its binding")
    refused(tries_to_create(scene.admin, f"/api/v1/namespaces/{scene.namespace}/bindings", labelled), policy,
            "take other labels", "nor by the older kind of binding")
    annotated = binding | {"metadata": {"name": scene.plain} | annotations({"sandboxtask.io/plan": "x"})["metadata"]}
    refused(tries_to_create(scene.admin, scene.path(scene.plain, "binding"), annotated), policy, "a binding must not set",
            "nor is our plan put on a Pod by its binding")
    own = merged(binding, {"metadata": {"name": scene.sandbox}})
    not_refused(tries_to_create(scene.admin, scene.path(scene.sandbox, "binding"), own), "a sandbox can be bound to a node")


def nobody_else_changes_sandboxes(scene):
    policy = "sandboxtask-pods-changes"
    sandbox = scene.path(scene.sandbox)
    changes = [
        ("add a label to", labels({"a": "b"})),
        ("take the labels off", {"metadata": {"labels": None}}),
        ("change the plan of", annotations({"sandboxtask.io/plan": "other"})),
        ("add a finalizer to", {"metadata": {"finalizers": ["example.com/x"]}}),
        ("change the image of",
         {"spec": {"containers": [merged(pod()["spec"]["containers"][0], {"image": "example.com/evil:1"})]}}),
        ("shorten the deadline of", {"spec": {"activeDeadlineSeconds": 1}}),
    ]
    for client, who in ((scene.erin, "an editor"), (scene.admin, "an admin")):
        for what, change in changes:
            refused(tries_to_patch(client, sandbox, change), policy, "nobody but its controller may change it",
                    f"{who} may not {what} a sandbox")
    debugger = {"spec": {"ephemeralContainers": [{"name": "debug", "image": "example.com/debug:1"}]}}
    refused(tries_to_patch(scene.admin, scene.path(scene.sandbox, "ephemeralcontainers"), debugger), policy,
            r"\(ephemeralcontainers\)", "nobody may add a container to a sandbox")
    passes(tries_to_patch(scene.admin, scene.path(scene.plain, "ephemeralcontainers"), debugger),
           "an admin may add one to another Pod")
    more = container(resources={"limits": {"cpu": "200m"}, "requests": {"cpu": "200m"}})
    strategic = "application/strategic-merge-patch+json"
    refused(tries_to_patch(scene.admin, scene.path(scene.sandbox, "resize"), more, strategic), policy, r"\(resize\)",
            "nobody may resize a sandbox")
    not_refused(tries_to_patch(scene.admin, scene.path(scene.plain, "resize"), more, strategic),
                "an admin may resize another Pod")
    status = {"status": {"message": "seen"}}
    status_path = scene.path(scene.sandbox, "status")
    passes(tries_to_patch(scene.admin, status_path, status), "the status of a sandbox can be written, as the kubelet does")
    refused(tries_to_patch(scene.admin, status_path, status | labels({"sandboxtask.io/network": "open"})), policy,
            "neither its labels nor", "but not together with its labels")
    refused(tries_to_patch(scene.admin, status_path, status | annotations({"sandboxtask.io/plan": None})), policy,
            "neither its labels nor", "nor with the annotations that are ours")
    passes(tries_to_patch(scene.admin, status_path, status | annotations({"cni.example.com/ip": "10.0.0.1"})),
           "an annotation of a network plugin is no matter of ours")
    passes(scene.erin.request("DELETE", sandbox, {"dryRun": ["All"]}),
           "an editor may delete a sandbox: that is left to RBAC")


def nobody_else_connects_to_sandboxes(scene):
    for client, who in ((scene.erin, "an editor"), (scene.admin, "an admin")):
        for subresource, query in (("exec", {"command": "id", "stdout": "true"}), ("attach", {"stdin": "true"}),
                                   ("portforward", {"ports": "80"}), ("proxy", {})):
            refused(client.request("GET", scene.path(scene.sandbox, subresource), **query), "sandboxtask-pods-connect",
                    rf"nobody but its controller may connect to it \({subresource}\).*status of the task",
                    f"{who} may not {subresource} to a sandbox")
            not_refused(client.request("GET", scene.path(scene.plain, subresource), **query),
                        f"{who} may {subresource} to another Pod")
    answer = scene.controller.request("POST", scene.path(scene.sandbox, "exec"), command="id")
    like(answer.message, r"cannot create resource \"pods/exec\"", "the controller itself has no right to exec")
    sandboxes.grant(scene.admin, scene.namespace, sandboxes.CONTROLLER, "edit")
    sandboxes.wait_granted(scene.admin, sandboxes.CONTROLLER, "create", "pods", subresource="exec", namespace=scene.namespace)
    refused(scene.controller.request("POST", scene.path(scene.sandbox, "exec"), command="id"), "sandboxtask-controller-attaches",
            "may only attach", "and would be refused if somebody gave it the right")


def a_class_is_for_those_who_may_use_it(scene):
    path = sandboxes.tasks(scene.namespace)
    gpu = f"gpu-{secrets.token_hex(3)}"

    def create(**spec):
        return tries_to_create(scene.erin, path, task(**spec))

    passes(create(), "an editor may use the class default, by the role edit")
    refused(create(sandboxClassName=gpu), "sandboxtask-class-use",
            rf'spec\.sandboxClassName: erin.* may not use SandboxClass "{gpu}" in namespace {scene.namespace}: '
            r'ask for a RoleBinding.*"use"', "an editor may not use another class")
    role = f"use-{gpu}"
    try:
        scene.admin.create(f"{RBAC}/clusterroles", {"metadata": {"name": role}, "rules": [
            {"apiGroups": ["sandboxtask.io"], "resources": ["sandboxclasses"], "resourceNames": [gpu], "verbs": ["use"]}]})
        sandboxes.grant(scene.admin, scene.namespace, f"erin-of-{scene.namespace}", role)
        sandboxes.wait_until(lambda: create(sandboxClassName=gpu).status == 201, "the grant counts")
        ok(True, "a RoleBinding in the task's namespace lets her")
        refused(create(sandboxClassName=gpu + "-2"), "sandboxtask-class-use", "may not use", "that class only")
        stranger = scene.admin.as_user(f"zoe-of-{scene.namespace}")
        sandboxes.grant(scene.admin, scene.namespace, f"zoe-of-{scene.namespace}", "edit")
        scene.admin.create(f"{RBAC}/clusterrolebindings", {
            "metadata": {"name": role}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": f"zoe-of-{scene.namespace}"}]})
        sandboxes.wait_until(lambda: tries_to_create(stranger, path, task(sandboxClassName=gpu)).status == 201,
                             "the cluster-wide grant counts")
        ok(True, "so does a ClusterRoleBinding")
    finally:
        scene.admin.request("DELETE", f"{RBAC}/clusterrolebindings/{role}")
        scene.admin.request("DELETE", f"{RBAC}/clusterroles/{role}")


def the_garbage_collector_does_its_work(scene):
    """Owners that go away with and without their Pods: the collector then writes to the Pod itself."""
    path = create_owned_pod(scene, "leaves-its-pod")
    scene.erin.delete(f"{sandboxes.tasks(scene.namespace)}/leaves-its-pod", {"propagationPolicy": "Orphan"})
    scene.admin.wait(path, lambda p: not p["metadata"].get("ownerReferences"), "the Pod has no owner any more")
    ok(True, "a task that is deleted alone leaves its Pod, without an owner")
    path = create_owned_pod(scene, "takes-its-pod-along")
    scene.erin.delete(f"{sandboxes.tasks(scene.namespace)}/takes-its-pod-along", {"propagationPolicy": "Foreground"})
    scene.admin.wait_gone(path)
    ok(True, "a task that is deleted takes its Pod along")


def create_owned_pod(scene, name):
    """A task, and a Pod that it owns, as in a namespace with Pods of its own; the path of the Pod."""
    owner = scene.erin.create(sandboxes.tasks(scene.namespace), task(name))
    reference = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": name, "uid": owner["metadata"]["uid"],
                 "controller": True, "blockOwnerDeletion": False}
    owned = scene.controller.create(scene.pods, merged(pod(), {"metadata": {"ownerReferences": [reference]}}))
    return scene.path(owned["metadata"]["name"])


def a_sandbox_lives_and_dies_under_the_kubelet(scene):
    if not scene.admin.get("/api/v1/nodes")["items"]:
        skip("the cluster has no nodes", "a sandbox lives and dies under the kubelet")
        return
    log = kube.AuditLog() if kube.IS_LOCAL else None
    echo = merged(pod(image=kube.image("test-tools")), container(image=kube.image("test-tools"), command=["cat"]))
    name = scene.controller.create(scene.pods, echo)["metadata"]["name"]
    path = scene.path(name)
    found = scene.controller.wait(path, kube.pod_is_running, "the sandbox runs")
    ok(True, "a sandbox is scheduled and started with the policies on")
    with kube.Attach(scene.controller, path) as attached:
        attached.write(b"hello\n")
        is_(attached.read_until(b"hello\n"), b"hello\n", "the controller attaches to it and is answered")
    answer = scene.admin.request("GET", scene.path(name, "exec"), command="id", stdout="true")
    refused(answer, "sandboxtask-pods-connect", "nobody but its controller", "nobody else gets into the running sandbox")
    scene.controller.delete(path, {"preconditions": {"uid": found["metadata"]["uid"]}, "gracePeriodSeconds": 1})
    scene.admin.wait_gone(path)
    ok(True, "the controller deletes it and the kubelet lets it go")
    if log:
        is_(refusals_of_the_cluster(log.events_until(scene.admin.request("GET", path)), name), [],
            "no part of the cluster was refused anything about it")


def refusals_of_the_cluster(events, pod_name):
    """What was refused to scheduler, kubelet and controllers about a Pod, by the audit log."""
    return [(event["user"]["username"], event["verb"], event["objectRef"].get("subresource"), event["responseStatus"]["code"])
            for event in events
            if event.get("objectRef", {}).get("name") == pod_name and event["responseStatus"]["code"] in (403, 422)
            and event["user"]["username"].startswith("system:") and "impersonatedUser" not in event]


def a_binding_set_to_audit_is_the_way_in_for_an_admin(scene):
    path = f"{sandboxes.POLICY_BINDINGS}/sandboxtask-pods-connect"
    query = {"command": "id", "stdout": "true"}

    def is_refused():
        return scene.admin.request("GET", scene.path(scene.sandbox, "exec"), **query).status == 403

    scene.admin.patch(path, {"spec": {"validationActions": ["Audit"]}})
    try:
        sandboxes.wait_until(lambda: not is_refused(), "the binding only audits")
        ok(True, "an admin who sets the binding to Audit can connect")
    finally:
        scene.admin.patch(path, {"spec": {"validationActions": ["Deny"]}})
    sandboxes.wait_until(is_refused, "the binding denies again")
    ok(True, "and no longer once it is set to Deny again")


def the_expressions_are_sound(scene):
    """The cluster's own type check of every expression, whose findings would only show in a status that nobody reads."""
    for policy in scene.admin.get(sandboxes.POLICIES)["items"]:
        name = policy["metadata"]["name"]
        if not name.startswith("sandboxtask-"):
            continue
        checked = scene.admin.wait(f"{sandboxes.POLICIES}/{name}",
                                   lambda p: p.get("status", {}).get("observedGeneration") == p["metadata"]["generation"],
                                   f"{name} is type checked")
        is_(checked["status"].get("typeChecking", {}).get("expressionWarnings", []), [], f"{name} has no expression of doubt")
        is_(policy["spec"]["failurePolicy"], "Fail", f"{name} refuses when it can't be evaluated")


def main():
    api = kube.connect()
    sandboxes.install(api)
    with kube.namespace(api, "admission") as namespace, runtime_class(api, UNLISTED):
        scene = Scene(api, namespace)
        the_expressions_are_sound(scene)
        the_controller_creates_sandboxes_only(scene)
        the_list_of_runtime_classes_is_the_admins(scene)
        the_controller_touches_sandboxes_only(scene)
        the_controller_opens_no_network_of_others(scene)
        nobody_else_makes_sandboxes(scene)
        nobody_else_changes_sandboxes(scene)
        nobody_else_connects_to_sandboxes(scene)
        a_class_is_for_those_who_may_use_it(scene)
        the_garbage_collector_does_its_work(scene)
        a_sandbox_lives_and_dies_under_the_kubelet(scene)
        a_binding_set_to_audit_is_the_way_in_for_an_admin(scene)
    done_testing()


if __name__ == "__main__":
    main()
