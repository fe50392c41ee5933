#!/usr/bin/env python3
"""The image controller: every library that the program needs, and nothing else that could be run."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "tests" / "lib"))
from oci_image import OciImage
from rootfs import run_in
from tap import done_testing, is_, note, ok

NONROOT = "65532:65532"
PROGRAM = "/usr/local/bin/sandboxtask-controller"
VERSION = re.search(r"^VERSION := (\S+)", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)[1]
LAYERS = (CHECKOUT / "controller/layers.mk").read_text()
# The libraries of all layers; libraries the linker names -lNAME, and their headers' packages, are of the same name.
LINKED = sorted(set(re.findall(r"-l(\S+)", LAYERS)))


def the_linker_finds_all(root):
    (folder,) = (root / "usr/lib").glob("*-linux-gnu")
    (linker,) = folder.glob("ld-linux-*.so.*")
    inside = "/" + str(folder.relative_to(root))
    plugin = folder / "libwebsockets-evlib_uv.so"
    ok(plugin.is_file(), "the plugin of libwebsockets is in the folder that is compiled into it")
    for library in sorted(path for path in folder.iterdir() if not path.is_symlink() and path != linker):
        done = run_in(root, f"{inside}/{linker.name}", "--list", f"{inside}/{library.name}", user=NONROOT)
        ok(done.returncode == 0 and "not found" not in done.stdout, f"{library.name}: all it needs is in the image")
    dangling = [str(path) for path in root.rglob("*") if path.is_symlink() and not target_of(root, path).exists()]
    is_(dangling, [], "no link leads nowhere")


def target_of(root, link):
    target = Path(*link.readlink().parts)
    return root / target.relative_to("/") if target.is_absolute() else link.parent / target


def a_program_with_all_libraries_starts(root):
    source = CHECKOUT / "tests/images/probe.c"
    program = root / PROGRAM.lstrip("/")
    program.parent.mkdir(parents=True)
    libraries = [f"-l{name}" for name in LINKED]
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-o", program, source, *libraries], check=True)
    (root / "etc/hosts").write_text("127.0.0.1 pod.test\n")
    done = run_in(root, PROGRAM, user=NONROOT)
    is_((done.returncode, done.stdout.splitlines()[-1:]), (0, ["every library works"]), "linked with " + " ".join(LINKED))
    plugin = next((root / "usr/lib").glob("*/libwebsockets-evlib_uv.so"))
    plugin.rename(root / "elsewhere")
    done = run_in(root, PROGRAM, user=NONROOT)
    is_(done.stdout.splitlines()[-1:], ["failed: libwebsockets on a loop of libuv"], "and fails, if the plugin is elsewhere")


def nothing_else_is_there(paths):
    known = re.compile(
        r"etc/(passwd|group)"
        r"|usr/lib/[^/]+-linux-gnu/[^/]+\.so(\.[\d.]+)?"
        r"|usr/lib64/ld-linux-\S+|lib|lib64"
        r"|usr/share/doc/[^/]+/copyright|var/lib/dpkg/status\.d/[^/]+"
    )
    is_([path for path in paths if not known.fullmatch(path)], [], "libraries, names of users, licences: no program, no shell")


def the_program_starts(folder):
    """The shipped one, from build/bin, in the image that is loaded into clusters."""
    subprocess.run([CHECKOUT / "hack/images/build", "--out", folder, "controller"], stdout=subprocess.DEVNULL, check=True)
    OciImage(folder / "controller.tar").unpack(folder / "root")
    done = run_in(folder / "root", PROGRAM, "--version", user=NONROOT)
    is_((done.returncode, VERSION in done.stdout), (0, True), f"the controller itself starts, and is version {VERSION}")


with tempfile.TemporaryDirectory() as scratch:
    build = [CHECKOUT / "hack/images/build", "--out", scratch, "--programs", scratch, "controller"]
    subprocess.run(build, stdout=subprocess.DEVNULL, check=True)
    image = OciImage(f"{scratch}/controller.tar")
    files = [member for member in image.members() if member.isreg()]
    note(f"{len(files)} files, {sum(member.size for member in files) / 1e6:.1f} MB")
    nothing_else_is_there([member.name for member in image.members() if not member.isdir()])
    unpacked = Path(scratch, "root")
    image.unpack(unpacked)
    the_linker_finds_all(unpacked)
    a_program_with_all_libraries_starts(unpacked)
    the_program_starts(Path(tempfile.mkdtemp(dir=scratch)))
done_testing()
