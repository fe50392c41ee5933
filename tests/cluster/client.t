#!/usr/bin/env python3
"""controller/kube against the cluster: verbs, watches through cut connections, attach, a renewed token."""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import kube  # noqa: E402

PROBE = os.environ["KUBE_PROBE"]  # the Makefile builds it


def start(api, namespace, name, command):
    pods = f"/api/v1/namespaces/{namespace}/pods"
    api.create(pods, kube.restricted_pod(name, command, stdin=True))
    return f"{pods}/{name}"


def kubeconfig_with_token(folder, token_file):
    """The admin's kubeconfig with another user: one whose token is in a file."""
    lines = pathlib.Path(kube.kubeconfig()).read_text().splitlines()
    server = next(line for line in lines if "server:" in line)
    authority = next(line for line in lines if "certificate-authority-data:" in line)
    path = pathlib.Path(folder) / "config"
    path.write_text(f"""clusters:
- name: c
  cluster:
{server}
{authority}
users:
- name: u
  user: {{tokenFile: {token_file}}}
contexts:
- name: x
  context: {{cluster: c, user: u}}
current-context: x
""")
    return path


def account_token(api, namespace):
    """A token of the namespace's default service account, which may view."""
    api.create(f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/rolebindings", {
        "metadata": {"name": "view"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
        "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": namespace}],
    })
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/default/token"
    return api.create(path, {"spec": {"expirationSeconds": 600}})["status"]["token"]


def main():
    api = kube.connect()
    with kube.namespace(api, "client") as namespace, tempfile.TemporaryDirectory() as folder:
        token_file, good = pathlib.Path(folder) / "token", pathlib.Path(folder) / "good"
        token_file.write_text("rubbish\n")
        good.write_text(account_token(api, namespace))
        echo = start(api, namespace, "echo", ["cat"])
        done = start(api, namespace, "done", ["true"])
        api.wait(echo, kube.pod_is_running, "the Pod runs")
        api.wait(done, kube.pod_is_finished, "the Pod has finished")
        parts = ["verbs", "watch", "attach", "token", kubeconfig_with_token(folder, token_file), token_file, good]
        sys.exit(subprocess.run([PROBE, kube.kubeconfig(), namespace, *parts], check=False).returncode)


if __name__ == "__main__":
    main()
