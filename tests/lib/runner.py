"""Runs tasks in a runner, for the tests in tests/runner: the harness around client and container.

    with Runner() as runner:                    a runner of its own, booted
        outcome = runner.run("print(1)", run_ms=2000)
        outcome["verdict"], outcome.stdout

GROUND says what the runner lives on: `host` (the test binary without the gate, in a container made by hand), `gvisor`
(the shipped binary, in a sandbox made by runsc; no cluster) or `pod` (the image runner-python in a Pod of the test cluster,
through kubectl attach). A runner runs one task in its life.
"""

import atexit
import contextlib
import ctypes
import functools
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from wire import Connection

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
GROUND = os.environ.get("GROUND", "host")
PYTHON = "/usr/bin/python3"
SANITIZED = "sanitize" in BUILD

CLIENT = os.path.join(BUILD, "tests/runner/client")
UNGATED = os.path.join(BUILD, "tests/runner/ungated")
SHIPPED = os.path.join(ROOT, "build/bin/sandbox-runner")
CONTAINER = os.path.join(ROOT, "tests/runner/container")


class Outcome(dict):
    """The lines a client printed, and what was kept of the streams."""

    def __init__(self, lines, folder, status):
        super().__init__(line.split(" ", 1) if " " in line else (line, "") for line in lines)
        self.status = status
        self.head = {}
        self.tail = {}
        for name in ("stdout", "stderr"):
            for part, kept in (("head", self.head), ("tail", self.tail)):
                path = os.path.join(folder, f"{name}.{part}")
                if os.path.exists(path):
                    with open(path, "rb") as file:
                        kept[name] = file.read()

    def number(self, key):
        return int(self.get(key, -1))

    @property
    def stdout(self):
        return self.head.get("stdout", b"") + self.tail.get("stdout", b"")

    @property
    def stderr(self):
        return self.head.get("stderr", b"") + self.tail.get("stderr", b"")

    def end(self):
        """How it ended in one short text: `exited 0`, `signalled 11`, `killed run-time`, `not-started exec 2`."""
        verdict = self.get("verdict", self.get("state", "nothing"))
        about = {
            "exited": self.get("exit-code"),
            "signalled": self.get("signal"),
            "killed": self.get("killed-for"),
            "not-started": f"{self.get('stage')} {self.get('error-number')}",
        }.get(verdict)
        return f"{verdict} {about}" if about else verdict


@functools.cache
def runsc():
    """Path of gVisor's runsc, built if it is not there yet."""
    build = os.path.join(ROOT, "hack", "cluster", "build-programs")
    folder = subprocess.run([build, "gvisor"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()[-1]
    return os.path.join(folder, "runsc")


def prepare_child(cgroup):
    """In the child, before exec: no runner outlives a test that was killed (container passes that on)."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if cgroup:
        cgroup.join()


def spawn(command, errors, cgroup=None):
    """Starts what has a runner's stdin and stdout, itself or an attach: the process, and our ends of two pipes, stdin first."""
    runner_in, stdin = os.pipe()
    stdout, runner_out = os.pipe()
    process = subprocess.Popen(command, stdin=runner_in, stdout=runner_out, stderr=errors,
                               preexec_fn=lambda: prepare_child(cgroup))
    os.close(runner_in)
    os.close(runner_out)
    return process, stdin, stdout


class Runner:
    def __init__(self, options=(), program=None, ground=GROUND, cgroup=None, uid=65534):
        self.folder = tempfile.mkdtemp(prefix="runner-")
        os.chmod(self.folder, 0o755)
        self.ground = ground
        self.root = os.path.join(self.folder, "root")
        os.mkdir(self.root)
        self.errors = open(os.path.join(self.folder, "stderr"), "w+b")
        self.tasks = 0
        self.uid = uid
        start = {"host": self._container, "gvisor": self._gvisor, "pod": self._pod}[ground]
        self._spawn(start(program, [*(cgroup.options if cgroup else ()), *options]), cgroup)

    def _spawn(self, command, cgroup=None):
        self.process, self.stdin, self.stdout = spawn(command, self.errors, cgroup)

    def _container(self, program, options):
        namespaces = ["--mount", "--pid", "--net", "--ipc", "--uts"]
        return ["env", f"POD_UID={self.uid}", "POD_SECRET=canary", "unshare", *namespaces, "--fork", "--kill-child",
                CONTAINER, self.root, program or UNGATED, *options]

    def _gvisor(self, program, options):
        """An OCI bundle: what containerd makes of a restricted Pod, as far as the runner can see."""
        log = self.root + ".termination-log"
        with open(log, "w"):
            os.chmod(log, 0o666)
        for name in ("usr", "etc", "proc", "sys", "dev", "tmp", "work", "data"):
            os.mkdir(os.path.join(self.root, name))
        for name in ("bin", "sbin", "lib", "lib64"):
            os.symlink(f"usr/{name}", os.path.join(self.root, name))
        shutil.copy(program or SHIPPED, os.path.join(self.root, "program"))
        os.chmod(os.path.join(self.root, "program"), 0o755)
        mounts = [
            {"destination": "/proc", "type": "proc", "source": "proc"},
            {"destination": "/dev", "type": "tmpfs", "source": "tmpfs"},
            {"destination": "/sys", "type": "sysfs", "source": "sysfs", "options": ["ro"]},
            {"destination": "/sys/fs/cgroup", "type": "cgroup", "source": "cgroup", "options": ["ro"]},
            {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": ["size=1m", "mode=1777"]},
            {"destination": "/data", "type": "tmpfs", "source": "tmpfs", "options": ["size=1m", "mode=1777"]},
            {"destination": "/usr", "type": "bind", "source": "/usr", "options": ["rbind", "ro"]},
            {"destination": "/etc", "type": "bind", "source": "/etc", "options": ["rbind", "ro"]},
            {"destination": "/dev/termination-log", "type": "bind", "source": log, "options": ["bind", "rw"]},
        ]
        config = {
            "ociVersion": "1.0.2",
            "process": {"user": {"uid": self.uid, "gid": self.uid}, "args": ["/program", *options], "cwd": "/",
                        "env": ["PATH=/usr/bin:/bin", "POD_SECRET=canary"], "noNewPrivileges": True, "capabilities": {}},
            "root": {"path": self.root, "readonly": True},
            "hostname": "pod",
            "mounts": mounts,
            "linux": {"namespaces": [{"type": kind} for kind in ("pid", "network", "ipc", "uts", "mount")]},
        }
        with open(os.path.join(self.folder, "config.json"), "w") as file:
            json.dump(config, file)
        return [runsc(), "--root", os.path.join(self.folder, "state"), "--ignore-cgroups", "--network=none",
                "--platform=systrap", "run", "--bundle", self.folder, os.path.basename(self.folder)]

    def _pod(self, program, options):
        """The Pod of design and controller, as far as the runner can tell."""
        assert program is None, "a Pod runs what is in its image"
        self.pod = Pod(options)
        return self.pod.attach_command()

    def attach_anew(self):
        """The attach breaks, wherever it was, and another one is made. Pod only."""
        self.process.kill()
        self.process.wait()
        os.close(self.stdin)
        os.close(self.stdout)
        self._spawn(self.pod.attach_command())

    @contextlib.contextmanager
    def another_attach(self):
        """A second attach beside the first one: a Connection. Pod only."""
        process, stdin, stdout = spawn(self.pod.attach_command(), self.errors)
        try:
            yield Connection(stdout, stdin)
        finally:
            process.kill()
            process.wait()
            os.close(stdin)
            os.close(stdout)

    def path(self, name, content):
        """A file for the client to read."""
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def task(self, code="", name="main.py", arg=None, stdin=None, files=None, env=None, **numbers):
        """Writes a description for the client: numbers are its keys, with _ for -."""
        self.tasks += 1
        lines = [f"code {name} {self.path(f'code{self.tasks}', code)}"]
        if stdin is not None:
            lines.append(f"stdin {self.path(f'stdin{self.tasks}', stdin)}")
        lines += [f"file {path} {self.path(f'file{self.tasks}-{number}', content)}"
                  for number, (path, content) in enumerate((files or {}).items())]
        lines += [f"arg {text}" for text in (arg or [PYTHON, name])]
        lines += [f"env {key}={value}" for key, value in (env or {}).items()]
        lines += [f"{key.replace('_', '-')} {value}" for key, value in numbers.items()]
        return self.path(f"task{self.tasks}", "\n".join(lines) + "\n")

    def client(self, task, timeout=120):
        """Starts a client on the runner's streams; `finish` takes what it printed."""
        folder = os.path.join(self.folder, f"out{self.tasks}-{os.path.basename(task)}")
        os.makedirs(folder, exist_ok=True)
        process = subprocess.Popen([CLIENT, str(self.stdout), str(self.stdin), task, folder], stdout=subprocess.PIPE,
                                   pass_fds=(self.stdout, self.stdin))
        return process, folder, timeout

    @staticmethod
    def finish(client):
        process, folder, timeout = client
        try:
            text = process.communicate(timeout=timeout)[0].decode()
        except subprocess.TimeoutExpired:
            process.kill()
            text = process.communicate()[0].decode() + "state NoEnd\n"
        return Outcome(text.splitlines(), folder, process.returncode)

    def run(self, code="", timeout=120, **task):
        return self.finish(self.client(self.task(code, **task), timeout))

    def pid(self):
        """Of the runner itself, on the host: the only child of unshare. For gVisor, of runsc."""
        if self.ground == "gvisor":
            return self.process.pid
        while self.process.poll() is None:
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
                if children := file.read().split():
                    return int(children[0])
        raise RuntimeError("the runner is gone: " + self.stderr())

    def terminate(self):
        """SIGTERM, as the kubelet sends it to the container."""
        if self.ground == "pod":
            self.pod.delete()
        elif self.ground == "gvisor":
            subprocess.run([runsc(), "--root", os.path.join(self.folder, "state"), "kill",
                            os.path.basename(self.folder), "TERM"], check=True)
        else:
            os.kill(self.pid(), signal.SIGTERM)

    def close_stdin(self):
        os.close(self.stdin)
        self.stdin = -1

    def termination_message(self):
        with open(self.root + ".termination-log") as file:
            return file.read()

    def stderr(self):
        with open(os.path.join(self.folder, "stderr"), "rb") as file:
            return file.read().decode(errors="replace")

    def _end(self):
        """On the host, unshare collects the runner and ends with it: nothing is left for anybody else to collect."""
        if self.process.poll() is None and self.ground == "host":
            try:
                os.kill(self.pid(), signal.SIGKILL)
            except (ProcessLookupError, RuntimeError):
                pass  # it ended meanwhile
        elif self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def close(self):
        for fd in (self.stdin, self.stdout):
            if fd >= 0:
                os.close(fd)
        self._end()
        if self.ground == "gvisor":
            subprocess.run([runsc(), "--root", os.path.join(self.folder, "state"), "delete", "--force",
                            os.path.basename(self.folder)], stderr=subprocess.DEVNULL)
        if self.ground == "pod":
            self.pod.delete(grace=0)
        self.errors.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if sys.exc_info()[0]:
            print("# runner said: " + self.stderr(), flush=True)
        self.close()


class Pod:
    """A Pod with the runner as its PID 1, in a namespace that all Pods of one test program share."""

    def __init__(self, options=(), runtime_class="gvisor", memory="512Mi", wait=True):
        import kube  # not needed, and not there to be used, on the other grounds
        self.kube = kube
        self.api, self.namespace = cluster()
        self.name = f"runner-{secrets.token_hex(4)}"
        self.path = f"/api/v1/namespaces/{self.namespace}/pods/{self.name}"
        pod = kube.restricted_pod(self.name, None, runtime_class, stdin=True, terminationGracePeriodSeconds=30)
        container = pod["spec"]["containers"][0]
        del container["command"]
        container |= {"image": kube.image("runner-python"), "args": list(options),
                      "resources": {"limits": {"cpu": "1", "memory": memory}, "requests": {"cpu": "100m", "memory": "64Mi"}},
                      "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}]}
        container["securityContext"]["readOnlyRootFilesystem"] = True
        container["env"] = [{"name": "POD_SECRET", "value": "canary"}]
        pod["spec"]["volumes"] = [{"name": "tmp", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}}]
        self.api.create(f"/api/v1/namespaces/{self.namespace}/pods", pod)
        if wait:
            self.api.wait(self.path, kube.pod_is_running, "the runner's Pod runs")

    def attach_command(self):
        kubectl = self.kube.state_folder() / "bin" / "kubectl" if self.kube.IS_LOCAL else "kubectl"
        return [kubectl, "--kubeconfig", self.kube.kubeconfig(), "--namespace", self.namespace, "attach", "--stdin", "--quiet",
                self.name]

    def terminated(self):
        """How its container ended: waits for it."""
        pod = self.api.wait(self.path, self.kube.pod_is_finished, "the runner's Pod is at its end")
        return pod["status"]["containerStatuses"][0]["state"]["terminated"]

    def log(self):
        return self.api.get(self.path + "/log")

    def delete(self, grace=None):
        options = {} if grace is None else {"gracePeriodSeconds": grace}
        try:
            self.api.delete(self.path, options)
        except self.kube.ApiError as error:
            if error.status != 404:
                raise


@functools.cache
def cluster():
    """The test cluster's API and a namespace of this program's own, which ends with it."""
    import kube
    api = kube.connect()
    namespace = kube.namespace(api, "runner")
    name = namespace.__enter__()
    atexit.register(namespace.__exit__, None, None, None)
    return api, name


def run(code="", options=(), **task):
    """One task in a runner of its own."""
    with Runner(options) as runner:
        return runner.run(code, **task)


def checks():
    """A namer of checks: the line of checklist A, the ground it was tried on, the rule."""
    return lambda line, rule: f"{line} [{GROUND}] {rule}"


class Cgroup:
    """A memory cgroup for a runner on the host: where its watchdog looks. `works` is False when none can be made."""

    def __init__(self):
        name = f"sandboxtask-test-{os.getpid()}"
        self.folders = {}
        v2 = os.path.exists("/sys/fs/cgroup/cgroup.controllers")
        for controller in ("memory",) if v2 else ("memory", "cpuacct"):
            folder = os.path.join("/sys/fs/cgroup", "" if v2 else controller, name)
            try:
                os.mkdir(folder)
                self.folders[controller] = folder
            except OSError:
                pass
        usage = "memory.current" if v2 else "memory.usage_in_bytes"
        self.works = os.path.exists(os.path.join(self.folders.get("memory", "/none"), usage))
        self.options = []
        if self.works:
            self.options.append("--usage=" + os.path.join(self.folders["memory"], usage))
        if "cpuacct" in self.folders:
            self.options.append("--cpu=" + os.path.join(self.folders["cpuacct"], "cpuacct.usage"))

    def join(self):
        """In the child, before exec."""
        for folder in self.folders.values():
            with open(os.path.join(folder, "cgroup.procs"), "w") as file:
                file.write(str(os.getpid()))

    def remove(self):
        """As soon as the last process that was in it is gone."""
        for folder in self.folders.values():
            while self._has_processes(folder):
                time.sleep(0.01)
            os.rmdir(folder)

    @staticmethod
    def _has_processes(folder):
        # Opened anew each time: version 1 answers a second read of one open file from what it knew at the first.
        with open(os.path.join(folder, "cgroup.procs")) as processes:
            return processes.read() != ""
