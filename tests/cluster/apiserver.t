#!/usr/bin/env python3
"""controller/kube against an API server of its own with awkward manners: GOAWAY now and then, one stream a connection,
an etcd that forgets at once, a restart. No node is needed; the cluster of other tests is left alone."""

import contextlib
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import ssl

CHECKOUT = pathlib.Path(__file__).resolve().parent.parent.parent
PROBE = os.environ["KUBE_PROBE"]  # the Makefile builds it
START_SECONDS = 120
TOKEN = "token-of-the-admin"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def openssl(*arguments, folder):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_keys(folder):
    new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "2"]
    openssl("req", "-x509", *new_key, "-subj", "/CN=ca", "-keyout", "ca.key", "-out", "ca.crt", folder=folder)
    openssl("req", "-x509", "-CA", "ca.crt", "-CAkey", "ca.key", *new_key, "-subj", "/CN=server",
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "server.key", "-out", "server.crt", folder=folder)
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "account.key", folder=folder)
    openssl("ec", "-in", "account.key", "-pubout", "-out", "account.pub", folder=folder)
    (folder / "tokens").write_text(f"{TOKEN},admin,admin,system:masters\n")


@contextlib.contextmanager
def process(name, *arguments, folder):
    """Runs a program until the end of the block; its output is in FOLDER/NAME.log."""
    with open(folder / f"{name}.log", "ab") as log:
        running = subprocess.Popen(arguments, stdout=log, stderr=log)
        try:
            yield running
        finally:
            running.terminate()
            running.wait()


def wait_ready(running, port, folder):
    trust = ssl.create_default_context(cafile=folder / "ca.crt")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trust))
    request = urllib.request.Request(f"https://127.0.0.1:{port}/readyz", headers={"Authorization": f"Bearer {TOKEN}"})
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            with opener.open(request, timeout=5):
                return
        except OSError as error:
            if time.monotonic() > deadline or running.poll() is not None:
                sys.exit(f"the API server is not ready: {error}\n" + (folder / "apiserver.log").read_text()[-2000:])
            time.sleep(0.1)


@contextlib.contextmanager
def apiserver(programs, etcd_port, port, folder):
    flags = [
        f"--etcd-servers=http://127.0.0.1:{etcd_port}", "--etcd-compaction-interval=1s",
        "--bind-address=127.0.0.1", f"--secure-port={port}", f"--cert-dir={folder}",
        f"--tls-cert-file={folder}/server.crt", f"--tls-private-key-file={folder}/server.key",
        f"--token-auth-file={folder}/tokens", "--authorization-mode=RBAC",
        "--service-account-issuer=https://test", f"--service-account-key-file={folder}/account.pub",
        f"--service-account-signing-key-file={folder}/account.key", "--service-cluster-ip-range=10.96.0.0/16",
        "--disable-admission-plugins=ServiceAccount", "--goaway-chance=0.02", "--http2-max-streams-per-connection=1",
    ]
    with process("apiserver", f"{programs}/kube-apiserver", *flags, folder=folder) as running:
        wait_ready(running, port, folder)
        yield


def kubeconfig(port, folder):
    path = folder / "config"
    path.write_text(f"""clusters:
- {{name: c, cluster: {{server: 'https://127.0.0.1:{port}', certificate-authority: ca.crt}}}}
users:
- {{name: u, user: {{token: {TOKEN}}}}}
contexts:
- {{name: x, context: {{cluster: c, user: u}}}}
current-context: x
""")
    return path


def probe(*arguments):
    return subprocess.run([PROBE, *map(str, arguments)], stdout=subprocess.PIPE, text=True, check=False)


def main():
    built = subprocess.run([CHECKOUT / "hack/cluster/build-programs"], stdout=subprocess.PIPE, text=True, check=True)
    programs = built.stdout.split()[-1]
    etcd_port, peer_port, port = free_port(), free_port(), free_port()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_keys(folder)
        config = kubeconfig(port, folder)
        etcd = [f"{programs}/etcd", f"--data-dir={folder}/etcd", "--unsafe-no-fsync", "--log-level=warn",
                f"--listen-client-urls=http://127.0.0.1:{etcd_port}", f"--advertise-client-urls=http://127.0.0.1:{etcd_port}",
                f"--listen-peer-urls=http://127.0.0.1:{peer_port}"]
        with process("etcd", *etcd, folder=folder):
            with apiserver(programs, etcd_port, port, folder):
                first = probe(config, "default", "verbs", "storm")
            with apiserver(programs, etcd_port, port, folder):
                second = probe(config, "default", "gone")
    report(first, second)


def report(*runs):
    """The runs' lines as those of one test, counted through."""
    count = 0
    for run in runs:
        for line in run.stdout.splitlines():
            state, _, rest = line.partition("ok ")
            if state in ("", "not ") and rest:
                count += 1
                print(f"{state}ok {count} - {rest.partition(' - ')[2]}")
            elif not line.startswith("1.."):
                print(line)
    print(f"1..{count}")
    sys.exit(max(abs(run.returncode) for run in runs))


if __name__ == "__main__":
    main()
