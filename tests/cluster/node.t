#!/usr/bin/env python3
"""What every other test relies on: a node that runs Pods under gVisor, attach, network policies, services, Pod Security, and
an audit log that counts writes. Runs on a foreign cluster too."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import kube
from kube import Attach
from tap import done_testing, is_, like, ok, skip

WEB_PORT = 8080
WEB = ["httpd", "-f", "-p", str(WEB_PORT), "-h", "/tmp"]
# Reads "HOST PORT", says whether something answered there. An answer with an error is one, too: the API server's to plain HTTP.
PROBE = ["sh", "-c", r"""
while read -r host port; do
	case $(printf 'GET / HTTP/1.0\r\n\r\n' | nc -w 1 "$host" "$port" 2>&1) in
	HTTP/*) echo open ;;
	*) echo closed ;;
	esac
done"""]


def pods_of(namespace):
    return f"/api/v1/namespaces/{namespace}/pods"


def start(api, namespace, pod):
    """Creates a Pod; it, once it runs."""
    api.create(pods_of(namespace), pod)
    return api.wait(f"{pods_of(namespace)}/{pod['metadata']['name']}", kube.pod_is_running, "the Pod runs")


def log_of(api, namespace, name):
    """The log of a Pod, once it has finished."""
    path = f"{pods_of(namespace)}/{name}"
    api.wait(path, kube.pod_is_finished, "the Pod has finished")
    return api.get(path + "/log")


def test_gvisor(api, namespace):
    api.create(pods_of(namespace), kube.restricted_pod("sandboxed", ["dmesg"]))
    api.create(pods_of(namespace), kube.restricted_pod("plain", ["sh", "-c", "dmesg 2>&1 || true"], runtime_class=None))
    like(log_of(api, namespace, "sandboxed"), r"^\[ +0\.0+\] Starting gVisor", "a Pod of RuntimeClass gvisor runs under gVisor")
    ok("gVisor" not in log_of(api, namespace, "plain"), "a Pod without RuntimeClass does not")


def test_attach(api, namespace):
    start(api, namespace, kube.restricted_pod("echo", ["cat"], stdin=True))
    path = f"{pods_of(namespace)}/echo"
    with Attach(api, path) as session:
        session.write(b"one\n")
        is_(session.read_until(b"\n"), b"one\n", "an attach by websocket reaches the program's input and brings its output")
    with Attach(api, path) as session:
        session.write(b"two\n")
        is_(session.read_until(b"\n"), b"two\n", "after a cut connection another attach goes on, input included")
        long = b"x" * 100_000 + b"\n"
        session.write(long)
        is_(session.read_until(b"\n"), long, "a line longer than a pipe holds comes back whole")
        session.close_stdin()
        is_(session.wait_end()["status"], "Success", "closing the session's input ends the session with a Status")
    with Attach(api, path) as session:
        session.write(b"three\n")
        is_(session.read_until(b"\n"), b"three\n", "and the program has not seen an end of its input")
    try:
        Attach(api, path + "-missing")
        ok(False, "an attach to a Pod that isn't there is refused")
    except kube.ApiError as error:
        is_(error.status, 404, "an attach to a Pod that isn't there is refused")


def probe(session, address):
    session.write(address.encode() + b"\n")
    return session.read_until(b"\n").decode().strip()


def becomes(session, address, wanted, seconds=30):
    """Probes until the answer is `wanted`; the last answer. Policies take effect some time after they are made."""
    deadline = time.monotonic() + seconds
    while (seen := probe(session, address)) != wanted and time.monotonic() < deadline:
        pass
    return seen


def test_network(api, namespace):
    web = start(api, namespace, kube.restricted_pod("web", WEB, labels={"role": "web"}))
    start(api, namespace, kube.restricted_pod("probe", PROBE, stdin=True, labels={"role": "probe"}))
    policies = f"/apis/networking.k8s.io/v1/namespaces/{namespace}/networkpolicies"
    web_address = f"{web['status']['podIP']} {WEB_PORT}"
    service = api.get("/api/v1/namespaces/default/services/kubernetes")["spec"]
    service_address = f"{service['clusterIP']} {service['ports'][0]['port']}"
    with Attach(api, f"{pods_of(namespace)}/probe") as session:
        is_(becomes(session, web_address, "open"), "open", "without a policy one Pod reaches another")
        is_(becomes(session, service_address, "open"), "open", "a Pod reaches the API server at its service address")
        api.create(policies, {"metadata": {"name": "deny"}, "spec": {
            "podSelector": {"matchLabels": {"role": "web"}}, "policyTypes": ["Ingress"]}})
        is_(becomes(session, web_address, "closed"), "closed", "a policy that denies ingress closes the Pod that it selects")
        is_(probe(session, service_address), "open", "and nothing else")
        api.delete(f"{policies}/deny")
        is_(becomes(session, web_address, "open"), "open", "deleting the policy opens it again")
        api.create(policies, {"metadata": {"name": "deny"}, "spec": {
            "podSelector": {"matchLabels": {"role": "probe"}}, "policyTypes": ["Egress"]}})
        is_(becomes(session, service_address, "closed"), "closed", "a policy that denies egress closes the service address")
        is_(becomes(session, web_address, "closed"), "closed", "and other Pods")


def test_pod_security(api):
    with kube.namespace(api, "restricted", {"pod-security.kubernetes.io/enforce": "restricted"}) as namespace:
        pod = kube.restricted_pod("sound", ["true"])
        taken = api.request("POST", pods_of(namespace), pod)
        is_(taken.status, 201, "a namespace that enforces `restricted` takes a restricted Pod")
        pod = kube.restricted_pod("open", ["true"])
        del pod["spec"]["containers"][0]["securityContext"]
        refused = api.request("POST", pods_of(namespace), pod)
        is_(refused.status, 403, "and refuses one that keeps its capabilities")
        like(refused.message, 'violates PodSecurity "restricted:latest"', "naming the standard")


def test_audit_log(api, namespace):
    if not kube.IS_LOCAL:
        skip("a foreign cluster's audit log is out of reach", "the audit log counts writes")
        return
    audit = kube.AuditLog()
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    api.create(path, {"metadata": {"name": "counted"}})
    api.patch(f"{path}/counted", {"data": {"key": "value"}})
    last = api.request("DELETE", f"{path}/counted")
    verbs = [event["verb"] for event in audit.events_until(last)
             if event.get("objectRef", {}).get("namespace") == namespace and event["objectRef"].get("name") == "counted"]
    is_(verbs, ["create", "patch", "delete"], "the audit log has each write once, in order")


api = kube.connect()
with kube.namespace(api, "node") as own_namespace:
    test_gvisor(api, own_namespace)
    test_attach(api, own_namespace)
    test_network(api, own_namespace)
    test_audit_log(api, own_namespace)
test_pod_security(api)
done_testing()
