#!/usr/bin/env python3
"""oci-pack: what it makes of files, and what it refuses."""

import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "tests" / "lib"))
from oci_image import OciImage, unsafe
from tap import done_testing, is_, like, ok

NAME = "docker.io/example/hello:1"


def pack(work, *arguments, name=NAME, **environment):
    """The finished oci-pack, which writes to work/image.tar."""
    return subprocess.run(
        [CHECKOUT / "hack/images/oci-pack", "--name", name, "--out", work / "image.tar", *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def make_folder(folder, names, time):
    """A folder of files in the order of `names`, all touched at `time`."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"this is {name}\n")
        path.chmod(0o640)
        os.utime(path, (time, time))
    (folder / "link").symlink_to("b/two")
    return folder


def the_same_files_give_the_same_bytes(work):
    names = ["a", "b/one", "b/two", "c" * 120 + "/ä long name"]
    one = make_folder(work / "one", names, 1_000_000_000)
    two = make_folder(work / "two", names[::-1], 1_500_000_000)
    if os.geteuid() == 0:
        os.lchown(two / "a", 1234, 4321)
    for compression in ("none", "gzip"):
        first = pack(work, "--folder", one, "--compression", compression)
        bytes_of_first = (work / "image.tar").read_bytes()
        second = pack(work, "--folder", two, "--compression", compression)
        is_(second.returncode, 0, f"{compression}: a folder is packed")
        ok((work / "image.tar").read_bytes() == bytes_of_first, f"{compression}: order, times and owners don't matter")
        is_(first.stdout, second.stdout, f"{compression}: the printed digests are equal")
        image = OciImage(work / "image.tar")
        is_(first.stdout.strip(), image.digest, f"{compression}: the printed digest is the manifest's")
        is_(image.problems(), [], f"{compression}: the layout is as the specification says")
    (layer,) = image.manifest["layers"]
    is_(layer["mediaType"][-9:], ".tar+gzip", "a compressed layer says so")
    packed = image.files["blobs/" + layer["digest"].replace(":", "/")]
    is_(packed[3:8], bytes(5), "and has no name and no time in its header")
    before = (work / "image.tar").read_bytes()
    (two / "a").write_text("something else\n")
    pack(work, "--folder", two)
    ok((work / "image.tar").read_bytes() != before, "another content gives another image")


def the_order_in_a_tar_is_no_matter(work):
    folder = make_folder(work / "folder", ["a", "b/one", "b/two"], 0)
    packed = []
    for paths in (["a", "b", "link"], ["link", "b", "a"]):
        with tarfile.open(work / "root.tar", "w") as tar:
            for path in paths:
                tar.add(folder / path, path)
        is_(pack(work, "--tar", work / "root.tar").returncode, 0, f"a tar of {paths} is packed")
        packed.append((work / "image.tar").read_bytes())
    ok(packed[0] == packed[1], "whatever the order of a tar, the image is the same")


def what_is_asked_for_stands_in_the_image(work):
    folder = make_folder(work / "folder", ["a"], 0)
    done = pack(
        work, "--folder", folder, "--user", "65534", "--entrypoint", "/a", "--entrypoint=-x", "--cmd", "y",
        "--env", "A=b=c", "--workdir", "/w", "--label", "l=1", "--architecture", "arm64", SOURCE_DATE_EPOCH="1700000000",
    )
    is_(done.stderr, "", "nothing is said on stderr")
    image = OciImage(work / "image.tar")
    wanted = {
        "User": "65534", "Entrypoint": ["/a", "-x"], "Cmd": ["y"], "Env": ["A=b=c"], "WorkingDir": "/w", "Labels": {"l": "1"},
    }
    is_(image.config["config"], wanted, "user, entrypoint, arguments, environment, folder and labels are in the config")
    is_(image.config["architecture"], "arm64", "the architecture is the one asked for")
    is_(image.config["created"], "2023-11-14T22:13:20Z", "SOURCE_DATE_EPOCH is the time of creation")
    is_({member.mtime for member in image.members()}, {1700000000}, "SOURCE_DATE_EPOCH is the time of every file")
    names = {"io.containerd.image.name": NAME, "org.opencontainers.image.ref.name": NAME}
    is_(image.descriptor["annotations"], names, "containerd and the others find the full reference")
    is_(image.json("manifest.json")[0]["RepoTags"], [NAME], "docker finds it too")


def layers_of_every_kind(work):
    folder = make_folder(work / "folder", ["a"], 0)
    (work / "program").write_bytes(b"\x7fELF")
    (work / "list").write_text("# a comment\n0755 /usr/bin/program program\n1777 /tmp/\nlink /bin/p ../usr/bin/program\n")
    with tarfile.open(work / "root.tar.xz", "w:xz") as tar:
        tar.add(folder / "a", "./b/first")
        hard = tarfile.TarInfo("./a-hard-link")
        hard.type, hard.linkname = tarfile.LNKTYPE, "./b/first"
        tar.addfile(hard)
    done = pack(work, "--tar", work / "root.tar.xz", "--files", work / "list", "--folder", folder)
    is_(done.stderr, "", "tar, list and folder are taken")
    image = OciImage(work / "image.tar")
    is_(image.problems(), [], "the layout is as the specification says")
    is_(len(image.manifest["layers"]), 3, "each is a layer of its own")
    modes = {member.name: f"{member.mode:o}" for member in image.members() if not member.issym()}
    wanted = {
        "a-hard-link": "640", "b": "755", "b/first": "640", "bin": "755", "tmp": "1777", "usr": "755", "usr/bin": "755",
        "usr/bin/program": "755", "a": "640",
    }
    is_(modes, wanted, "modes are kept, folders above are there, a hard link has become a file")
    image.unpack(work / "unpacked")
    is_((work / "unpacked/a-hard-link").read_text(), "this is a\n", "which has the content of the one it was linked to")
    is_(os.readlink(work / "unpacked/bin/p"), "../usr/bin/program", "symbolic links are kept as they are")


def what_is_refused(work):
    def refused(prepare, message, rule):
        folder = Path(tempfile.mkdtemp(dir=work))
        prepare(folder / "bad")
        done = pack(work, "--folder", folder)
        ok(done.returncode != 0 and not (work / "image.tar").exists(), rule)
        like(done.stderr, message, "the message names the file and the reason")

    def file_with(mode):
        def prepare(path):
            path.write_text("")
            path.chmod(mode)

        return prepare

    refused(file_with(0o4755), "/bad: mode 4755: no program", "a set-user-id program is refused")
    refused(file_with(0o2755), "/bad: mode 2755: no program", "a set-group-id program is refused")
    refused(file_with(0o646), "/bad: mode 646: .*writable", "a file that others may write is refused")
    refused(lambda path: (path.mkdir(), path.chmod(0o777)), "/bad: mode 777: .*writable", "so is such a folder")
    refused(os.mkfifo, "bad: neither", "a FIFO is refused")
    for kind in (tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE):
        with tarfile.open(work / "root.tar", "w") as tar:
            device = tarfile.TarInfo("dev/thing")
            device.type = kind
            tar.addfile(device)
        done = pack(work, "--tar", work / "root.tar")
        like(done.stderr, "/dev/thing: neither", f"in a tar, type {kind.decode()} is refused")
    with tarfile.open(work / "root.tar", "w") as tar:
        tar.addfile(tarfile.TarInfo("usr/../../etc/passwd"))
    like(pack(work, "--tar", work / "root.tar").stderr, "leads out of the image", "a path that climbs out is refused")
    (work / "list").write_text("link a b\n0644 a/c list\n")
    like(pack(work, "--files", work / "list").stderr, "/a: not a folder", "a file below a link is refused")
    (work / "list").write_text("0644 a list\n0644 a nothing-else\n")
    (work / "nothing-else").write_text("")
    like(pack(work, "--files", work / "list").stderr, "/a: two different", "two files at one place are refused")
    (work / "list").write_text("0644\n")
    like(pack(work, "--files", work / "list").stderr, "list:1: not a line", "a line that says nothing is refused")
    like(pack(work, "--files", work / "absent").stderr, "No such file", "a list that isn't there is an error")
    for name in ("hello", "example/hello:1", "docker.io/example/hello"):
        like(pack(work, name=name).stderr, "not a full reference", f"{name} is not a full reference")
    ok(not (work / "image.tar").exists(), "nothing was written by any of these")


def dropped_bits(work):
    folder = work / "folder"
    (folder / "shared").mkdir(parents=True)
    (folder / "shared").chmod(0o2775)
    pack(work, "--folder", folder)
    image = OciImage(work / "image.tar")
    is_([(m.name, f"{m.mode:o}") for m in image.members()], [("shared", "775")], "a folder loses its set-group-id bit")
    is_([unsafe(member) for member in image.members()], [None], "and is harmless then")


for test in (
    the_same_files_give_the_same_bytes,
    the_order_in_a_tar_is_no_matter,
    what_is_asked_for_stands_in_the_image,
    layers_of_every_kind,
    what_is_refused,
    dropped_bits,
):
    with tempfile.TemporaryDirectory() as scratch:
        test(Path(scratch))
done_testing()
