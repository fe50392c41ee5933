"""The controller as a process of this machine, with the rights it has in the cluster, and with a moment at which it kills itself.

    with HostController(api, failpoint="after POST */pods*") as controller:
        …
        controller.wait_killed()

CONTROLLER names the program: build/tests/e2e/controller, the shipped objects with tests/lib/failpoint_io between them and the
shipped io. There must be no other controller in the cluster.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile

import e2e
import kube
import sandboxes

PROGRAM = os.environ.get("CONTROLLER", str(kube.CHECKOUT / "build/tests/e2e/controller"))
TOKEN_SECONDS = 3600
KILLED_SECONDS = 60


def kubeconfig(api):
    """One with a token of the controller's service account, so that all of RBAC and admission is as in the cluster."""
    path = f"/api/v1/namespaces/{sandboxes.SYSTEM_NAMESPACE}/serviceaccounts/sandboxtask-controller/token"
    token = api.create(path, {"spec": {"expirationSeconds": TOKEN_SECONDS}})["status"]["token"]
    shown = json.loads(sandboxes.kubectl("config", "view", "--raw", "--minify", "--flatten", "--output=json"))
    return {
        "apiVersion": "v1", "kind": "Config", "current-context": "host",
        "clusters": [{"name": "host", "cluster": shown["clusters"][0]["cluster"]}],
        "users": [{"name": "host", "user": {"token": token}}],
        "contexts": [{"name": "host",
                      "context": {"cluster": "host", "user": "host", "namespace": sandboxes.SYSTEM_NAMESPACE}}],
    }


class HostController:
    def __init__(self, api, failpoint=""):
        self.api = api
        self.folder = tempfile.TemporaryDirectory()
        config = pathlib.Path(self.folder.name, "config")
        config.touch(mode=0o600)
        config.write_text(json.dumps(kubeconfig(api)))
        # The Lease of one that was killed would have to run out first; weather.t shows that it does.
        api.request("DELETE", e2e.LEASE)
        self.log_path = pathlib.Path(self.folder.name, "log")
        with self.log_path.open("wb") as log:
            self.process = subprocess.Popen([PROGRAM, "--kubeconfig", config, "--listen-port=0"], stdout=log, stderr=log,
                                            env={"PATH": os.environ["PATH"], "FAILPOINT": failpoint})

    def wait_killed(self):
        """Until it has killed itself at its failpoint."""
        self.process.wait(KILLED_SECONDS)
        assert self.process.returncode == -signal.SIGKILL, f"it ended by itself: {self.log()[-2000:]}"

    def log(self):
        return self.log_path.read_text(errors="replace")

    def starts(self):
        """The runners' counts of STARTs that it saw."""
        return [int(count) for count in re.findall(r"^starts (\d+)$", self.log(), re.MULTILINE)]

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()
