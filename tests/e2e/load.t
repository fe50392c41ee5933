#!/usr/bin/env python3
"""Many tasks: 30 at once, then 300 more, 10 at a time. All end rightly, and nothing is left of them."""

import collections
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e  # noqa: E402
import kube  # noqa: E402
import sandboxes  # noqa: E402
from tap import is_, note, ok, skip  # noqa: E402

AT_ONCE, MORE, AT_A_TIME = 30, 300, 10
# A class whose sandboxes share the CPUs of a node, so that twenty find room on one of two; ten more wait for their places.
SHARED = {"scheduling": {"cpuRequestPercent": 5}}
CLASS = "e2e-shared"
ROOM = {"sandboxClassName": CLASS, "resources": {"cpu": "1", "memory": "64Mi"}, "timeouts": {"startSeconds": 600}}
POLICIES = f"/apis/networking.k8s.io/v1/namespaces/{sandboxes.PODS_NAMESPACE}/networkpolicies"


def batch(api, namespace, count, at_once, what):
    """Each prints a number of its own, so that an outcome which went astray would be seen."""
    started = time.monotonic()
    specs = [dict(code="import sys\nprint(int(sys.stdin.read()) ** 2)", stdin=str(number), **ROOM) for number in range(count)]
    tasks = e2e.run_all(api, namespace, specs, at_once)
    is_(collections.Counter(map(e2e.end, tasks)), {"Completed 0": count}, f"{what}: all complete")
    wrong = [n for n, task in enumerate(tasks) if e2e.stream(api, task, "stdout") != f"{n * n}\n".encode()]
    is_(wrong, [], f"{what}: each with its own output")
    is_({task["status"]["attempt"] for task in tasks}, {1}, f"{what}: each with one Pod")
    note(f"{count} tasks in {time.monotonic() - started:.0f} s")


def cpu_is_shared(api, namespace):
    task = e2e.wait_running(api, e2e.create(api, namespace, code="import time; time.sleep(3)", **ROOM))
    resources = api.get(e2e.pod_path(task))["spec"]["containers"][0]["resources"]
    is_((resources["limits"]["cpu"], resources["requests"]["cpu"]), ("1100m", "55m"), "a Pod may use more than is kept for it")
    is_(resources["limits"]["memory"], resources["requests"]["memory"], "but of memory it has what it may use")
    e2e.wait_finished(api, task)


def policies(api):
    return [(policy["metadata"]["name"], policy["metadata"]["uid"], policy["metadata"]["resourceVersion"])
            for policy in api.get(POLICIES)["items"]]


def node_processes():
    """How many processes the node has of each program that a sandbox consists of; `exe` is gVisor's."""
    names = e2e.in_node("sh", "-c", "cat /proc/[0-9]*/comm 2>/dev/null || true").split("\n")
    return {name: names.count(name) for name in ("containerd-shim", "runsc", "exe")}


def open_files():
    """Of each replica: how many."""
    counts = e2e.in_node("sh", "-c", "for p in $(pidof sandboxtask-controller); do ls /proc/$p/fd | wc -l; done")
    return sorted(map(int, counts.split()))


def nothing_is_left(processes, files):
    sandboxes.wait_until(lambda: node_processes() == processes, "the last of the sandboxes' processes ends")
    ok(sum(processes.values()) > 0, f"the node has the processes that it had before, and no other ({processes})")
    sandboxes.wait_until(lambda: open_files() == files, "the controller closes the last of its connections")
    is_(len(files), 2, f"each replica has as many files open as before ({files})")


def main():
    api = e2e.start()
    is_local = kube.IS_LOCAL
    with e2e.namespace(api) as namespace, e2e.sandbox_class(api, CLASS, **SHARED):
        cpu_is_shared(api, namespace)
        batch(api, namespace, 1, 1, "one, so that all connections are there")
        sandboxes.wait_until(lambda: not e2e.sandbox_pods(api), "its sandbox is gone")
        before = (policies(api), node_processes() if is_local else {}, open_files() if is_local else [])
        batch(api, namespace, AT_ONCE, AT_ONCE, f"{AT_ONCE} at once")
        batch(api, namespace, MORE, AT_A_TIME, f"{MORE} more, {AT_A_TIME} at a time")
        sandboxes.wait_until(lambda: not e2e.sandbox_pods(api), "the sandboxes are gone")
        is_(policies(api), before[0], "no policy was made, changed or removed")
        if not is_local:
            skip("a foreign cluster's nodes are out of reach", "no process and no open file is left")
        else:
            nothing_is_left(before[1], before[2])
    e2e.finish(api)


if __name__ == "__main__":
    main()
