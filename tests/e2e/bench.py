#!/usr/bin/env python3
"""Figures of tasks on the real cluster, with the controller in it.

usage: bench.py FILE NAME...    cold, burst20, writes, cpu, rss: appends one JSON object a line to FILE

Everything that is compared is made in the same run, in turns, with the same image, RuntimeClass, Pod spec and NetworkPolicy.
Times are taken by a watch, from the request that creates an object to the event that shows it as it should be.
"""

import contextlib
import copy
import os
import re
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import e2e
import kube
import sandboxes
from bench import Table

RUNS = int(os.environ.get("RUNS", "30"))
MANY_TASKS = int(os.environ.get("MANY_TASKS", "1000"))
MANY_SESSIONS = int(os.environ.get("MANY_SESSIONS", "100"))
USUAL = {"resources": {"cpu": "1"}}  # the default of the class
CODE = "print(42)"
JOBS = "/apis/batch/v1/namespaces/{}/jobs"
POLICIES = "/apis/networking.k8s.io/v1/namespaces/{}/networkpolicies"
# What the Pod namespace has for sandboxes: the node does its work for bare Pods as well.
CLOSED = {"metadata": {"name": "closed"}, "spec": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}}
WATCH_SECONDS = 3000


class Arrivals:
    """When each object of a collection was first seen to be as it should be."""

    def __init__(self, api, path, condition):
        self.times, self.objects = {}, {}
        self.news = threading.Condition()
        threading.Thread(target=self.watch, args=(api, path, condition), daemon=True).start()

    def watch(self, api, path, condition):
        for _, found in api.watch(path, WATCH_SECONDS):
            name = found["metadata"]["name"]
            if name in self.times or not condition(found):
                continue
            with self.news:
                self.times[name], self.objects[name] = time.monotonic(), found
                self.news.notify_all()

    def wait(self, name, seconds=120):
        with self.news:
            assert self.news.wait_for(lambda: name in self.times, seconds), f"{name} did not arrive"
        return self.times[name]


def job_is_complete(job):
    return job["status"].get("succeeded", 0) > 0


class Bench:
    """A namespace with what every figure needs: ways to make tasks, bare Pods and Jobs, and to see them arrive."""

    def __init__(self, api, namespace, **task):
        """`task`: what every task says beside its code."""
        self.api, self.namespace, self.task = api, namespace, task
        api.create(POLICIES.format(namespace), CLOSED)
        self.tasks = Arrivals(api, sandboxes.tasks(namespace), e2e.is_finished)
        self.pods = Arrivals(api, sandboxes.pods(namespace), kube.pod_is_running)
        self.jobs = Arrivals(api, JOBS.format(namespace), job_is_complete)
        self.spec = self.sandbox_spec()
        self.count = 0

    def sandbox_spec(self):
        """The spec of a Pod of ours, as a bare Pod can have it."""
        task = e2e.wait_running(self.api, self.create("model", "import time; time.sleep(2)"))
        spec = copy.deepcopy(self.api.get(e2e.pod_path(task))["spec"])
        e2e.wait_finished(self.api, task)
        for given in ("nodeName", "tolerations", "serviceAccount", "serviceAccountName", "priority", "preemptionPolicy"):
            spec.pop(given, None)
        return spec

    def create(self, name, code):
        return e2e.create(self.api, self.namespace, name, code, **self.task)

    def name(self, kind):
        self.count += 1
        return f"{kind}-{self.count}"

    def create_task(self, code=CODE):
        name = self.name("task")
        started = time.monotonic()
        self.create(name, code)
        return name, started

    def create_pod(self):
        name = self.name("pod")
        started = time.monotonic()
        self.api.create(sandboxes.pods(self.namespace), {"metadata": {"name": name}, "spec": self.spec})
        return name, started

    def delete_pods(self, *names):
        """As the controller does, and until the node is done with them: else they would slow down what is measured next."""
        paths = [f"{sandboxes.pods(self.namespace)}/{name}" for name in names]
        for path in paths:
            self.api.delete(path, {"gracePeriodSeconds": 1})
        for path in paths:
            self.api.wait_gone(path)

    def time_task(self, code=CODE):
        name, started = self.create_task(code)
        taken = self.tasks.wait(name) - started
        task = self.tasks.objects[name]
        assert e2e.end(task) == "Completed 0", task["status"]
        self.api.wait_gone(e2e.pod_path(task))
        return taken * 1000

    def time_pod(self):
        name, started = self.create_pod()
        taken = self.pods.wait(name) - started
        self.delete_pods(name)
        return taken * 1000

    def time_job(self):
        """Until its log is read, which is what whoever uses Jobs for this has to do."""
        name = self.name("job")
        spec = copy.deepcopy(self.spec)
        container = spec["containers"][0]
        for given in ("args", "stdin"):
            container.pop(given, None)
        container["command"] = ["python3", "-c", CODE]
        spec.pop("activeDeadlineSeconds", None)
        started = time.monotonic()
        self.api.create(JOBS.format(self.namespace), {"metadata": {"name": name}, "spec": {
            "backoffLimit": 0, "template": {"spec": spec}}})
        self.jobs.wait(name)
        pod = self.api.get(sandboxes.pods(self.namespace), labelSelector=f"job-name={name}")["items"][0]["metadata"]["name"]
        log = self.api.get(f"{sandboxes.pods(self.namespace)}/{pod}/log")
        taken = time.monotonic() - started
        assert log == "42\n", log
        self.api.delete(f"{JOBS.format(self.namespace)}/{name}", {"propagationPolicy": "Foreground"})
        self.api.wait_gone(f"{sandboxes.pods(self.namespace)}/{pod}")
        return taken * 1000


# --- The controller's process.


class Controller:
    """The replicas' processes, seen from the node."""

    def __init__(self):
        self.pids = e2e.node_pids("sandboxtask-controller")

    def rss_kib(self):
        """Of the leader: a standby holds next to nothing."""
        return max(int(re.search(r"^VmRSS:\s+(\d+)", e2e.in_node("cat", f"/proc/{pid}/status"), re.M)[1]) for pid in self.pids)

    def cpu_ms(self):
        """Of all replicas: a standby's share is small, and always there."""
        ticks = 0
        for pid in self.pids:
            fields = e2e.in_node("cat", f"/proc/{pid}/stat").rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks * 1000 / os.sysconf("SC_CLK_TCK")


# --- The figures.


def phases(table, tasks):
    """Where the time of a cold task goes: the controller's own clock, one row a phase."""
    for phase in ("queued", "start", "run", "collect", "total"):
        table.row(f"cold-{phase}", "ms", [task["status"]["durations"][f"{phase}Milliseconds"] for task in tasks])


def cold(table, api):
    """One task at a time, on a warm node: from the request that creates it to its result in status."""
    with e2e.namespace(api) as namespace:
        bench = Bench(api, namespace, **USUAL)
        tasks, pods, jobs = [], [], []
        bench.time_pod(), bench.time_job()
        for _ in range(RUNS):
            tasks.append(bench.time_task())
            pods.append(bench.time_pod())
            jobs.append(bench.time_job())
        table.row("cold", "ms", tasks, {"pod": pods, "job": jobs})
        table.row("cold-pod", "ms", pods)
        table.row("cold-job", "ms", jobs)
        phases(table, [task for name, task in bench.tasks.objects.items() if name != "model"])


def burst20(table, api):
    """Twenty at once: until the last one is there, and until the node is done with all of them."""
    with e2e.namespace(api) as namespace, roomy_class(api) as class_name:
        bench = Bench(api, namespace, sandboxClassName=class_name, **USUAL)
        tasks, pods, tasks_gone, pods_gone = [], [], [], []
        for _ in range(max(1, RUNS // 10)):
            created = [bench.create_task() for _ in range(20)]
            tasks.append(since(created, max(bench.tasks.wait(name) for name, _ in created)))
            for name, _ in created:
                api.wait_gone(e2e.pod_path(bench.tasks.objects[name]))
            tasks_gone.append(since(created, time.monotonic()))
            created = [bench.create_pod() for _ in range(20)]
            pods.append(since(created, max(bench.pods.wait(name) for name, _ in created)))
            bench.delete_pods(*(name for name, _ in created))
            pods_gone.append(since(created, time.monotonic()))
        table.row("burst20", "ms", tasks, {"pods": pods})
        table.row("burst20-pods", "ms", pods)
        table.row("burst20-gone", "ms", tasks_gone, {"pods": pods_gone})
        table.row("burst20-pods-gone", "ms", pods_gone)


def since(created, then):
    """In milliseconds, from when the first of those was created."""
    return 1000 * (then - created[0][1])


def writes(table, api):
    """Our writes for one task, Events and Lease left out: by the API server's audit log."""
    count = 10
    with e2e.namespace(api) as namespace:
        bench = Bench(api, namespace, **USUAL)
        log = kube.AuditLog()
        for _ in range(count):
            bench.time_task()
        events = log.events_until(api.request("GET", "/version"))
    ours = [event for event in events if event["user"]["username"] == sandboxes.CONTROLLER
            and event["verb"] in ("create", "update", "patch", "delete")
            and event["objectRef"]["resource"] not in ("events", "leases")
            and event["objectRef"].get("subresource") != "attach"]
    table.row("writes", "writes", round(len(ours) / count, 2))


def cpu(table, api):
    """The controller's CPU time for one task: what it uses with tasks one after the other, less what it uses without any."""
    with e2e.namespace(api) as namespace:
        bench, controller = Bench(api, namespace, **USUAL), Controller()
        idle, started = controller.cpu_ms(), time.monotonic()
        e2e.pause(20)
        idle_per_second = (controller.cpu_ms() - idle) / (time.monotonic() - started)
        busy, started = controller.cpu_ms(), time.monotonic()
        for _ in range(RUNS):
            bench.time_task()
        used = controller.cpu_ms() - busy - idle_per_second * (time.monotonic() - started)
        table.row("cpu-idle", "ms/s", round(idle_per_second, 2))
        table.row("cpu-per-task", "ms", round(used / RUNS, 2))


def rss(table, api):
    """The leader's memory: with nothing to do, after many tasks, with many sandboxes attached."""
    with e2e.namespace(api) as namespace, roomy_class(api, overhead={"cpu": "0"}) as class_name:
        controller = Controller()
        table.row("rss-idle", "KiB", controller.rss_kib())
        many = e2e.run_all(api, namespace, [{"code": CODE, "sandboxClassName": class_name}] * MANY_TASKS, at_once=10)
        assert {e2e.end(task) for task in many} == {"Completed 0"}
        table.row(f"rss-after-{MANY_TASKS}", "KiB", controller.rss_kib())
        # So little CPU that the runners' looks at the memory leave some to the node.
        tasks = [e2e.create(api, namespace, code="import time; time.sleep(600)", sandboxClassName=class_name,
                            resources={"cpu": "10m", "memory": "32Mi"}) for _ in range(MANY_SESSIONS)]
        for task in tasks:
            e2e.wait_phase(api, task, e2e.is_running, "runs", 600)
        table.row(f"rss-{MANY_SESSIONS}-sessions", "KiB", controller.rss_kib())


@contextlib.contextmanager
def roomy_class(api, **spec):
    """A class that lets one namespace have many at once, on a node of two CPUs, which they share."""
    name = "bench-roomy"
    default = api.get(f"{sandboxes.CLASSES}/default")
    api.create(sandboxes.CLASSES, sandboxes.sandbox_class(
        name, runtimes=default["spec"]["runtimes"], scheduling={"cpuRequestPercent": 1}, **spec,
        concurrency={"maxTasks": MANY_SESSIONS, "maxTasksPerNamespace": MANY_SESSIONS},
        timeouts={"runSeconds": {"default": 900, "max": 900}}))
    try:
        yield name
    finally:
        api.delete(f"{sandboxes.CLASSES}/{name}")


FIGURES = {figure.__name__: figure for figure in (cold, burst20, writes, cpu, rss)}


def main():
    table = Table(sys.argv[1])
    api = e2e.start()
    for name in sys.argv[2:] or FIGURES:
        FIGURES[name](table, api)


main()
