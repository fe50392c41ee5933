#!/usr/bin/env python3
"""The program meets a closed network from its first instruction, whether or not somebody enforces NetworkPolicies. Bare Pods
beside it, selected by a default-deny policy that was there long before them, show what a policy alone is worth."""

import contextlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e  # noqa: E402
import kube  # noqa: E402
import sandboxes  # noqa: E402
from tap import is_, note, ok, skip  # noqa: E402

RUNS = 50
BARE = 20
ENGINE = "kube-router"

# One connect to each address: closed with which error, or open.
PROBE = """
import errno, socket, sys
for address in sys.argv[1:]:
    host, port = address.split(":")
    with socket.socket() as probe:
        probe.settimeout(1)
        try:
            probe.connect((host, int(port)))
            print(address, "open")
        except OSError as error:
            print(address, errno.errorcode.get(error.errno, error))
"""
# The same from a shell, first thing in a bare Pod: the exit code is 0 if any address answers, be it with an error.
BARE_PROBE = ["sh", "-c", r"""
for address; do
	case $(printf 'GET / HTTP/1.0\r\n\r\n' | nc -w 1 "${address%:*}" "${address#*:}" 2>&1) in
	HTTP/*) exit 0 ;;
	esac
done
exit 1""", "sh"]


def addresses(api):
    """What a sandbox must not reach: the API server by its service and by itself, the node's kubelet."""
    service = api.get("/api/v1/namespaces/default/services/kubernetes")["spec"]
    node = api.get("/api/v1/nodes")["items"][0]["status"]["addresses"]
    internal = next(address["address"] for address in node if address["type"] == "InternalIP")
    return [f"{service['clusterIP']}:443", f"{api.host}:{api.port}", f"{internal}:10250"]


def runs(api, namespace, forbidden, when):
    wanted = "".join(f"{address} ENETUNREACH\n" for address in forbidden).encode()
    seen = [e2e.stream(api, e2e.run(api, namespace, code=PROBE, args=forbidden), "stdout") for _ in range(RUNS)]
    odd = [text for text in seen if text != wanted]
    is_(odd, [], f"{when}: {RUNS} runs in a row, and the network is unreachable at once in each")


def bare_pods(api, namespace, forbidden):
    """How many of some bare Pods, one after the other, met an open network."""
    pods = f"/api/v1/namespaces/{namespace}/pods"
    met_open = 0
    for number in range(BARE):
        name = f"bare-{number}"
        api.create(pods, kube.restricted_pod(name, [*BARE_PROBE, *forbidden], labels={"role": "bare"}))
        pod = api.wait(f"{pods}/{name}", kube.pod_is_finished, "the bare Pod has tried")
        met_open += pod["status"]["phase"] == "Succeeded"
        api.delete(f"{pods}/{name}", {"gracePeriodSeconds": 0})
    return met_open


@contextlib.contextmanager
def bare_namespace(api):
    """With default deny for its Pods, made before any of them."""
    with kube.namespace(api, "bare") as namespace:
        api.create(f"/apis/networking.k8s.io/v1/namespaces/{namespace}/networkpolicies", {
            "metadata": {"name": "default-deny"},
            "spec": {"podSelector": {"matchLabels": {"role": "bare"}}, "policyTypes": ["Ingress", "Egress"]}})
        yield namespace


@contextlib.contextmanager
def engine_stopped():
    """Nobody takes notice of new Pods."""
    e2e.signal_node(ENGINE, "STOP")
    try:
        yield
    finally:
        e2e.signal_node(ENGINE, "CONT")


def main():
    api = e2e.start()
    forbidden = addresses(api)
    with e2e.namespace(api) as namespace, bare_namespace(api) as bare:
        runs(api, namespace, forbidden, "with an engine of NetworkPolicies")
        if not kube.IS_LOCAL:
            skip("a foreign cluster's nodes are out of reach", "without an engine the network is as closed")
        else:
            met_open = bare_pods(api, bare, forbidden)
            note(f"{met_open} of {BARE} bare Pods met an open network in spite of the policy")
            ok(met_open > 0, "a bare Pod beside meets an open network at least once: a policy alone comes too late")
            with engine_stopped():
                is_(bare_pods(api, bare, forbidden), BARE, "without an engine, bare Pods always meet an open network")
                runs(api, namespace, forbidden, "without an engine")
    e2e.finish(api)


if __name__ == "__main__":
    main()
