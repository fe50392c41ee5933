"""Debian packages as layers: resolved and fetched by apt, unpacked by nobody's scripts.

An image takes the files of its packages and runs none of their installation scripts; what those would have done and the
image needs, its recipe does in plain sight. So a layer depends on the packages' bytes and on our code only, and neither
root nor a chroot is needed to make it.

apt runs with a state of its own in the cache, never the machine's: with the machine's sources and keys, but only what
Debian itself signed for SUITE, with its security updates. Asked to install on a system where nothing is installed, it
names every package, version and SHA-256 without fetching one (`resolve`): that list is the key under which layers are
cached. The lists of what there is are fetched again once a day.

A file of packages names one a line. `-name` says: take it as installed, although it is not in the image. That is for what
only installation scripts use, such as debconf, and keeps what those depend on (perl) out as well.
"""

import functools
import hashlib
import io
import posixpath
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from layer import FILE, FOLDER, Layer

SUITE = "bookworm"
LISTS_MAX_AGE_SECONDS = 24 * 3600

# Debian 12 still ships files below both /lib and /usr/lib; on a system the former are links (UsrMerge).
MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")

# Where Debian puts the libraries of an architecture.
MULTIARCH = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}

PREFERENCES = f"""\
Package: *
Pin: release o=Debian, n={SUITE}*
Pin-Priority: 500

Package: *
Pin: release o=*
Pin-Priority: -1
"""

INSTALLED = """\
Package: {name}
Status: install ok installed
Architecture: {architecture}
Version: 999
Maintainer: nobody <nobody@localhost>
Description: taken as installed

"""


class DebianError(Exception):
    """apt or dpkg failed. The message is theirs."""


@dataclass(frozen=True)
class Package:
    file: str
    sha256: str

    @property
    def name(self):
        return self.file.partition("_")[0]


def run(*command):
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        raise DebianError(f"{command[0]}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


@functools.cache
def architecture():
    """Debian's name of this machine's architecture. For the two of MULTIARCH, OCI's is the same."""
    return run("dpkg", "--print-architecture").decode().strip()


def library_folder():
    """The folder of an image where its libraries lie."""
    return f"usr/lib/{MULTIARCH[architecture()]}"


def read_packages(path):
    """The names to install and those taken as installed, of a file of packages."""
    names = [line.partition("#")[0].strip() for line in Path(path).read_text().splitlines()]
    wanted = [name for name in names if name and not name.startswith("-")]
    return wanted, [name[1:] for name in names if name.startswith("-")]


class Archive:
    """What Debian offers, seen by an apt whose whole state lies in `folder`."""

    def __init__(self, folder):
        self.folder = Path(folder)
        for part in ("lists/partial", "archives/partial", "none/partial"):
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        (self.folder / "preferences").write_text(PREFERENCES)

    def apt(self, *arguments, status="", archives="archives"):
        (self.folder / "status").write_text(status)
        options = {
            "Dir::State": self.folder,
            "Dir::State::lists": self.folder / "lists",
            "Dir::State::status": self.folder / "status",
            "Dir::Cache": self.folder,
            "Dir::Cache::archives": self.folder / archives,
            "Dir::Cache::pkgcache": "pkgcache.bin",
            "Dir::Cache::srcpkgcache": "srcpkgcache.bin",
            "Dir::Etc::preferences": self.folder / "preferences",
            "Dir::Etc::preferencesparts": "/dev/null",
            "APT::Sandbox::User": "",
            "APT::Install-Recommends": "false",
            "APT::Update::Error-Mode": "any",
            "Acquire::ForceHash": "SHA256",
        }
        return run("apt-get", "-qq", "--yes", *(f"-o{key}={value}" for key, value in options.items()), *arguments)

    def update(self):
        """Fetches the lists unless they are fresh. Old ones are better than none where there is no network."""
        fresh = self.folder / "updated"
        if fresh.exists() and time.time() - fresh.stat().st_mtime < LISTS_MAX_AGE_SECONDS:
            return
        try:
            self.apt("update")
            self.apt("autoclean")
        except DebianError as problem:
            if not fresh.exists():
                raise
            print(f"going on with the package lists of {time.ctime(fresh.stat().st_mtime)}: {problem}", file=sys.stderr)
            return
        fresh.touch()

    def resolve(self, wanted, installed):
        """The packages, by name, that installing `wanted` means."""
        # apt names only what it would fetch, so it is shown a folder without packages.
        lines = self.apt("install", "--print-uris", *wanted, status=self._status(installed), archives="none").decode()
        packages = [
            Package(match[1].replace("%3a", ":"), match[2])
            for match in re.finditer(r"^'\S+' (\S+\.deb) \d+ SHA256:([0-9a-f]{64})$", lines, re.MULTILINE)
        ]
        if len(packages) != len(lines.splitlines()):
            raise DebianError(f"apt-get: expected a file and its SHA-256 on every line:\n{lines}")
        return sorted(packages, key=lambda package: package.file)

    def fetch(self, wanted, installed):
        self.apt("install", "--download-only", *wanted, status=self._status(installed))

    def _status(self, installed):
        return "".join(INSTALLED.format(name=name, architecture=architecture()) for name in installed)

    def unpack(self, packages):
        """The files of these packages, which were fetched."""
        contents = Contents()
        for package in packages:
            path = self.folder / "archives" / package.file.replace(":", "%3a")
            if hashlib.sha256(path.read_bytes()).hexdigest() != package.sha256:
                raise DebianError(f"{path}: not the package that was resolved")
            contents.add(package.name, run("dpkg-deb", "--fsys-tarfile", path), run("dpkg-deb", "--field", path))
        return contents


class Contents:
    """The files of some packages, on their way into an image."""

    def __init__(self):
        self.layers = {}  # by name of the package
        self.control = {}  # its fields, alike

    def add(self, name, tar, control):
        self.layers[name] = Layer()
        self.layers[name].add_tar(io.BytesIO(tar), merged)
        self.control[name] = control

    def layer(self):
        """All files in one layer, with the links that make the folders of MERGED one with those in /usr."""
        whole = Layer()
        for layer in self.layers.values():
            for path, entry in layer.entries.items():
                whole.add(path, entry)
        for name in MERGED:
            if any(path.startswith(f"usr/{name}/") for path in whole.entries):
                whole.link(name, f"usr/{name}")
        return whole

    def add_records(self, layer, reworked):
        """Adds to `layer` the licence and the fields of each package that something in it comes from: the former because
        they have to go with it, the latter because scanners look for them where there is no dpkg. `reworked` names packages
        whose files are in it in another form."""
        for name, files in self.layers.items():
            if name in reworked or any(path in layer.entries and entry.kind != FOLDER for path, entry in files.entries.items()):
                layer.file(f"usr/share/doc/{name}/copyright", self._copyright(name))
                layer.file(f"var/lib/dpkg/status.d/{name}", self.control[name])

    def _copyright(self, name):
        """Of packages built from one source, some have a link to the other's folder, or to the other's file."""
        here = f"usr/share/doc/{name}"
        while entry := self._find(here + "/copyright") or self._find(here):
            if entry.kind == FILE:
                return entry.data
            if entry.kind == FOLDER:
                break
            here = posixpath.normpath(posixpath.join("usr/share/doc", posixpath.basename(entry.target)))
        raise DebianError(f"{name}: no licence in the package")

    def _find(self, path):
        return next((layer.entries[path] for layer in self.layers.values() if path in layer.entries), None)


def merged(path):
    """lib/x is usr/lib/x."""
    first = path.partition("/")[0]
    return f"usr/{path}" if first in MERGED else path
