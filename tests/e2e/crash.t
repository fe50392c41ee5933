#!/usr/bin/env python3
"""The controller is killed by SIGKILL at every moment that matters, with and without its Pod being deleted before the next one
comes: what becomes of the task is what the order of the writes promises, and its code is started once at most."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e  # noqa: E402
import kube  # noqa: E402
import sandboxes  # noqa: E402
from host_controller import HostController  # noqa: E402
from sandboxes import PODS_NAMESPACE  # noqa: E402
from tap import done_testing, is_, ok, skip  # noqa: E402

PODS = f"*/namespaces/{PODS_NAMESPACE}/pods?fieldManager=*"
STATUS = "*/sandboxtasks/*/status?*"
CODE = "import time\nprint('begun')\ntime.sleep(2)\nprint('done')"

# The moment, how the task ends when its Pod is still there, and when the Pod was deleted meanwhile (None: there is no Pod).
CRASHES = [
    ("before the Pod is created", f"before POST {PODS}", "Completed 0", None),
    ("when the Pod is created, and the answer not read", f"after POST {PODS}", "Completed 0", "Completed 0"),
    ("before the mark", f'before PATCH {STATUS} "phase":"Running"', "Completed 0", "Completed 0"),
    ("when the mark is set, and the answer not read", f'after PATCH {STATUS} "phase":"Running"', "Completed 0", "Interrupted"),
    ("when START is sent", "sent START", "Completed 0", "Interrupted"),
    ("in mid-run", "heard running", "Completed 0", "Interrupted"),
    ("when the run is over, and its outcome not read", "heard done", "Completed 0", "Interrupted"),
    ("before the final status", f'before PATCH {STATUS} "phase":"Succeeded"', "Completed 0", "Interrupted"),
    ("when the final status is written, and the Pod not deleted", f'after PATCH {STATUS} "phase":"Succeeded"',
     "Completed 0", "Completed 0"),
]


def crash(api, namespace, moment):
    """A controller that kills itself, with one task; the task, and how often it saw a START counted."""
    with HostController(api, moment) as controller:
        task = e2e.create(api, namespace, code=CODE)
        controller.wait_killed()
        return task, controller.starts(), controller.log()


def delete_pod(api, task):
    api.delete(e2e.pod_path(task), {"gracePeriodSeconds": 0})
    api.wait_gone(e2e.pod_path(task))


def recover(api, task):
    """The next controller; the finished task, once its Pod is gone."""
    with HostController(api) as controller:
        task = e2e.wait_finished(api, task)
        sandboxes.wait_until(lambda: not e2e.sandbox_pods(api), "no Pod is left")
        return task, controller.starts(), controller.log()


def killed(api, namespace, row, pod_is_deleted):
    when, moment, kept, deleted = row
    wanted = deleted if pod_is_deleted else kept
    task, starts, first_log = crash(api, namespace, moment)
    if pod_is_deleted:
        delete_pod(api, task)
    task, starts_later, second_log = recover(api, task)
    rule = f"killed {when}{', and the Pod is deleted' if pod_is_deleted else ''}: {wanted}"
    is_(e2e.end(task), wanted, rule)
    if wanted == "Completed 0":
        is_(e2e.stream(api, task, "stdout"), b"begun\ndone\n", "with the whole outcome of one run")
    ok(set(starts + starts_later) <= {0, 1}, f"no runner was started twice ({starts}, then {starts_later})")
    if not pod_is_deleted:
        is_(task["status"]["attempt"], 1, "and there was one Pod")
    ok(e2e.CANARY not in first_log + second_log, "neither said anything of the code")


def main():
    if not kube.IS_LOCAL:
        skip("a foreign cluster's API server may be out of reach from here", "crashes")
        done_testing()
    api = e2e.start()
    with e2e.stopped(api), e2e.namespace(api) as namespace:
        for row in CRASHES:
            killed(api, namespace, row, pod_is_deleted=False)
            if row[3]:
                killed(api, namespace, row, pod_is_deleted=True)
    e2e.finish(api)


if __name__ == "__main__":
    main()
