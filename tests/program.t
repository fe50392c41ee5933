#!/usr/bin/env python3
"""sandboxtask-controller as a process, without a cluster: how it starts, answers and ends.

CONTROLLER names the program (default: build/bin/sandboxtask-controller).
"""

import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "lib"))
import fake_api  # noqa: E402
import yaml  # noqa: E402
from tap import diag, done_testing, is_, like, ok  # noqa: E402

CHECKOUT = HERE.parent
CONTROLLER = os.environ.get("CONTROLLER", str(CHECKOUT / "build/bin/sandboxtask-controller"))
OPERATIONS = (CHECKOUT / "docs/operations.md").read_text()
VERSION = re.search(r"^VERSION := (\S+)$", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)[1]
WAIT_SECONDS = 60
POLL_SECONDS = 0.02


def wait_until(condition, what):
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"not within {WAIT_SECONDS} s: {what}"
        time.sleep(POLL_SECONDS)


def environment(**more):
    """Nothing of the environment but what a program needs to run; sanitizers' options are the caller's."""
    kept = {name: value for name, value in os.environ.items() if name == "PATH" or name.endswith("SAN_OPTIONS")}
    return {**kept, **more}


# --- What it says and then ends.


def run(*arguments, **variables):
    return subprocess.run([CONTROLLER, *arguments], env=environment(**variables), capture_output=True, text=True,
                          timeout=WAIT_SECONDS)


def documented(heading):
    """The rows of the table under a heading of docs/operations.md, each a list of its cells."""
    section = re.search(rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)", OPERATIONS, re.MULTILINE | re.DOTALL)[1]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| `")]
    assert rows, f"docs/operations.md has a table under {heading}"
    return rows


def it_says_what_it_is():
    version = run("--version")
    is_((version.returncode, version.stdout, version.stderr), (0, f"sandboxtask-controller {VERSION}\n", ""), "--version")
    text = run("--help")
    is_((text.returncode, text.stderr), (0, ""), "--help")
    rows = re.findall(r"^  (--[\w-]+), (\w+): (.*?)(?:; default (.*))?\n      (.*)$", text.stdout, re.MULTILINE)
    table = [[f"`{key}`", f"`{flag}`", bounds, f"`{default}`" if default else "", meaning]
             for flag, key, bounds, default, meaning in rows]
    is_(documented("Configuration"), table, "docs/operations.md has the table of --help")


def bad_starts_say_why():
    with tempfile.TemporaryDirectory() as folder:
        def written(name, text):
            path = pathlib.Path(folder, name)
            path.write_text(text)
            return str(path)

        config = written("config.yaml", "maxTasks: 10\nmaxTask: 10\n")
        broken = written("broken", "clusters: [\n")
        no_namespace = fake_api.kubeconfig_in(folder, "https://127.0.0.1:1", fake_api.certificate_in(folder)[0], namespace="")
        rows = [
            ("an unknown flag", ["--maxtasks", "3"], {}, 64, r'unknown flag "--maxtasks": --help lists them'),
            ("a value out of its bounds", ["--max-tasks=0"], {}, 64, r"--max-tasks has to be a number from 1 to 10000"),
            ("a file that is not there", ["--config", f"{folder}/none"], {}, 78, r"opening \S+/none: No such file or directory"),
            ("a file with an unknown key", ["--config", config], {}, 78, r'\S+/config.yaml:2: unknown key "maxTask": the keys '),
            ("a kubeconfig that is not there", ["--kubeconfig", f"{folder}/none"], {}, 78, r".*/none"),
            ("a kubeconfig that is broken", ["--kubeconfig", broken], {}, 78, r"\S+/broken:2: "),
            ("the same in the environment", [], {"KUBECONFIG": broken}, 78, r"\S+/broken:2: "),
            ("a flag and an environment", ["--kubeconfig", f"{folder}/none"], {"KUBECONFIG": broken}, 78, r".*/none"),
            ("no word about an API server", [], {}, 78, r"no kubeconfig is set: this is no Pod: KUBERNETES_SERVICE_HOST and "),
            ("a Pod without a service account", [], {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}, 78,
             r"no kubeconfig is set: the service account of this Pod: opening \S+/token: No such file"),
            ("no namespace for the Lease", ["--kubeconfig", no_namespace], {}, 78, r"leaseNamespace has to be set: "),
        ]
        for name, arguments, variables, code, message in rows:
            result = run(*arguments, **variables)
            is_((result.returncode, result.stdout), (code, ""), f"{name}: exit {code}")
            like(result.stderr, rf"\Asandboxtask-controller: {message}[^\n]*\n\Z", f"{name}: one line says why")


# --- What it does while it runs.


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Running:
    """The program, and what its log has said so far."""

    def __init__(self, kubeconfig, port):
        self.port = port
        self._log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [CONTROLLER, "--kubeconfig", kubeconfig, "--listen-address", "127.0.0.1", "--listen-port", str(port)],
            env=environment(), stdin=subprocess.DEVNULL, stderr=self._log)

    def log(self):
        return os.pread(self._log.fileno(), 1 << 20, 0).decode()

    def get(self, path):
        """Status and text; status 0 while nobody answers."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.read().decode()
        except OSError:
            return 0, ""

    def signal(self, number):
        self.process.send_signal(number)

    def ended(self):
        return self.process.wait(timeout=WAIT_SECONDS)


@contextlib.contextmanager
def running(kubeconfig):
    program = Running(kubeconfig, free_port())
    try:
        wait_until(lambda: program.get("/healthz")[0] or program.process.poll() is not None, "the program answers")
        yield program
        ok(fake_api.TOKEN not in program.log(), "the token is not in the log")
    finally:
        if program.process.poll() is None:
            program.process.kill()
            program.process.wait()
            diag(program.log())


def without_an_api_server_it_waits():
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = fake_api.kubeconfig_in(folder, f"https://127.0.0.1:{free_port()}", fake_api.certificate_in(folder)[0])
        with running(kubeconfig) as program:
            wait_until(lambda: 'code="none"' in program.get("/metrics")[1], "a request has failed")
            is_(program.get("/healthz"), (200, "ok\n"), "an API server that is away is no reason to restart")
            is_(program.get("/readyz")[0], 503, "but one not to be ready")
            like(program.log(), r'\A\S+Z info "starting" version=\S+ identity=\S+_[0-9a-f]{10} api_server=127.0.0.1 port=\d+\n',
                 "the log begins with who and where")
            program.signal(signal.SIGTERM)
            is_(program.ended(), 0, "SIGTERM ends it with 0")


@contextlib.contextmanager
def asking_a_silent_server():
    """The program, which has connected to a server that says nothing: a request is under way."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        server = f"https://127.0.0.1:{listener.getsockname()[1]}"
        with running(fake_api.kubeconfig_in(folder, server, fake_api.certificate_in(folder)[0])) as program, listener.accept()[0]:
            yield program


def a_silent_api_server_does_not_hold_it_up():
    with asking_a_silent_server() as program:
        program.signal(signal.SIGTERM)
        is_(program.ended(), 0, "a signal ends it though nothing is answered")


def a_second_signal_ends_it_at_once():
    with asking_a_silent_server() as program:
        program.signal(signal.SIGTERM)
        wait_until(lambda: '"stopping" signal=15' in program.log(), "the first is heard")
        program.signal(signal.SIGINT)
        is_(program.ended(), 128 + signal.SIGINT, "the second signal is its end")


def a_port_that_is_taken_is_an_error():
    with tempfile.TemporaryDirectory() as folder, socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        kubeconfig = fake_api.kubeconfig_in(folder, "https://127.0.0.1:1", fake_api.certificate_in(folder)[0])
        result = run("--kubeconfig", kubeconfig, "--listen-address", "127.0.0.1", "--listen-port", str(port))
        is_(result.returncode, 69, "a port that is taken: exit 69")
        like(result.stderr, rf"\nsandboxtask-controller: listening at 127.0.0.1 port {port}: address already in use\n\Z",
             "it says which")


def it_leads_and_gives_the_lease_away():
    with fake_api.serving() as api, tempfile.TemporaryDirectory() as folder, running(api.kubeconfig(folder)) as program:
        wait_until(lambda: program.get("/readyz")[0] == 200, "it is ready")
        wait_until(lambda: "\nsandboxtask_leading 1\n" in program.get("/metrics")[1], "it leads")
        holder = api.lease["spec"]["holderIdentity"]
        like(program.log(), rf"identity={holder}\b", "the Lease has the identity of the log")
        is_(api.lease["metadata"]["namespace"], "testing", "in the namespace of the kubeconfig's context")
        the_documented_metrics_are_there(program.get("/metrics")[1])
        is_(program.get("/nothing")[0], 404, "other paths are nothing")
        program.signal(signal.SIGINT)
        is_(program.ended(), 0, "SIGINT ends it with 0")
        is_(api.lease["spec"]["holderIdentity"], "", "and the Lease is free for the next")
        is_(api.unauthorized, 0, "every request had the token")


def the_documented_metrics_are_there(page):
    help_lines = re.findall(r"^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$", page, re.MULTILINE)
    documented_ones = [(name.strip("`"), meaning, kind) for name, kind, _, meaning in documented("Metrics")]
    is_(help_lines, documented_ones, "docs/operations.md has the metrics, their kinds and meanings")
    for name, _, labels, _ in documented("Metrics"):
        sample = re.search(rf"^{name.strip('`')}(?:_count)?(?:\{{(.*)\}})? ", page, re.MULTILINE)
        is_(re.findall(r"(\w+)=", sample[1] or ""), re.findall(r"`(\w+)`", labels), f"{name}: its labels")
    example = re.search(r"^Alerts to begin with:\n\n```yaml$(.*?)^```$", OPERATIONS, re.MULTILINE | re.DOTALL)[1]
    alerts = yaml.safe_load(example)["groups"][0]["rules"]
    for name in re.findall(r"sandboxtask_\w+", " ".join(alert["expr"] for alert in alerts)):
        ok(re.search(rf"^{name}[{{ ]", page, re.MULTILINE), f"an alert's {name} is there")


def a_log_that_nobody_reads_is_no_end():
    with fake_api.serving() as api, tempfile.TemporaryDirectory() as folder:
        reader, writer = os.pipe()
        process = subprocess.Popen([CONTROLLER, "--kubeconfig", api.kubeconfig(folder), "--listen-port", "0"], env=environment(),
                                   stderr=writer)
        os.close(reader)
        os.close(writer)
        wait_until(lambda: api.lease or process.poll() is not None, "it leads, unheard")
        process.terminate()
        is_(process.wait(timeout=WAIT_SECONDS), 0, "a log that nobody reads does not end it")


it_says_what_it_is()
bad_starts_say_why()
without_an_api_server_it_waits()
a_silent_api_server_does_not_hold_it_up()
a_second_signal_ends_it_at_once()
a_port_that_is_taken_is_an_error()
it_leads_and_gives_the_lease_away()
a_log_that_nobody_reads_is_no_end()
done_testing()
