#!/usr/bin/env python3
"""RBAC: the controller may do what it needs and nothing else; users may run tasks, and nobody may write an outcome."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import kube  # noqa: E402
import sandboxes  # noqa: E402
from sandboxes import PODS_NAMESPACE, SYSTEM_NAMESPACE  # noqa: E402
from tap import done_testing, is_  # noqa: E402

OURS = "sandboxtask.io"
ANYWHERE = "default"  # a namespace that has opted in to nothing
EVERY_VERB = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]

# What the controller may do: where, API group, resource, verbs. All other verbs on these are refused.
CONTROLLER = [
    (ANYWHERE, OURS, "sandboxtasks", "get list watch"),
    (ANYWHERE, OURS, "sandboxtasks/status", "patch"),
    (ANYWHERE, OURS, "sandboxoutputs", "get create"),
    ("", OURS, "sandboxclasses", "get list watch"),
    ("", "", "namespaces", "get list watch"),
    (ANYWHERE, "events.k8s.io", "events", "create patch"),
    (PODS_NAMESPACE, "", "pods", "get list watch create patch delete"),
    (PODS_NAMESPACE, "", "pods/attach", "get create"),
    (PODS_NAMESPACE, "", "events", "list"),
    (PODS_NAMESPACE, "networking.k8s.io", "networkpolicies", "get list watch create patch"),
    (SYSTEM_NAMESPACE, "coordination.k8s.io", "leases", "create"),
    # And what it may not, in no way at all.
    (PODS_NAMESPACE, "", "pods/status", ""),
    (PODS_NAMESPACE, "", "pods/exec", ""),
    (PODS_NAMESPACE, "", "pods/log", ""),
    (PODS_NAMESPACE, "", "pods/portforward", ""),
    (PODS_NAMESPACE, "", "pods/ephemeralcontainers", ""),
    (PODS_NAMESPACE, "", "pods/resize", ""),
    (PODS_NAMESPACE, "", "pods/eviction", ""),
    (PODS_NAMESPACE, "", "secrets", ""),
    (PODS_NAMESPACE, "", "configmaps", ""),
    (PODS_NAMESPACE, "", "serviceaccounts", ""),
    (PODS_NAMESPACE, "", "serviceaccounts/token", ""),
    (SYSTEM_NAMESPACE, "", "secrets", ""),
    (SYSTEM_NAMESPACE, "", "configmaps", ""),
    (SYSTEM_NAMESPACE, "", "pods", ""),
    (SYSTEM_NAMESPACE, "apps", "deployments", ""),
    (ANYWHERE, "", "pods", ""),
    (ANYWHERE, "", "pods/attach", ""),
    (ANYWHERE, "", "pods/exec", ""),
    (ANYWHERE, "", "secrets", ""),
    (ANYWHERE, "", "configmaps", ""),
    (ANYWHERE, "networking.k8s.io", "networkpolicies", ""),
    (ANYWHERE, "coordination.k8s.io", "leases", ""),
    ("", "", "nodes", ""),
    ("", "", "persistentvolumes", ""),
    ("", "apiextensions.k8s.io", "customresourcedefinitions", ""),
    ("", "admissionregistration.k8s.io", "validatingadmissionpolicies", ""),
    ("", "admissionregistration.k8s.io", "validatingadmissionpolicybindings", ""),
    ("", "rbac.authorization.k8s.io", "clusterroles", ""),
    ("", "rbac.authorization.k8s.io", "clusterrolebindings", ""),
]

# The cluster's own roles in a namespace: resource and the verbs each role has.
USERS = [
    ("view", "sandboxtasks", "get list watch"),
    ("view", "sandboxtasks/status", ""),
    ("view", "sandboxoutputs", "get list watch"),
    ("view", "sandboxclasses", ""),
    ("edit", "sandboxtasks", "get list watch create update patch delete deletecollection"),
    ("edit", "sandboxtasks/status", ""),
    ("edit", "sandboxtasks/finalizers", ""),
    ("edit", "sandboxoutputs", "get list watch delete deletecollection"),
    ("edit", "sandboxclasses", ""),
    ("admin", "sandboxtasks", "get list watch create update patch delete deletecollection"),
    ("admin", "sandboxtasks/status", ""),
    ("admin", "sandboxoutputs", "get list watch delete deletecollection"),
    ("admin", "sandboxclasses", ""),
    ("sandboxtask-classes-view", "sandboxtasks", ""),
]


def verbs_of(api, user, namespace, group, resource):
    resource, _, subresource = resource.partition("/")
    return [verb for verb in EVERY_VERB
            if sandboxes.may(api, user, verb, resource, namespace=namespace, group=group, subresource=subresource)]


def the_controller_may_do_what_it_needs(api):
    for namespace, group, resource, verbs in CONTROLLER:
        wanted = [verb for verb in EVERY_VERB if verb in verbs.split()]
        where = f" in {namespace}" if namespace else ""
        is_(verbs_of(api, sandboxes.CONTROLLER, namespace, group, resource), wanted,
            f"the controller's rights on {resource}{where}: {verbs or 'none'}")
    lease = {"resource": "leases", "group": "coordination.k8s.io", "namespace": SYSTEM_NAMESPACE,
             "name": "sandboxtask-controller"}
    is_([verb for verb in EVERY_VERB if sandboxes.may(api, sandboxes.CONTROLLER, verb, **lease)], ["get", "create", "update"],
        "the controller's rights on its own Lease: get create update")
    is_(sandboxes.may(api, sandboxes.CONTROLLER, "use", "sandboxclasses", group=OURS, namespace=ANYWHERE, name="default"), False,
        "the controller has no use for a class of its own")
    is_(sandboxes.may(api, sandboxes.CONTROLLER, "impersonate", "users"), False, "the controller may be nobody else")


def the_controller_has_no_wildcards(api):
    for kind, path in (("ClusterRole", "clusterroles"), ("Role", f"namespaces/{SYSTEM_NAMESPACE}/roles")):
        for role in api.get(f"/apis/rbac.authorization.k8s.io/v1/{path}",
                            labelSelector="app.kubernetes.io/name=sandboxtask")["items"]:
            words = {word for rule in role["rules"] for key in ("apiGroups", "resources", "verbs") for word in rule.get(key, [])}
            is_("*" in words, False, f"{kind} {role['metadata']['name']} has no wildcard")


def users_may_run_tasks(api, namespace):
    for role in dict.fromkeys(row[0] for row in USERS):
        sandboxes.grant(api, namespace, f"{role}-of-{namespace}", role)
    sandboxes.wait_granted(api, f"view-of-{namespace}", "get", "sandboxtasks", group=OURS, namespace=namespace)
    sandboxes.wait_granted(api, f"admin-of-{namespace}", "create", "sandboxtasks", group=OURS, namespace=namespace)
    for role, resource, verbs in USERS:
        where = "" if resource == "sandboxclasses" else namespace
        wanted = [verb for verb in EVERY_VERB if verb in verbs.split()]
        is_(verbs_of(api, f"{role}-of-{namespace}", where, OURS, resource), wanted,
            f"whoever has the role {role} in a namespace has on {resource}: {verbs or 'nothing'}")
    for role, may in (("view", False), ("edit", True), ("admin", True)):
        use = {"verb": "use", "resource": "sandboxclasses", "group": OURS}
        user = f"{role}-of-{namespace}"
        is_(sandboxes.may(api, user, namespace=namespace, name="default", **use), may,
            f"the role {role} {'lets' if may else 'does not let'} use the class default in its namespace")
        is_(sandboxes.may(api, user, namespace="kube-system", name="default", **use), False, f"{role}: not in another namespace")
        is_(sandboxes.may(api, user, namespace=namespace, name="gpu", **use), False, f"{role}: no other class")


def main():
    api = kube.connect()
    sandboxes.install(api)
    the_controller_may_do_what_it_needs(api)
    the_controller_has_no_wildcards(api)
    with kube.namespace(api, "rbac") as namespace:
        users_may_run_tasks(api, namespace)
    done_testing()


if __name__ == "__main__":
    main()
