"""What is in each image of the project: one Recipe an image, in RECIPES.

A recipe's base is a layer made of Debian packages and of what stands in this file; it changes rarely and is cached. The
program of ours that the image is for, once it is built, is a thin layer on top.
"""

import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from layer import Layer
from oci import Config

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent

NOBODY = "65534:65534"
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

PASSWD = """\
root:x:0:0:root:/root:/usr/sbin/nologin
nonroot:x:65532:65532:nonroot:/nonexistent:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
"""
GROUP = """\
root:x:0:
nonroot:x:65532:
nogroup:x:65534:
"""


@dataclass
class Recipe:
    title: str
    config: Config
    base: Callable[[Layer], Layer]  # from the files of the packages to the base layer
    packages: Path | None = None  # the file that names them
    program: tuple[Path, str] | None = None  # where ours is built, and where it stands in the image


def pause(layer):
    with tempfile.TemporaryDirectory() as work:
        flags = "-std=gnu11 -Os -static -s -Wall -Wextra -Werror".split()
        subprocess.run(["musl-gcc", *flags, "-o", f"{work}/pause", HERE / "pause.c"], check=True)
        layer.file("pause", Path(work, "pause").read_bytes(), 0o755)
    return layer


def test_tools(layer):
    busybox = layer.entries["usr/bin/busybox"].data
    layer.remove(lambda path: not is_legal(path) and path not in ("bin", "usr/bin/busybox"))
    with tempfile.TemporaryDirectory() as work:
        program = Path(work, "busybox")
        program.write_bytes(busybox)
        program.chmod(0o755)
        listed = subprocess.run([program, "--list"], capture_output=True, check=True)
    for applet in listed.stdout.decode().split():
        if applet != "busybox":
            layer.link(f"usr/bin/{applet}", "busybox")
    add_accounts(layer)
    layer.folder("tmp", 0o1777)
    return layer


def add_accounts(layer):
    layer.file("etc/passwd", PASSWD)
    layer.file("etc/group", GROUP)


def is_legal(path):
    """The licences of what we hand on, and the record of what it is, stay in every image."""
    return path.startswith("var/lib/dpkg/status.d/") or (path.startswith("usr/share/doc/") and path.endswith("/copyright"))


RECIPES = {
    "pause": Recipe(
        title="the sandbox container of a Pod",
        config=Config(user=NOBODY, entrypoint=["/pause"]),
        base=pause,
    ),
    "test-tools": Recipe(
        title="busybox, for tests of attach and network",
        config=Config(user=NOBODY, env=[PATH], cmd=["/bin/sh"]),
        base=test_tools,
        packages=HERE / "test-tools.packages",
    ),
}
