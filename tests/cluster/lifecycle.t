#!/usr/bin/env python3
"""The local cluster's life: started, extended, broken in every way that tests use, mended, ended without a trace.

Ends what runs there before, and leaves a new cluster of one node. A failure of a step is the end: the rest builds on it."""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import kube
from kube import Attach
from tap import diag, done_testing, is_, ok, skip

NODE_1, NODE_2 = "sbt-node-1", "sbt-node-2"
NODES = "/api/v1/nodes/"
PODS = "/api/v1/namespaces/default/pods/"
# What is compared before and after: everything of the host that a cluster might leave something in. Mounts below /tmp are
# other people's.
TRACES = {
    "mounts": "grep -v ' /tmp/' /proc/mounts",
    "links": "ip -oneline link | cut -d: -f2",
    "addresses": "ip -oneline address | cut -c1-60",
    "routes": "ip route show table all",
    "routing rules": "ip rule",
    "iptables rules": "iptables-save | grep -v '^#'; ip6tables-save | grep -v '^#'",
    "nftables rules": "nft list ruleset",
    "sets of addresses": "ipset list -name",
    "cgroups": "find /sys/fs/cgroup -mindepth 1 -maxdepth 2 -type d",
    "kernel settings": "cd /proc/sys && grep . vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops "
                       "kernel/keys/root_max* net/ipv4/ip_forward net/bridge/bridge-nf-call-iptables",
}


def hack(script, *arguments, **options):
    """Runs a script of hack/cluster, with options in the environment."""
    names = ("NODES", "FAST_NODE_FAILURE", "APISERVER_FLAGS")
    environment = {name: value for name, value in os.environ.items() if name not in names} | options
    done = subprocess.run([kube.CHECKOUT / "hack/cluster" / script, *arguments], env=environment, capture_output=True, text=True)
    if not ok(done.returncode == 0, " ".join([f"{k}={v}" for k, v in options.items()] + [script, *arguments]) + " succeeds"):
        diag(done.stderr)
        done_testing()


def traces():
    """{what: its lines}."""
    def lines_of(command):
        return subprocess.run(command, shell=True, stdout=subprocess.PIPE, text=True, check=False).stdout.splitlines()
    return {name: lines_of(command) for name, command in TRACES.items()}


def changes(before, after):
    return [f"gone: {line}" for line in before if line not in after] + [f"new: {line}" for line in after if line not in before]


def living():
    """{process id: (parent, start time)} of every process that is no zombie: pid and start time are its identity."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(") ")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if fields[0] != "Z":
            found[int(folder.name)] = (int(fields[1]), int(fields[19]))
    return found


def cluster_processes():
    """{process id: start time} of all that the cluster started, Pods included: its daemons and all that descends from them."""
    processes = living()
    found = {}
    for record in (kube.state_folder() / "run").glob("*/process"):
        pid, start, _ = record.read_text().split()
        if processes.get(int(pid), (0, 0))[1] == int(start):
            found[int(pid)] = int(start)
    more = True
    while more:
        more = {pid: start for pid, (parent, start) in processes.items() if parent in found and pid not in found}
        found |= more
    return found


def still_living(processes):
    now = living()
    return [pid for pid, start in processes.items() if pid in now and now[pid][1] == start]


def daemons():
    """{name: record} of the programs of the control plane and the nodes."""
    return {path.parent.name: path.read_text() for path in (kube.state_folder() / "run").glob("*/process")}


def start_pod(api, name, node):
    """A Pod that echoes lines, under gVisor, on this node."""
    pod = kube.restricted_pod(name, ["cat"], stdin=True, nodeSelector={"kubernetes.io/hostname": node})
    api.create(PODS.rstrip("/"), pod)
    return api.wait(PODS + name, kube.pod_is_running, f"Pod {name} runs")


def echoes(api, name):
    with Attach(api, PODS + name) as session:
        session.write(b"are you there?\n")
        return session.read_until(b"\n") == b"are you there?\n"


def wait_not_ready(api, node):
    return api.wait(NODES + node, lambda found: not kube.node_is_ready(found), f"{node} is not ready")


def is_disrupted(pod):
    return pod is None or any(c["type"] == "DisruptionTarget" for c in pod["status"].get("conditions", []))


def a_cluster_starts_and_grows():
    hack("up", FAST_NODE_FAILURE="1")
    before = daemons()
    is_(len(before), 5, "a new cluster has four programs of the control plane and one node")
    hack("up", FAST_NODE_FAILURE="1")
    is_(daemons(), before, "on a healthy cluster `up` starts nothing anew")
    hack("up", NODES="2", FAST_NODE_FAILURE="1")
    hack("node", "enter", "2", "ctr", "version")
    after = daemons()
    is_({name: after[name] for name in before}, before, "adding a node leaves what runs alone")
    is_(set(after) - set(before), {NODE_2}, "and starts the second node")


def a_killed_node_heals(api):
    start_pod(api, "on-killed", NODE_2)
    processes = cluster_processes()
    hack("node", "kill", "2")
    gone = set(processes) - set(cluster_processes())
    ok(len(gone) > 5, "all processes of a killed node are gone")
    is_(still_living({pid: processes[pid] for pid in gone}), [], "and dead")
    node = wait_not_ready(api, NODE_2)
    ok(not kube.node_is_ready(node), "a killed node becomes NotReady")
    pod = api.wait(PODS + "on-killed", is_disrupted, "the Pod of the dead node is disrupted")
    ok(pod["metadata"].get("deletionTimestamp"), "and its Pods are marked for deletion")
    hack("node", "heal", "2")
    ok(kube.node_is_ready(api.get(NODES + NODE_2)), "a healed node is Ready")
    api.wait_gone(PODS + "on-killed")
    start_pod(api, "on-healed", NODE_2)
    ok(echoes(api, "on-healed"), "and runs Pods")


def a_cut_node_heals(api):
    before = daemons()
    hack("node", "cut", "2")
    node = wait_not_ready(api, NODE_2)
    ok(not kube.node_is_ready(node), "a node that is cut off becomes NotReady")
    hack("node", "heal", "2")
    ok(kube.node_is_ready(api.get(NODES + NODE_2)), "with its cable back it is Ready")
    is_(daemons(), before, "and had gone on running meanwhile")


def the_api_server_restarts(api):
    before = daemons()
    hack("restart-apiserver")
    after = daemons()
    is_([name for name in before if before[name] != after[name]], ["kube-apiserver"], "only the API server is another process")
    ok(kube.node_is_ready(api.get(NODES + NODE_1)), "and answers")


def killed_as_a_whole_it_comes_back(api):
    processes = cluster_processes()
    for pid in still_living(processes):
        # A node's processes die with its first one.
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    hack("up", NODES="2", FAST_NODE_FAILURE="1")
    is_(set(processes) & set(cluster_processes()), set(), "after kill -9 of every process, all are new ones")
    # On a slow machine the node was away for so long that the Pod was also evicted.
    pod = api.wait(PODS + "survivor", lambda found: found is None or kube.pod_is_finished(found), "the Pod of before has ended")
    ok(pod is None or pod["status"]["phase"] == "Failed", "a Pod that ran is known to have failed")
    start_pod(api, "after", NODE_1)
    ok(echoes(api, "after"), "and new ones run")


def it_ends_without_a_trace(before):
    processes = cluster_processes()
    hack("down")
    is_(still_living(processes), [], "after `down` none of its processes is left")
    after = traces()
    for name, trace in after.items():
        is_(changes(before[name], trace), [], f"the {name} are those of before")
    is_([line for trace in after.values() for line in trace if "sbt" in line], [], "and none bears a name of the cluster's")


def main():
    if not kube.IS_LOCAL:
        skip("a foreign cluster is not ours to break", "the cluster's life")
        done_testing()
    hack("down")
    before = traces()
    a_cluster_starts_and_grows()
    api = kube.connect()
    start_pod(api, "survivor", NODE_1)
    ok(echoes(api, "survivor"), "a Pod runs on the first node")
    a_killed_node_heals(api)
    a_cut_node_heals(api)
    the_api_server_restarts(api)
    ok(echoes(api, "survivor"), "the Pod on the first node has lived through all of this")
    killed_as_a_whole_it_comes_back(api)
    it_ends_without_a_trace(before)
    hack("up")
    ok(kube.node_is_ready(kube.connect().get(NODES + NODE_1)), "a new cluster of one node is ready")
    done_testing()


main()
