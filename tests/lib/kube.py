"""The cluster under test: a small client of its API, attach by websocket, the audit log, kubectl, images.

    import kube
    api = kube.connect()
    with kube.namespace(api, "attach") as namespace:
        api.create(f"/api/v1/namespaces/{namespace}/pods", kube.restricted_pod("echo", ["cat"], stdin=True))
        api.wait(f"/api/v1/namespaces/{namespace}/pods/echo", kube.pod_is_running, "the Pod runs")

The cluster is the local one of hack/cluster, or a foreign one: that of $KUBECONFIG, but only if $IMAGE_LOAD is set too, so
that a KUBECONFIG which merely happens to be in the environment is never touched.

Paths are the API's own, since the API is what is tested; nothing is retried or hidden.
"""

import base64
import contextlib
import functools
import http.client
import json
import os
import pathlib
import secrets
import shutil
import ssl
import struct
import subprocess
import tempfile
import time
import urllib.parse

CHECKOUT = pathlib.Path(__file__).resolve().parent.parent.parent
IS_LOCAL = not os.environ.get("IMAGE_LOAD")

REQUEST_SECONDS = 30
WAIT_SECONDS = 60
POLL_SECONDS = 0.05

JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"


# --- The API.


class ApiError(Exception):
    """An answer that is no success. .status is the HTTP status, .body the Status object, or text."""

    def __init__(self, method, path, answer):
        self.status = answer.status
        self.body = answer.body
        super().__init__(f"{method} {path}: {answer.status} {answer.message}")


class Answer:
    """What the API server said: .status, .headers, .body (decoded when it is JSON, else text), .message of a Status."""

    def __init__(self, response):
        text = response.read().decode(errors="replace")
        self.status = response.status
        self.headers = response.headers
        self.body = json.loads(text) if response.headers.get_content_type() == JSON else text
        self.message = self.body.get("message", "") if isinstance(self.body, dict) else self.body


class Client:
    """Speaks to the API server as one user. A connection a request: simple, and it outlives a restart of the server."""

    def __init__(self, server, trust, headers=()):
        address = urllib.parse.urlsplit(server)
        self.host, self.port, self.prefix = address.hostname, address.port or 443, address.path.rstrip("/")
        self.trust = trust
        self.headers = list(headers)

    def as_user(self, name, *groups):
        """The same, with the rights of another user, by impersonation."""
        headers = [("Impersonate-User", name), *(("Impersonate-Group", group) for group in groups)]
        return Client(f"https://{self.host}:{self.port}{self.prefix}", self.trust, self.headers + headers)

    def send(self, method, path, query=None, body=b"", headers=(), seconds=REQUEST_SECONDS):
        """Sends a request; the connection, whose answer is still to be read."""
        target = self.prefix + path + ("?" + urllib.parse.urlencode(query) if query else "")
        connection = http.client.HTTPSConnection(self.host, self.port, timeout=seconds, context=self.trust)
        connection.putrequest(method, target)
        for name, value in [("User-Agent", "sandboxtask-tests"), *self.headers, *headers]:
            connection.putheader(name, value)
        connection.endheaders(body)
        return connection

    def request(self, method, path, body=None, content_type=JSON, **query):
        """Sends one request, `body` as JSON unless it is bytes; an Answer, whatever its status."""
        if body is None:
            raw, headers = b"", []
        else:
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            headers = [("Content-Type", content_type), ("Content-Length", str(len(raw)))]
        with contextlib.closing(self.send(method, path, query, raw, headers)) as connection:
            return Answer(connection.getresponse())

    def demand(self, method, path, body=None, content_type=JSON, **query):
        """The answer's body; an ApiError unless it is a success."""
        answer = self.request(method, path, body, content_type, **query)
        if answer.status >= 300:
            raise ApiError(method, path, answer)
        return answer.body

    def get(self, path, **query):
        return self.demand("GET", path, **query)

    def create(self, path, body, **query):
        return self.demand("POST", path, body, **query)

    def replace(self, path, body, **query):
        return self.demand("PUT", path, body, **query)

    def patch(self, path, change, content_type=MERGE_PATCH, **query):
        return self.demand("PATCH", path, change, content_type, **query)

    def delete(self, path, options=None, **query):
        return self.demand("DELETE", path, options, **query)

    def watch(self, path, seconds=WAIT_SECONDS, **query):
        """Yields (type, object) of each event of a collection, until the server ends the watch after `seconds`."""
        query |= {"watch": "1", "timeoutSeconds": seconds}
        with contextlib.closing(self.send("GET", path, query, seconds=seconds + REQUEST_SECONDS)) as connection:
            response = connection.getresponse()
            if response.status != 200:
                raise ApiError("GET", path, Answer(response))
            while line := response.readline():
                event = json.loads(line)
                yield event["type"], event["object"]

    def find(self, path):
        """The object, or None when there is none."""
        answer = self.request("GET", path)
        if answer.status == 404:
            return None
        if answer.status >= 300:
            raise ApiError("GET", path, answer)
        return answer.body

    def wait(self, path, condition, what, seconds=WAIT_SECONDS):
        """Asks for the object until condition(object) holds; the object, which is None while there is none."""
        deadline = time.monotonic() + seconds
        while not condition(found := self.find(path)):
            if time.monotonic() > deadline:
                shown = json.dumps(found and found.get("status", found), indent=1)
                raise TimeoutError(f"not within {seconds} s: {what}; {path} is {shown}")
            time.sleep(POLL_SECONDS)
        return found

    def wait_gone(self, path, seconds=WAIT_SECONDS):
        self.wait(path, lambda found: found is None, f"{path} is gone", seconds)


def connect():
    """A Client with the admin's rights."""
    shown = kubectl("config", "view", "--raw", "--minify", "--flatten", "--output=json")
    assert shown.returncode == 0, shown.stderr
    config = json.loads(shown.stdout)
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    trust = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
    if "token" in user:
        return Client(cluster["server"], trust, [("Authorization", "Bearer " + user["token"])])
    with tempfile.NamedTemporaryFile() as pair:
        pair.write(base64.b64decode(user["client-certificate-data"]) + base64.b64decode(user["client-key-data"]))
        pair.flush()
        trust.load_cert_chain(pair.name)
    return Client(cluster["server"], trust)


# --- Objects.


def pod_is_running(pod):
    return pod is not None and pod["status"].get("phase") == "Running"


def pod_is_finished(pod):
    return pod is not None and pod["status"].get("phase") in ("Succeeded", "Failed")


def node_is_ready(node):
    return any(c["type"] == "Ready" and c["status"] == "True" for c in node["status"].get("conditions", []))


def restricted_pod(name, command, runtime_class="gvisor", stdin=False, labels=None, **spec):
    """A Pod of the test tools' image that the Pod Security Standard `restricted` lets pass. More of the spec by keywords."""
    container = {
        "name": "main", "image": image("test-tools"), "imagePullPolicy": "IfNotPresent", "command": command, "stdin": stdin,
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    defaults = {
        "runtimeClassName": runtime_class, "restartPolicy": "Never", "terminationGracePeriodSeconds": 1,
        "automountServiceAccountToken": False, "enableServiceLinks": False, "containers": [container],
        "securityContext": {"runAsNonRoot": True, "runAsUser": 65534, "seccompProfile": {"type": "RuntimeDefault"}},
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels or {}}, "spec": defaults | spec}


@contextlib.contextmanager
def namespace(api, purpose, labels=None):
    """A namespace of its own for one test, in which Pods can be made; its name. Deleted at the end, which isn't waited for."""
    name = f"test-{purpose}-{secrets.token_hex(3)}"
    api.create("/api/v1/namespaces", {"metadata": {"name": name, "labels": labels or {}}})
    try:
        account = f"/api/v1/namespaces/{name}/serviceaccounts/default"
        api.wait(account, lambda found: found is not None, "the namespace's service account is there")
        yield name
    finally:
        api.delete(f"/api/v1/namespaces/{name}")


# --- Attach.


class Unbuffered:
    """Lets http.client read an answer's head without taking what follows it."""

    def __init__(self, sock):
        self.sock = sock

    def makefile(self, mode):
        return self.sock.makefile(mode, buffering=0)


class Attach:
    """Attached to a Pod's only container by websocket, in the protocol v5.channel.k8s.io; use as a context manager.

    .stdout and .stderr are the bytes received and not read yet; .status is the Status object that ends a session, or None.
    """

    PROTOCOL = "v5.channel.k8s.io"
    STDIN, STDOUT, STDERR, ERROR = range(4)
    CLOSE_CHANNEL = 255

    CONTINUATION, BINARY, CLOSE, PING, PONG = 0, 2, 8, 9, 10

    def __init__(self, client, pod_path, stdin=True):
        self.buffer = b""
        self.stdout = b""
        self.stderr = b""
        self.status = None
        self.is_open = True
        path = pod_path + "/attach"
        query = {"stdin": str(stdin).lower(), "stdout": "true", "stderr": "true", "tty": "false"}
        headers = [
            ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", base64.b64encode(secrets.token_bytes(16)).decode()), ("Sec-WebSocket-Protocol", self.PROTOCOL),
        ]
        self.connection = client.send("GET", path, query, headers=headers)
        self.socket = self.connection.sock
        response = http.client.HTTPResponse(Unbuffered(self.socket), method="GET")
        response.begin()
        if response.status != 101:
            raise ApiError("GET", path, Answer(response))
        assert response.headers["Sec-WebSocket-Protocol"] == self.PROTOCOL

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.connection.close()

    def _send(self, opcode, payload):
        """One frame a message: the server takes a continuation for a new one. The mask has to be there, and is zero."""
        length = len(payload)
        if length < 126:
            head = struct.pack("!BB", 0x80 | opcode, 0x80 | length)
        elif length < 1 << 16:
            head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, length)
        else:
            head = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, length)
        self.socket.sendall(head + bytes(4) + payload)

    def write(self, data):
        """Sends bytes to the container's standard input."""
        self._send(self.BINARY, bytes([self.STDIN]) + data)

    def close_stdin(self):
        """Ends this session's standard input; with stdinOnce false the container never notices, and the session ends."""
        self._send(self.BINARY, bytes([self.CLOSE_CHANNEL, self.STDIN]))

    def _fill(self, length, deadline):
        while len(self.buffer) < length:
            self.socket.settimeout(max(deadline - time.monotonic(), 0.001))
            received = self.socket.recv(65536)
            if not received:
                raise ConnectionError("the server closed the connection without a close frame")
            self.buffer += received

    def _frame(self, deadline):
        """The next frame: (is last of its message, opcode, payload). A time-out loses nothing."""
        self._fill(2, deadline)
        head, length = self.buffer[0], self.buffer[1]
        start = 2
        if length >= 126:
            start, form = (4, "!H") if length == 126 else (10, "!Q")
            self._fill(start, deadline)
            (length,) = struct.unpack(form, self.buffer[2:start])
        self._fill(start + length, deadline)
        payload, self.buffer = self.buffer[start:start + length], self.buffer[start + length:]
        return bool(head & 0x80), head & 0x0F, payload

    def _receive(self, deadline):
        """Takes in one message."""
        message = b""
        is_last = False
        while not is_last:
            is_last, opcode, payload = self._frame(deadline)
            if opcode == self.PING:
                self._send(self.PONG, payload)
            if opcode == self.CLOSE:
                self.is_open = False
            if opcode in (self.CONTINUATION, self.BINARY):
                message += payload
        match message[:1]:
            case b"\x01":
                self.stdout += message[1:]
            case b"\x02":
                self.stderr += message[1:]
            case b"\x03" if len(message) > 1:
                self.status = json.loads(message[1:])

    def read_until(self, wanted, seconds=WAIT_SECONDS):
        """Takes standard output up to and with `wanted`, bytes."""
        deadline = time.monotonic() + seconds
        while wanted not in self.stdout and self.is_open:
            self._receive(deadline)
        before, found, rest = self.stdout.partition(wanted)
        assert found, f"the session ended before {wanted!r}; it got {before!r}, {self.status}"
        self.stdout = rest
        return before + found

    def wait_end(self, seconds=WAIT_SECONDS):
        """Receives until the server ends the session; the Status that it gave."""
        deadline = time.monotonic() + seconds
        while self.is_open:
            self._receive(deadline)
        return self.status


# --- The local cluster's audit log.


class AuditLog:
    """What was asked of the API server since the object was made: one event an answered request."""

    def __init__(self):
        self.path = state_folder() / "apiserver" / "audit.log"
        self.start = self.path.stat().st_size

    def events_until(self, answer, seconds=WAIT_SECONDS):
        """All events up to that of `answer`, which is written just after the answer is."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with self.path.open("rb") as log:
                log.seek(self.start)
                events = [json.loads(line) for line in log if line.endswith(b"\n")]
            if any(event["auditID"] == answer.headers["Audit-Id"] for event in events):
                return events
            time.sleep(POLL_SECONDS)
        raise TimeoutError(f"no audit event for this answer within {seconds} s")


# --- The local cluster's nodes.


def node(action, name, *arguments):
    """hack/cluster/node of the node with this name: what it printed."""
    number = name.rpartition("-")[2]
    command = [CHECKOUT / "hack/cluster/node", action, number, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


# --- Programs and images.


@functools.cache
def kubeconfig():
    """The path of the admin's kubeconfig."""
    if not IS_LOCAL:
        return os.environ["KUBECONFIG"]
    return subprocess.run([CHECKOUT / "hack/cluster/kubeconfig"], capture_output=True, text=True, check=True).stdout.strip()


def state_folder():
    """The local cluster's folder."""
    assert IS_LOCAL
    return pathlib.Path(kubeconfig()).parent.parent


def program(name):
    """The path of a program that speaks to clusters: the local cluster's version of it if there is one; None without any."""
    built = state_folder() / "bin" / name if IS_LOCAL else None
    return built if built and built.exists() else shutil.which(name)


def run_as_admin(name, arguments, stdin, folders=()):
    """Runs such a program. What it keeps of the cluster, in these folders of its own, must not outlive the CRDs of one test."""
    path = program(name)
    assert path, f"there is no {name}"
    with tempfile.TemporaryDirectory() as scratch:
        environment = os.environ | {"KUBECONFIG": kubeconfig(), "NO_PROXY": "*"}
        environment |= {folder: scratch for folder in ("KUBECACHEDIR", *folders)}
        return subprocess.run([path, *arguments], input=stdin, capture_output=True, text=True, check=False, env=environment)


def kubectl(*arguments, stdin=None):
    """Runs kubectl as admin. Its failure is for the caller to judge."""
    return run_as_admin("kubectl", arguments, stdin)


def helm(*arguments, stdin=None):
    """Runs helm as admin. Its failure is for the caller to judge."""
    return run_as_admin("helm", arguments, stdin, ("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"))


@functools.cache
def image(name):
    """Builds an image of the project and loads it into the cluster's nodes; its full reference."""
    build = subprocess.run([CHECKOUT / "hack/images/build", name], cwd=CHECKOUT, stdout=subprocess.PIPE, text=True, check=True)
    reference, _, tar = build.stdout.split()
    load = os.environ.get("IMAGE_LOAD") or CHECKOUT / "hack/cluster/load-image"
    subprocess.run(["bash", "-c", f'{load} "$1"', "bash", CHECKOUT / tar], stdout=subprocess.DEVNULL, check=True)
    return reference
