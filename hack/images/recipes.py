"""What is in each image of the project: one Recipe an image, in RECIPES.

A recipe's base is a layer made of Debian packages and of what stands in this file; it changes rarely and is cached. The
program of ours that the image is for, once it is built, is a thin layer on top.
"""

import re
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import elf
from debian import library_folder
from layer import Layer
from oci import Config

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent

RUNNER = "usr/local/bin/sandbox-runner"
CONTROLLER = "usr/local/bin/sandboxtask-controller"

NOBODY = "65534:65534"
NONROOT = "65532:65532"
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

# What the controller is linked with (LINK_* of controller/layers.mk), and the plugin: libwebsockets loads it from this
# folder, which is compiled in, when it is to run on a loop of libuv.
CONTROLLER_LIBRARIES = [
    "libcrypto.so.3",
    "libcurl.so.4",
    "libssl.so.3",
    "libuv.so.1",
    "libwebsockets.so.17",
    "libwebsockets-evlib_uv.so",
    "libyaml-0.so.2",
]


@dataclass
class Recipe:
    title: str
    config: Config
    base: Callable[[Layer], Layer]  # from the files of the packages to the base layer
    packages: Path | None = None  # the file that names them
    reworked: tuple[str, ...] = ()  # packages of which the base holds no file, but what was made of them
    program: str = ""  # where ours stands in the image; its name is the one it is built under


# Not in an image: pages for people, translations, what build tools and installation scripts use, character sets other
# than UTF-8's for C programs (Python brings its own), leap-second time zones, Python's own tests.
UNWANTED = re.compile(
    r"""
    (boot|home|media|mnt|opt|srv)($|/)
    | etc/(bindresvport|ca-certificates|default|dpkg|ethertypes|gss|issue|netconfig|python3|rpc|skel|update-motd|xattr)
    | usr/(games|include|src)($|/)
    | usr/share/(applications|base-files|binfmts|bug|ca-certificates|debianutils|dict|doc|doc-base|info|libc-bin|lintian)($|/)
    | usr/share/(locale|man|menu|misc|pixmaps|python3|zoneinfo/posix|zoneinfo/right)($|/)
    | usr/lib/(binfmt\.d|valgrind)($|/)
    | usr/lib/[^/]*/gconv($|/)
    | usr/lib/python3\.\d+/(test/|sitecustomize\.py)
    | usr/s?bin/(iconv|iconvconfig|localedef|py3clean|py3compile|py3versions)$
    | usr/sbin/(add-shell|installkernel|remove-shell|tzconfig|update-.*)$
    | var($|/)
    """,
    re.VERBOSE,
)

# Run with the image's own interpreter and libraries. A .pyc with an unchecked hash is used as it stands: the image is
# read-only, and a time in it would not survive into the image. The sources' names are those inside of the image.
COMPILE_PYTHON = """\
import compileall, pathlib, py_compile, sys
root = pathlib.Path(sys.argv[1])
for folder in root.glob("usr/lib/python3*"):
    if not compileall.compile_dir(folder, maxlevels=20, quiet=1, force=True, stripdir=root, prependdir="/",
                                  invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH):
        sys.exit("some file of the standard library does not compile")
"""


def runner_python(layer):
    trusted = sorted(path for path in layer.entries if re.match(r"usr/share/ca-certificates/.*\.crt$", path))
    bundle = b"".join(layer.entries[path].data for path in trusted)
    layer.remove(UNWANTED.match)
    layer.file("etc/ssl/certs/ca-certificates.crt", bundle)
    layer.link("usr/lib/ssl/cert.pem", "/etc/ssl/certs/ca-certificates.crt")
    layer.link("etc/localtime", "/usr/share/zoneinfo/Etc/UTC")
    layer.link("usr/bin/awk", "mawk")
    add_accounts(layer)
    # Where the runner mounts what a run may write; the image itself is read-only.
    layer.folder("tmp", 0o1777)
    layer.folder("var/tmp", 0o1777)
    layer.folder("work")
    add_generated_files(layer)
    return layer


def add_generated_files(layer):
    """Adds what the packages' installation scripts would have made by running programs: the linker's cache and .pyc files."""
    with tempfile.TemporaryDirectory() as work:
        root = Path(work, "root")
        root.mkdir()
        layer.write_folder(root)
        libraries = root / library_folder()
        (linker,) = libraries.glob("ld-linux-*.so.*")
        # Through the image's own linker, so that neither root nor a chroot is needed.
        python = [linker, "--inhibit-cache", "--library-path", libraries, root / "usr/bin/python3", "-sSB"]
        environment = {"PYTHONHOME": str(root / "usr"), "PYTHONHASHSEED": "0"}
        subprocess.run([*python, "-c", COMPILE_PYTHON, root], env=environment, check=True)
        subprocess.run([root / "usr/sbin/ldconfig", "-X", "-i", "-r", root], check=True)
        for path in [root / "etc/ld.so.cache", *root.rglob("*.pyc")]:
            layer.file(path.relative_to(root), path.read_bytes())


def controller(layer):
    """The shared libraries of the program and nothing that could be run beside it."""
    folder = library_folder()
    needed = elf.closure(layer, [f"{folder}/{name}" for name in CONTROLLER_LIBRARIES], folder)
    layer.remove(lambda path: path not in needed | {"lib", "lib64"})
    add_accounts(layer)
    return layer


def pause(layer):
    with tempfile.TemporaryDirectory() as work:
        flags = "-std=gnu11 -Os -static -s -Wall -Wextra -Werror".split()
        subprocess.run(["musl-gcc", *flags, "-o", f"{work}/pause", HERE / "pause.c"], check=True)
        layer.file("pause", Path(work, "pause").read_bytes(), 0o755)
    return layer


def test_tools(layer):
    busybox = layer.entries["usr/bin/busybox"].data
    layer.remove(lambda path: path not in ("bin", "usr/bin/busybox"))
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


RECIPES = {
    "runner-python": Recipe(
        title="runs Python code of a task",
        config=Config(user=NOBODY, entrypoint=[f"/{RUNNER}"], env=[PATH, "LANG=C.UTF-8"]),
        base=runner_python,
        packages=CHECKOUT / "runner-image" / "packages",
        reworked=("ca-certificates",),
        program=RUNNER,
    ),
    "controller": Recipe(
        title="the operator",
        config=Config(user=NONROOT, entrypoint=[f"/{CONTROLLER}"], env=[PATH]),
        base=controller,
        packages=CHECKOUT / "controller" / "packages",
        program=CONTROLLER,
    ),
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
