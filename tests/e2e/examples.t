#!/usr/bin/env python3
"""The examples of the user guide, run as it says, by kubectl apply and kubectl wait: the guide shows each, and its outcome."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e  # noqa: E402
import kube  # noqa: E402
from sandboxes import kubectl, tasks  # noqa: E402
from tap import is_, like, ok  # noqa: E402

EXAMPLES = kube.CHECKOUT / "docs/examples"
GUIDE = (kube.CHECKOUT / "docs/user-guide.md").read_text()

# Each example, how it ends, and what of it the guide quotes: lines of its streams and its message.
WANTED = {
    "mean": ("Completed 0", "stdout", r"^4\.0\n$"),
    "backtest": ("Completed 0", "stdout", r'^{"days": 12, "trades": \d, "value": [\d.]+}\n$'),
    "failing": ("NonZeroExit 1", "stderr", r"^Traceback.*\"/work/main\.py\", line 3, in <module>.*KeyError: 'quantity'\n$"),
    "timeout": ("RunTimeout SIGKILL", "stdout", r"^step 0\n"),
    "big-output": ("Completed 0", "stdout", r"^0\n1\n2\n.*99998\n99999\n$"),
}
# Whose whole text is in the guide; the others' depends on the machine, or is long.
QUOTED = ("mean", "backtest", "failing")


def run(api, namespace, name, row):
    end, stream, pattern = row
    text = (EXAMPLES / f"{name}.yaml").read_text()
    ok(f"```yaml\n{text}```" in GUIDE, f"{name}: the guide shows the file as it is")
    kubectl("apply", f"--namespace={namespace}", "-f", str(EXAMPLES / f"{name}.yaml"))
    kubectl("wait", f"--namespace={namespace}", "--for=condition=Finished", "--timeout=120s", f"sandboxtask/{name}")
    task = api.get(f"{tasks(namespace)}/{name}")
    is_(e2e.end(task), end, f"{name}: {end}")
    written = e2e.stream(api, task, stream).decode()
    like(written, pattern, f"{name}: {stream} is as the guide says")
    if name in QUOTED:
        missing = [line for line in written.splitlines() if line not in GUIDE]
        is_(missing, [], f"{name}: and the guide quotes it to the letter")
    if task["status"]["phase"] == "Failed":
        ok(task["status"]["message"] in GUIDE, f"{name}: with its message")


def parts_by_kubectl(api, namespace):
    """The loop that the guide gives for a stream in parts."""
    names = kubectl("get", "sbt", "big-output", f"--namespace={namespace}",
                    "-o", "jsonpath={.status.stdout.refs[*].sandboxOutput.name}").split()
    task = api.get(f"{tasks(namespace)}/big-output")
    parts = [kubectl("get", "sbo", name, f"--namespace={namespace}", "-o", "jsonpath={.data}") for name in names]
    is_(sum(len(part) * 3 // 4 - part.count("=") for part in parts), task["status"]["stdout"]["bytes"],
        "the parts, read as the guide says, are the whole stream")


def main():
    is_(sorted(path.stem for path in EXAMPLES.glob("*.yaml")), sorted(WANTED), "every example is run here")
    api = e2e.start()
    with e2e.namespace(api) as namespace:
        for name, row in WANTED.items():
            run(api, namespace, name, row)
        parts_by_kubectl(api, namespace)
    e2e.finish(api)


if __name__ == "__main__":
    main()
