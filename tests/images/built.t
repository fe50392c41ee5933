#!/usr/bin/env python3
"""The images of the project, as hack/images/build makes them: sound, harmless, reproducible, and not made twice."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "tests" / "lib"))
from oci_image import OciImage, unsafe
from tap import done_testing, is_, like, ok

# User and entrypoint of each; a program of ours is the entrypoint even while it isn't built.
IMAGES = {
    "runner-python": ("65534:65534", ["/usr/local/bin/sandbox-runner"]),
    "controller": ("65532:65532", ["/usr/local/bin/sandboxtask-controller"]),
    "pause": ("65534:65534", ["/pause"]),
    "test-tools": ("65534:65534", None),
}
VERSION = re.search(r"^VERSION := (\S+)", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)[1]
COMPILER = ["gcc", "-Wall", "-Wextra", "-Werror"]


def build(out, *arguments, programs="/nonexistent", environment=None):
    return subprocess.run(
        [CHECKOUT / "hack/images/build", "--out", out, "--programs", programs, *arguments],
        env=os.environ | (environment or {}),
        capture_output=True,
        text=True,
        check=False,
    )


def each_image_is_sound(out, printed):
    is_(sorted(path.name for path in out.glob("*.tar")), sorted(f"{name}.tar" for name in IMAGES), "there is a tar an image")
    for line, (name, (user, entrypoint)) in zip(printed.splitlines(), IMAGES.items(), strict=True):
        image = OciImage(out / f"{name}.tar")
        reference = f"docker.io/sandboxtask/{name}:{VERSION}"
        is_(line.split()[:2], [reference, image.digest], f"{name}: its reference and digest are printed")
        is_(image.problems(), [], f"{name}: the layout is as the specification says")
        is_(set(image.descriptor["annotations"].values()), {reference}, f"{name}: it is named by its full reference")
        bad = {member.name: unsafe(member) for member in image.members() if unsafe(member)}
        is_(bad, {}, f"{name}: no set-id program, no device, nothing that others may write, all of it root's")
        config = image.config["config"]
        is_(config["User"], user, f"{name}: its user is not root, and a number, as runAsNonRoot wants it")
        is_(config.get("Entrypoint"), entrypoint, f"{name}: the entrypoint is its program")
        is_(config["Labels"]["org.opencontainers.image.version"], VERSION, f"{name}: a label has the version")
        paths = {member.name for member in image.members() if member.isreg()}
        packages = [Path(path).name for path in paths if path.startswith("var/lib/dpkg/status.d/")]
        is_(bool(packages), name != "pause", f"{name}: it says which packages it is made of, if it is")
        bare = [package for package in packages if f"usr/share/doc/{package}/copyright" not in paths]
        is_(bare, [], f"{name}: the licence of each package is in it")


def building_again_gives_the_same(out, work):
    again = build(work / "again", "--rebuild", environment={"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"})
    is_(again.returncode, 0, "everything can be built again, from the packages on")
    for name in IMAGES:
        same = (out / f"{name}.tar").read_bytes() == (work / "again" / f"{name}.tar").read_bytes()
        ok(same, f"{name}: built twice, every byte is the same")


def what_is_up_to_date_is_left_alone(out):
    before = {path: path.stat().st_mtime_ns for path in out.glob("*.tar")}
    done = build(out)
    is_({path: path.stat().st_mtime_ns for path in out.glob("*.tar")}, before, "a second build touches no tar")
    is_(len(done.stdout.splitlines()), len(IMAGES), "and still prints every image")
    (out / "pause.tar").unlink()
    is_(build(out, "pause").returncode, 0, "a tar that was removed is made again")
    ok((out / "pause.tar").exists(), "and is there")


def a_damaged_cache_is_noticed(work):
    cache = {"SANDBOXTASK_CACHE": str(work / "cache")}
    sound = build(work / "out", "pause", environment=cache)
    (layer,) = (work / "cache/images/layers").glob("pause-*.tar")
    layer.write_bytes(layer.read_bytes().replace(b"\x7fELF", b"\x7fFLE"))
    shutil.rmtree(work / "out")
    again = build(work / "out", "pause", environment=cache)
    is_((again.returncode, again.stdout), (0, sound.stdout), "a layer of the cache that has changed is made anew")
    is_(OciImage(work / "out/pause.tar").problems(), [], "and the image is sound")


def a_program_is_a_thin_layer(out, work):
    programs = work / "bin"
    programs.mkdir()
    source = work / "program.c"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run([*COMPILER, "-static", "-o", programs / "sandbox-runner", source], check=True)
    subprocess.run([*COMPILER, "-o", programs / "sandboxtask-controller", source, "-lcurl"], check=True)
    done = build(work / "thin", "runner-python", "controller", programs=programs)
    is_(done.stderr, "", "images are built on base layers that are there")
    for name in ("runner-python", "controller"):
        base, image = OciImage(out / f"{name}.tar"), OciImage(work / "thin" / f"{name}.tar")
        place = IMAGES[name][1][0].lstrip("/")
        is_(image.problems(), [], f"{name}: the layout is as the specification says")
        is_(image.manifest["layers"][:1], base.manifest["layers"][:1], f"{name}: the base layer is the same one")
        is_(len(image.manifest["layers"]), 2, f"{name}: the program is a layer of its own")
        files = [(member.name, f"{member.mode:o}") for member in image.members() if member.name == place]
        is_(files, [(place, "755")], f"{name}: and it stands at the entrypoint, executable")
    source.write_text("int main(void) { return 1; }\n")
    subprocess.run([*COMPILER, "-static", "-o", programs / "sandbox-runner", source], check=True)
    changed = build(work / "thin", "runner-python", programs=programs)
    ok(changed.stdout.split()[1] not in done.stdout, "another program gives another image, without being asked to rebuild")


def a_program_that_could_not_start_is_refused(work):
    programs = work / "bin"
    programs.mkdir()
    source = work / "library.c"
    source.write_text("int absent(void); int absent(void) { return 0; }\n")
    subprocess.run([*COMPILER, "-shared", "-fPIC", "-o", work / "libabsent.so", source], check=True)
    (work / "program.c").write_text("int absent(void); int main(void) { return absent(); }\n")
    link = [work / "program.c", f"-L{work}", "-labsent"]
    subprocess.run([*COMPILER, "-o", programs / "sandboxtask-controller", *link], check=True)
    done = build(work / "out", "controller", programs=programs)
    ok(done.returncode != 0 and not (work / "out/controller.tar").exists(), "a program whose library is absent gets no image")
    like(done.stderr, "libabsent.so: needed, but no package brings it", "the message names the library")
    link += [f"-Wl,-rpath,{work}"]
    subprocess.run([*COMPILER, "-o", programs / "sandboxtask-controller", *link], check=True)
    done = build(work / "out", "controller", programs=programs)
    like(done.stderr, "sandboxtask-controller: it has a RUNPATH", "nor does one with library folders of its own")


def names_and_folders(work):
    done = build(work, "no-such-image")
    like(done.stderr, "no such image: no-such-image", "an unknown name is refused")
    root = work / "root"
    is_(build(work, "--root", root, "test-tools").returncode, 0, "--root unpacks the files of an image")
    ok((root / "bin/sh").exists() and not list(work.glob("*.tar")), "into the folder, and makes no tar")


with tempfile.TemporaryDirectory() as scratch:
    built = Path(scratch, "built")
    first = build(built)
    if not ok(first.returncode == 0, "all images are built"):
        sys.exit(first.stderr)
    each_image_is_sound(built, first.stdout)
    what_is_up_to_date_is_left_alone(built)
    building_again_gives_the_same(built, Path(scratch))
    a_damaged_cache_is_noticed(Path(tempfile.mkdtemp(dir=scratch)))
    a_program_is_a_thin_layer(built, Path(tempfile.mkdtemp(dir=scratch)))
    a_program_that_could_not_start_is_refused(Path(tempfile.mkdtemp(dir=scratch)))
    names_and_folders(Path(tempfile.mkdtemp(dir=scratch)))
done_testing()
