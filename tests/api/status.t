#!/usr/bin/env python3
"""The status of a task as clients meet it: there from the start, open to newer controllers, final once it is final.

The test writes /status itself, as the controller's ServiceAccount does.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import kube  # noqa: E402
import sandboxes  # noqa: E402
from sandboxes import task  # noqa: E402
from tap import done_testing, is_, like, ok  # noqa: E402

NOW = "2026-01-02T03:04:05Z"
UNFINISHED = "status.phase!=Succeeded,status.phase!=Failed"


def condition(kind, status="True", reason="Completed"):
    return {"type": kind, "status": status, "reason": reason, "lastTransitionTime": NOW}


SUCCESS = {"phase": "Succeeded", "reason": "Completed", "category": "Success", "retryable": False, "exitCode": 0,
           "message": "The program exited with 0.", "duration": "1.43s", "finishedAt": NOW, "podName": "sbt-x-1",
           "nodeName": "n1",
           "conditions": [condition("Finished"), condition("Succeeded"), condition("Reconciling", "False")]}
FAILURE = SUCCESS | {"phase": "Failed", "reason": "NonZeroExit", "category": "User", "exitCode": 3,
                     "conditions": [condition("Finished", reason="NonZeroExit"), condition("Succeeded", "False", "NonZeroExit")]}


class Scene:
    def __init__(self, api, namespace):
        self.admin = api
        self.controller = api.as_user(sandboxes.CONTROLLER)
        self.namespace = namespace
        self.tasks = sandboxes.tasks(namespace)

    def create(self, name, **spec):
        return self.admin.create(self.tasks, task(name, **spec))

    def write(self, name, status, **query):
        return self.controller.request("PATCH", f"{self.tasks}/{name}/status", {"status": status}, kube.MERGE_PATCH, **query)

    def names(self, selector):
        return [item["metadata"]["name"] for item in self.admin.get(self.tasks, fieldSelector=selector)["items"]]

    def kubectl(self, *arguments, stdin=None):
        return kube.kubectl("--namespace", self.namespace, *arguments, stdin=stdin)


def a_fresh_task_has_a_status(scene):
    created = scene.create("fresh")
    found = scene.admin.get(f"{scene.tasks}/fresh")
    is_(found["status"]["phase"], "Pending", "a fresh task is Pending before anyone wrote its status")
    is_([(c["type"], c["status"], c["reason"], c["lastTransitionTime"]) for c in found["status"]["conditions"]],
        [("Reconciling", "True", "Pending", "1970-01-01T00:00:00Z")],
        "and Reconciling, so that kstatus does not take it for done")
    is_(found["metadata"]["resourceVersion"], created["metadata"]["resourceVersion"], "which took no write")
    is_([m["operation"] for m in found["metadata"]["managedFields"] if m.get("subresource")], [], "and has no owner")
    is_(scene.names("status.phase=Pending"), ["fresh"], "field selectors find it by its phase")
    is_(scene.names(UNFINISHED), ["fresh"], "and among the unfinished ones")
    with_status = scene.admin.create(scene.tasks, task("cheat") | {"status": SUCCESS})
    is_(with_status["status"]["phase"], "Pending", "whoever creates a task can't bring its outcome along")
    scene.admin.patch(f"{scene.tasks}/cheat", {"status": SUCCESS})
    is_(scene.admin.get(f"{scene.tasks}/cheat")["status"]["phase"], "Pending", "nor write it later to the task itself")
    scene.admin.delete(f"{scene.tasks}/cheat")


def a_finished_status_is_final(scene):
    for name, final in (("good", SUCCESS), ("bad", FAILURE)):
        scene.create(name)
        is_(scene.write(name, final).status, 200, f"a task becomes {final['phase']} by one write")
        before = scene.admin.get(f"{scene.tasks}/{name}")
        for what, change in (("its message", {"message": "other"}), ("its phase", {"phase": "Running"}),
                             ("its exit code", {"exitCode": 1}),
                             ("its conditions", {"conditions": []}), ("a field it lacks", {"queuePosition": 1}),
                             ("the removal of a field", {"reason": None}), ("the removal of the phase", {"phase": None})):
            answer = scene.write(name, change)
            like(answer.message, r"status.*the task is finished", f"then {what} is refused ({final['phase']})")
        answer = scene.controller.request("PATCH", f"{scene.tasks}/{name}/status", {"status": None}, kube.MERGE_PATCH)
        like(answer.message, r"status.*the task is finished", "its status can't be removed")
        answer = scene.admin.request("PUT", f"{scene.tasks}/{name}/status", {k: v for k, v in before.items() if k != "status"})
        like(answer.message, r"status.*the task is finished", "nor replaced by nothing")
        is_(scene.write(name, {"message": final["message"]}).status, 200, "a write that changes nothing is accepted")
        after = scene.admin.get(f"{scene.tasks}/{name}")
        is_(after, before, "and nothing has changed")
        is_(after["metadata"]["generation"], 1, "a status is no new generation")
    is_(scene.names("status.phase=Failed"), ["bad"], "a field selector finds the failed one")
    is_(scene.names(UNFINISHED), ["fresh"], "finished tasks are not among the unfinished")
    ok(scene.admin.patch(f"{scene.tasks}/good", {"metadata": {"labels": {"kept": "yes"}}}), "a finished task can be labelled")


def a_stale_write_is_refused(scene):
    created = scene.create("raced")
    scene.admin.patch(f"{scene.tasks}/raced", {"metadata": {"labels": {"a": "b"}}})
    stale = {"metadata": {"resourceVersion": created["metadata"]["resourceVersion"]}, "status": SUCCESS}
    answer = scene.controller.request("PATCH", f"{scene.tasks}/raced/status", stale, kube.MERGE_PATCH)
    is_((answer.status, answer.body["reason"]), (409, "Conflict"), "a write with an old resourceVersion is a conflict")
    scene.admin.delete(f"{scene.tasks}/raced")


def a_newer_controller_is_understood(scene):
    scene.create("newer")
    status = {"phase": "Hibernating", "reason": "SomethingNobodyKnowsYet", "category": "Weather", "signal": "SIGRTMIN+3",
              "conditions": [condition("Thawed", "Unknown", "TooCold")],
              "isolation": {"runtime": "microVM", "network": {"access": "Moon", "proof": "Telescope"},
                            "layers": [{"name": "Ice", "state": "Cracked"}]}}
    answer = scene.write("newer", status | {"fieldOfTheFuture": 1})
    is_(answer.status, 200, "unknown words in a status are accepted")
    like(answer.headers.get("Warning", ""), "fieldOfTheFuture", "an unknown field is warned of")
    is_({k: answer.body["status"][k] for k in status}, status, "and dropped, the rest is kept")
    scene.admin.delete(f"{scene.tasks}/newer")


def sample(schema):
    """A small value for a schema: every field of an object, one item of a list, one character of a text."""
    match schema["type"]:
        case "object":
            return {name: sample(field) for name, field in schema["properties"].items()}
        case "array":
            return [sample(schema["items"])]
        case "string":
            return NOW if schema.get("format") == "date-time" else "x"
        case "integer":
            return 1
        case "boolean":
            return True


def every_field_can_be_written(scene):
    crd = scene.admin.get(f"{sandboxes.CRDS}/sandboxtasks.sandboxtask.io")
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]
    whole = sample(schema)
    scene.create("whole")
    answer = scene.write("whole", whole, fieldValidation="Strict")
    is_((answer.status, answer.body.get("status")), (200, whole), "a status with every field is stored as it was written")
    for field, length in (("stdout", 65536), ("stderr", 65536)):
        is_(scene.write("whole", {field: {"text": "é" * length}}, dryRun="All").status, 200, f"{field} holds 65536 characters")
        like(scene.write("whole", {field: {"text": "x" * (length + 1)}}, dryRun="All").message,
             rf"status\.{field}\.text: Too long",
             f"{field} holds no more")
        is_(scene.write("whole", {field: {"base64": "x" * 87384}}, dryRun="All").status, 200, f"{field} holds 64 KiB in base64")
    is_(scene.write("whole", {"session": "18446744073709551615"}, dryRun="All").status, 200, "a session has up to 64 bits")
    like(scene.write("whole", {"exitCode": 256}, dryRun="All").message, r"status\.exitCode.*255", "an exit code is at most 255")
    big = {"stdout": {"text": "\x01" * 65536}, "stderr": {"text": "\x01" * 65536}}
    is_(scene.write("whole", big).status, 200, "two streams of 64 KiB that JSON makes six times as long are stored")
    scene.admin.delete(f"{scene.tasks}/whole")


def kubectl_behaves(scene):
    manifest = json.dumps(task("applied", args=["1"], resources={"cpu": "500m"}, env=[{"name": "A"}]))
    like(scene.kubectl("apply", "-f", "-", stdin=manifest).stdout, "applied created", "kubectl apply creates a task")
    like(scene.kubectl("apply", "-f", "-", stdin=manifest).stdout, "applied unchanged", "and finds it unchanged")
    changed = json.dumps(task("applied", args=["2"]))
    like(scene.kubectl("apply", "-f", "-", stdin=changed).stderr, r"spec\.args.*can't be changed",
         "and tells what can't be changed")
    server_side = ("apply", "--server-side", "-f", "-")
    manifest = json.dumps(task("server-side", args=["1"]))
    like(scene.kubectl(*server_side, stdin=manifest).stdout, "serverside-applied", "kubectl apply --server-side creates a task")
    is_(scene.kubectl(*server_side, stdin=manifest).returncode, 0, "and can be repeated")
    like(scene.kubectl(*server_side, stdin=json.dumps(task("server-side", args=["2"]))).stderr, r"spec\.args",
         "and tells likewise")
    large = json.dumps(task("large", code="x" * 262144))
    like(scene.kubectl("apply", "-f", "-", stdin=large).stderr, "annotations: Too long", "the largest code is too long for apply")
    is_(scene.kubectl(*server_side, stdin=large).returncode, 0, "but not for apply --server-side")
    like(scene.kubectl("apply", "-f", "-", stdin=json.dumps(task("typo", cod="x"))).stderr, r'unknown field "spec\.cod"',
         "kubectl refuses a misspelt field")
    for name in ("applied", "server-side", "large"):
        scene.admin.delete(f"{scene.tasks}/{name}")


def kubectl_get_shows_the_columns(scene):
    def rows(*arguments):
        lines = scene.kubectl("get", "sbt", *arguments).stdout.splitlines()
        return [line.split() for line in lines]

    is_(rows()[0], ["NAME", "PHASE", "REASON", "EXIT", "DURATION", "AGE"], "kubectl get shows the columns")
    good = next(row for row in rows() if row[0] == "good")
    is_(good[:5], ["good", "Succeeded", "Completed", "0", "1.43s"], "with the outcome in them")
    is_(rows("-o", "wide")[0],
        ["NAME", "PHASE", "REASON", "EXIT", "DURATION", "AGE", "CLASS", "NODE", "POD", "FINISHTIME", "MESSAGE"],
        "and more of them with -o wide")
    good = next(row for row in rows("-o", "wide") if row[0] == "good")
    is_(good[6:10], ["default", "n1", "sbt-x-1", NOW], "whose finish time is exact")
    is_(len(rows("--field-selector", "status.phase=Failed")), 2, "kubectl get takes the field selector")
    like(scene.kubectl("get", "sandboxtask-io").stdout, "sandboxtask.sandboxtask.io/good", "the category shows all our kinds")
    like(scene.kubectl("get", "sbc").stdout, r"NAME +RUNTIMECLASS +PODNAMESPACE +MAXCPU +MAXMEMORY +MAXRUN +AGE\ndefault +gvisor",
         "classes have a short name and columns")
    is_(scene.kubectl("get", "sbo").returncode, 0, "outputs have a short name")


def kubectl_wait_behaves(scene):
    wait = ("wait", "--timeout=10s")
    is_(scene.kubectl(*wait, "--for=condition=Finished", "sbt/good").returncode, 0, "kubectl wait sees that a task has finished")
    is_(scene.kubectl(*wait, "--for=condition=Finished", "sbt/bad").returncode, 0, "in failure as well")
    is_(scene.kubectl(*wait, "--for=condition=Succeeded=false", "sbt/bad").returncode, 0, "and tells the two apart")
    is_(scene.kubectl(*wait, "--for=jsonpath={.status.phase}=Failed", "sbt/bad").returncode, 0, "by the phase, too")
    is_(scene.kubectl("wait", "--timeout=0s", "--for=condition=Finished", "sbt/fresh").returncode, 1,
        "a fresh task has not finished")


def explain_knows_every_field(scene):
    """The published schema is what kubectl explain shows: no field in it is without a text."""
    schemas = scene.admin.get("/openapi/v3/apis/sandboxtask.io/v1beta1")["components"]["schemas"]
    for kind in ("SandboxTask", "SandboxClass", "SandboxOutput"):
        silent = sorted(fields_without_text(schemas[f"io.sandboxtask.v1beta1.{kind}"]))
        is_(silent, [], f"every field of {kind} is explained")
    like(scene.kubectl("explain", "sandboxtask.spec.timeouts.runSeconds").stdout, r"Seconds of wall clock.*From 1 to\s+86400",
         "kubectl explain tells unit and limit")
    like(scene.kubectl("explain", "sbt.spec.output.onOverflow").stdout, r"(?i)ENUM:\s+Truncate,?\s+Fail", "and the choices")


def fields_without_text(schema, path=""):
    for name, field in schema.get("properties", {}).items():
        here = f"{path}.{name}"
        if not field.get("description"):
            yield here
        if name != "metadata":
            yield from fields_without_text(field.get("items", field), here)


def a_watch_as_table_carries_no_code(scene):
    """What the controller watches: unfinished tasks, as rows of named columns."""
    accept = ("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1")
    client = scene.controller
    client.headers.append(accept)
    listed = client.get(scene.tasks, fieldSelector=UNFINISHED, includeObject="Metadata")
    is_(listed["kind"], "Table", "tasks are listed as a table")
    names = [column["name"] for column in listed["columnDefinitions"]]
    is_(names, ["Name", "Phase", "Reason", "Exit", "Duration", "Age", "Class", "Node", "Pod", "FinishTime", "Message"],
        "with all columns by name")
    events = client.watch(scene.tasks, seconds=20, fieldSelector=UNFINISHED, includeObject="Metadata",
                          resourceVersion=listed["metadata"]["resourceVersion"])
    scene.create("watched", code="print('secret code')")
    kind, table = next(events)
    row = table["rows"][0]
    is_((kind, dict(zip(names, row["cells"]))["Phase"]), ("ADDED", "Pending"), "a new task comes as a row")
    ok("secret code" not in json.dumps(table), "without its code")
    is_(row["object"]["kind"], "PartialObjectMetadata", "with its metadata")
    scene.write("watched", {"phase": "Running", "nodeName": "n7"})
    kind, table = next(events)
    cells = dict(zip(names, table["rows"][0]["cells"]))
    is_((kind, cells["Phase"], cells["Node"]), ("MODIFIED", "Running", "n7"), "a change comes as a row")
    scene.write("watched", SUCCESS)
    kind, table = next(events)
    is_(kind, "DELETED", "a task that finishes leaves the selection")
    events.close()
    client.headers.remove(accept)
    finished = scene.kubectl("get", "sbt", "watched", "-o", "jsonpath={.status.phase}").stdout
    is_(finished, "Succeeded", "and is still there")


def main():
    api = kube.connect()
    sandboxes.install(api)
    with kube.namespace(api, "status") as namespace:
        scene = Scene(api, namespace)
        a_fresh_task_has_a_status(scene)
        a_finished_status_is_final(scene)
        a_stale_write_is_refused(scene)
        a_newer_controller_is_understood(scene)
        every_field_can_be_written(scene)
        kubectl_behaves(scene)
        kubectl_get_shows_the_columns(scene)
        kubectl_wait_behaves(scene)
        explain_knows_every_field(scene)
        a_watch_as_table_carries_no_code(scene)
    done_testing()


if __name__ == "__main__":
    main()
