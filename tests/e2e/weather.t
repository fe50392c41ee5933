#!/usr/bin/env python3
"""Whatever breaks around a running task, it ends rightly: the API server, the kubelet, containerd, the leader, a drain."""

import collections
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e  # noqa: E402
import kube  # noqa: E402
import sandboxes  # noqa: E402
from tap import done_testing, is_, note, ok, skip  # noqa: E402

IN_FLIGHT = 20
AWAY_SECONDS = 15
LONG = "import time\nprint('begun')\ntime.sleep(6)\nprint('done')"


def in_mid_run(api, namespace, break_something, what, also=()):
    """Breaks something while a program runs; the outcome, which is the program's own or one of those named."""
    task = e2e.wait_running(api, e2e.create(api, namespace, code=LONG))
    break_something()
    task = e2e.wait_finished(api, task)
    if e2e.end(task) in also:
        return ok(True, f"{what}: honestly {e2e.end(task)}")
    is_((e2e.end(task), e2e.stream(api, task, "stdout")), ("Completed 0", b"begun\ndone\n"), f"{what}: the result arrives")
    return is_(task["status"]["attempt"], 1, "of the first run")


def restart_apiserver():
    subprocess.run([kube.CHECKOUT / "hack/cluster/restart-apiserver"], check=True)


def restart_in_node(program):
    """kill -9; the node starts it again."""
    before = e2e.node_pids(program)
    e2e.signal_node(program, "KILL")
    e2e.wait_restarted(program, before)


def node_is_ready(api):
    api.wait("/api/v1/nodes/sbt-node-1", kube.node_is_ready, "the node is ready")


def the_leader_is_killed(api, namespace):
    leader = e2e.wait_leader(api)
    tasks = [e2e.create(api, namespace, code=f"import time\ntime.sleep(3)\nprint({number})") for number in range(IN_FLIGHT)]
    sandboxes.wait_until(lambda: any(e2e.is_running(api.get(e2e.path_of(task))) for task in tasks), "the first of them run")
    api.delete(f"{sandboxes.pods(sandboxes.SYSTEM_NAMESPACE)}/{leader}", {"gracePeriodSeconds": 0})
    finished = [e2e.wait_finished(api, task) for task in tasks]
    is_(collections.Counter(map(e2e.end, finished)), {"Completed 0": IN_FLIGHT}, f"{IN_FLIGHT} tasks in flight all complete")
    wrong = [n for n, task in enumerate(finished) if e2e.stream(api, task, "stdout") != f"{n}\n".encode()]
    is_(wrong, [], "each with its own output, once")
    is_({task["status"]["attempt"] for task in finished}, {1}, "and one Pod each")
    ok(e2e.wait_leader(api) != leader, "another replica leads now")


def drained_with_an_unread_outcome(api, namespace):
    """The program ends while there is no controller, then its Pod is evicted: the runner keeps the outcome for its grace."""
    task = e2e.wait_running(api, e2e.create(api, namespace, code="import time\ntime.sleep(3)\nprint('kept')"))
    with e2e.stopped(api):
        e2e.pause(AWAY_SECONDS / 2)  # the program ends; nobody may look into the sandbox
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction",
                    "metadata": {"name": e2e.pod_name(task), "namespace": sandboxes.PODS_NAMESPACE}}
        api.create(f"{e2e.pod_path(task)}/eviction", eviction)
        e2e.pause(AWAY_SECONDS / 2)
    task = e2e.wait_finished(api, task)
    is_((e2e.end(task), e2e.stream(api, task, "stdout")), ("Completed 0", b"kept\n"),
        f"an outcome survives a drain with no controller for {AWAY_SECONDS} s")


def main():
    if not kube.IS_LOCAL:
        skip("a foreign cluster is not ours to break", "weather")
        done_testing()
    api = e2e.start()
    with e2e.namespace(api) as namespace:
        in_mid_run(api, namespace, restart_apiserver, "the API server is killed in mid-run")
        in_mid_run(api, namespace, lambda: restart_in_node("kubelet"), "the kubelet is killed in mid-run")
        in_mid_run(api, namespace, lambda: restart_in_node("containerd"), "containerd is killed in mid-run",
                   also=("Interrupted",))
        node_is_ready(api)
        the_leader_is_killed(api, namespace)
        drained_with_an_unread_outcome(api, namespace)
        note("the cluster is as before")
    e2e.finish(api)


if __name__ == "__main__":
    main()
