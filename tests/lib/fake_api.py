"""An API server that knows one Lease and no other object, for tests of the controller as a process.

    with fake_api.serving() as api:
        subprocess.Popen([program, "--kubeconfig", api.kubeconfig(folder)])
        wait for api.lease
"""

import contextlib
import http.server
import json
import pathlib
import ssl
import subprocess
import tempfile
import threading
import urllib.parse

TOKEN = "fake-api-token-0123456789"  # has to be in no log


class FakeApi(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lease = None
        self.requests = []  # (method, path)
        self.unauthorized = 0
        self.stopping = threading.Event()
        self._guard = threading.Lock()
        self._certificate = certificate_in(folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self._certificate)
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def kubeconfig(self, folder):
        """The path of a kubeconfig for this server."""
        return kubeconfig_in(folder, f"https://127.0.0.1:{self.server_address[1]}", self._certificate[0])

    def write_lease(self, lease, version):
        """Stores it, unless `version` (None: there is no Lease) is not the present one; the status to answer, and the object."""
        with self._guard:
            present = self.lease["metadata"]["resourceVersion"] if self.lease else None
            if present != version:
                return 409, status(409, "AlreadyExists" if version is None else "Conflict")
            lease["metadata"]["resourceVersion"] = str(int(present or 40) + 1)
            self.lease = lease
            return (201 if version is None else 200), lease

    def handle_error(self, request, client_address):
        """Clients that go away in mid-request are part of the tests."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        """Tests have their own output."""

    def handle_any(self):
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.requests.append((self.command, path))
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self.server.unauthorized += 1
            self.answer(401, status(401, "Unauthorized"))
        elif "/leases" in path:
            self.answer(*self.lease_answer(path, body))
        elif urllib.parse.parse_qs(query).get("watch"):
            self.hold_watch()
        elif self.command == "GET" and "=Table" in self.headers.get("Accept", ""):
            self.answer(200, {"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {"resourceVersion": "40"},
                              "columnDefinitions": [], "rows": []})
        elif self.command == "GET":
            self.answer(200, {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "40"}, "items": []})
        else:
            self.answer(404, status(404, "NotFound"))

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

    def lease_answer(self, path, body):
        if self.command == "GET":
            return (200, self.server.lease) if self.server.lease else (404, status(404, "NotFound"))
        lease = json.loads(body)
        if self.command == "POST":
            return self.server.write_lease(lease, None)
        return self.server.write_lease(lease, lease["metadata"]["resourceVersion"])

    def answer(self, code, value):
        text = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def hold_watch(self):
        """A watch in which nothing happens."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        self.server.stopping.wait()


def status(code, reason):
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": reason}


def certificate_in(folder):
    """A certificate for 127.0.0.1 that signs itself, and its key."""
    certificate, key = (str(pathlib.Path(folder, name)) for name in ("api.crt", "api.key"))
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    names = ["-subj", "/CN=fake", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(["openssl", "req", "-x509", "-nodes", *curve, *names, "-days", "2", "-out", certificate, "-keyout", key],
                   check=True, capture_output=True)
    return certificate, key


def kubeconfig_in(folder, server, certificate, namespace="testing"):
    path = pathlib.Path(folder, "kubeconfig")
    path.write_text(json.dumps({
        "current-context": "fake",
        "contexts": [{"name": "fake", "context": {"cluster": "fake", "user": "fake", "namespace": namespace}}],
        "clusters": [{"name": "fake", "cluster": {"server": server, "certificate-authority": certificate}}],
        "users": [{"name": "fake", "user": {"token": TOKEN}}],
    }))
    return str(path)


@contextlib.contextmanager
def serving():
    with tempfile.TemporaryDirectory() as folder, FakeApi(folder) as api:
        thread = threading.Thread(target=api.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield api
        finally:
            api.stopping.set()
            api.shutdown()
            thread.join()
