"""Tasks on the real cluster, with the controller running in it, for tests/e2e.

    api = e2e.start()
    with e2e.namespace(api) as namespace:
        task = e2e.run(api, namespace, code="print(6 * 7)")
        is_((e2e.end(task), e2e.stream(api, task, "stdout")), ("Completed 0", b"42\\n"), "a task runs")
    e2e.finish(api)

Every task carries a canary in its code, which no program here prints: e2e.finish() looks for it, and for anything like a token,
in all that the controller said.
"""

import base64
import concurrent.futures
import contextlib
import hashlib
import json
import re
import secrets
import subprocess
import time

import kube
import sandboxes
from kube import POLL_SECONDS
from sandboxes import PODS_NAMESPACE, SYSTEM_NAMESPACE
from tap import done_testing, is_

FINISH_SECONDS = 300
CPU = "300m"  # so that several find room on a small node
CANARY = "canary-" + secrets.token_hex(8)
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/{SYSTEM_NAMESPACE}/leases/sandboxtask-controller"
DEPLOYMENT = f"/apis/apps/v1/namespaces/{SYSTEM_NAMESPACE}/deployments/sandboxtask-controller"
CONTROLLER_PODS = "app.kubernetes.io/component=controller"


def start():
    """The cluster, with this checkout's controller in it."""
    api = kube.connect()
    sandboxes.install_controller(api)
    return api


def finish(api):
    """The end of every test: nothing is left, and nothing was said that should not be."""
    is_([pod["metadata"]["name"] for pod in sandbox_pods(api)], [], "no sandbox is left")
    is_(leaks(api), [], "no code, no input and no token of any task here is in a log, an event or a metric")
    done_testing()


@contextlib.contextmanager
def namespace(api, labels=None):
    """A namespace for tasks; its Pods are in the Pod namespace, and gone with it."""
    with kube.namespace(api, "e2e", labels) as name:
        yield name
        for task in api.get(sandboxes.tasks(name))["items"]:
            api.delete(path_of(task))
        sandboxes.wait_until(lambda: not sandbox_pods(api, of_namespace=name), f"the sandboxes of {name} are gone")


@contextlib.contextmanager
def sandbox_class(api, name, **spec):
    """A class like `default`, but for these fields, until the end of the block."""
    default = api.get(f"{sandboxes.CLASSES}/default")["spec"]
    api.create(sandboxes.CLASSES, sandboxes.sandbox_class(name, **(default | spec)))
    try:
        yield
    finally:
        api.delete(f"{sandboxes.CLASSES}/{name}")


# --- Tasks.


def create(api, namespace, name=None, code="print(6 * 7)", stdin=CANARY, **spec):
    """Creates a task with a canary in its code and, unless it has an input or None, there too; the object."""
    spec |= {"code": f"{code}\n# {CANARY}\n", "resources": {"cpu": CPU} | spec.get("resources", {})}
    spec |= {} if stdin is None else {"stdin": stdin}
    return api.create(sandboxes.tasks(namespace), sandboxes.task(name or f"task-{secrets.token_hex(4)}", **spec))


def path_of(task):
    return f"{sandboxes.tasks(task['metadata']['namespace'])}/{task['metadata']['name']}"


def is_finished(task):
    return task is not None and task["status"]["phase"] in ("Succeeded", "Failed")


def is_running(task):
    return task is not None and task["status"]["phase"] == "Running"


def wait_phase(api, task, condition, what, seconds=FINISH_SECONDS):
    return api.wait(path_of(task), condition, f"{task['metadata']['name']} {what}", seconds)


def wait_running(api, task):
    """Until its mark is set; a task that is finished already is an error."""
    found = wait_phase(api, task, lambda found: is_running(found) or is_finished(found), "runs")
    assert is_running(found), f"it ended before: {end(found)}: {found['status'].get('message')}"
    return found


def wait_finished(api, task, seconds=FINISH_SECONDS):
    return wait_phase(api, task, is_finished, "is finished", seconds)


def run(api, namespace, **spec):
    return wait_finished(api, create(api, namespace, **spec))


def run_all(api, namespace, specs, at_once):
    """Runs many tasks, at most so many at a time; the finished ones, in order."""
    with concurrent.futures.ThreadPoolExecutor(at_once) as workers:
        return list(workers.map(lambda spec: run(api, namespace, **spec), specs))


def end(task):
    """How it ended in one short text: `Completed 0`, `NonZeroExit 3`, `RunTimeout SIGKILL`."""
    status = task["status"]
    about = status.get("exitCode", status.get("signal"))
    return status.get("reason", status["phase"]) + ("" if about is None else f" {about}")


def stream(api, task, name):
    """The bytes of stdout or stderr that were kept: from the SandboxOutputs, each held against its hash, or inline."""
    found = task["status"][name]
    if "refs" not in found:
        return inline(found)
    parts = []
    for ref in found["refs"]:
        output = api.get(f"{sandboxes.outputs(task['metadata']['namespace'])}/{ref['sandboxOutput']['name']}")
        part = base64.b64decode(output["data"])
        assert (len(part), hashlib.sha256(part).hexdigest()) == (ref["bytes"], ref["sha256"]), f"{ref} is not what it says"
        assert output["task"]["uid"] == task["metadata"]["uid"]
        parts.append(part)
    return b"".join(parts)


def inline(found):
    return base64.b64decode(found["base64"]) if "base64" in found else found["text"].encode()


def conditions(task):
    return {condition["type"]: condition["status"] for condition in task["status"]["conditions"]}


# --- Sandboxes: the Pods of tasks.


def sandbox_pods(api, namespace=PODS_NAMESPACE, of_namespace=""):
    """Pods of ours, all of them or those of the tasks of one namespace."""
    found = api.get(sandboxes.pods(namespace))["items"]
    return [pod for pod in found if pod["metadata"]["name"].startswith("sbt-")
            and pod["metadata"].get("annotations", {}).get("sandboxtask.io/task", "").startswith(of_namespace)]


def pod_name(task, attempt=1):
    return f"sbt-{task['metadata']['uid'].replace('-', '')}-{attempt}"


def pod_path(task, attempt=1, namespace=PODS_NAMESPACE):
    return f"{sandboxes.pods(namespace)}/{pod_name(task, attempt)}"


# --- The controller in the cluster.


def replicas(api):
    """The names of its Pods."""
    found = api.get(sandboxes.pods(SYSTEM_NAMESPACE), labelSelector=CONTROLLER_PODS)["items"]
    return sorted(pod["metadata"]["name"] for pod in found)


def leader(api):
    """The name of the Pod that leads: the Lease's holder is named after it."""
    holder = api.get(LEASE)["spec"].get("holderIdentity") or ""
    return next((name for name in replicas(api) if holder.startswith(name)), None)


def wait_leader(api):
    sandboxes.wait_until(lambda: leader(api), "a replica leads")
    return leader(api)


def scale(api, count):
    """Returns when so many replicas are ready, and no other is left."""
    api.patch(DEPLOYMENT, {"spec": {"replicas": count}})
    sandboxes.wait_until(lambda: len(replicas(api)) == count, f"there are {count} replicas")
    api.wait(DEPLOYMENT, lambda found: found["status"].get("readyReplicas", 0) == count, f"{count} replicas are ready")


@contextlib.contextmanager
def stopped(api):
    """No controller in the cluster, until the end of the block."""
    scale(api, 0)
    try:
        yield
    finally:
        scale(api, 2)


def logs(api):
    """{name: what it said so far} of every replica."""
    return {name: api.get(f"{sandboxes.pods(SYSTEM_NAMESPACE)}/{name}/log") for name in replicas(api)}


def metrics(api, name):
    return api.get(f"{sandboxes.pods(SYSTEM_NAMESPACE)}/{name}:8080/proxy/metrics")


def leaks(api):
    """Where a canary or something like a token stands."""
    places = {f"log of {name}": text for name, text in logs(api).items()}
    places |= {f"metrics of {name}": metrics(api, name) for name in replicas(api)}
    places["events"] = json.dumps(api.get("/apis/events.k8s.io/v1/events"))
    return [place for place, text in places.items() if CANARY in text or re.search(r"\beyJ[\w-]{20,}\.", text)]


# --- The node, of the local cluster.


def in_node(*command):
    """Runs a command inside the first node; what it prints."""
    done = subprocess.run([kube.CHECKOUT / "hack/cluster/node", "enter", "1", *command], capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def node_pids(program):
    """The node's process ids of a program of it; children that are still the program, about to become another, are left out."""
    listed = in_node("sh", "-c", f"ps -C {program} -o pid=,ppid= || true")
    parents = dict(map(int, line.split()) for line in listed.splitlines())
    return [pid for pid, parent in parents.items() if parent not in parents]


def signal_node(program, signal):
    """Sends a signal to a program of the node."""
    in_node("kill", f"-{signal}", *map(str, node_pids(program)))


def wait_restarted(program, before):
    """Until a program of the node is another process than before."""
    sandboxes.wait_until(lambda: (now := node_pids(program)) and not set(now) & set(before), f"{program} runs anew")


def pause(seconds):
    """For what is about time itself: an outage of a length."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
