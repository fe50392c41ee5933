"""Runs a command inside an unpacked image, as a container runtime would start it: read-only root, /proc, /dev, an empty
/tmp, no privileges. Needs root."""

import subprocess
from pathlib import Path

NOBODY = "65534:65534"

SCRIPT = """
root=$1 user=$2
shift 2
mount --make-rprivate /
mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" "$root" "$@"
"""


def run_in(root, *command, user=NOBODY, environment=None):
    """The finished process; its output is text, both streams in one."""
    for mount_point in ("dev", "proc", "tmp"):
        Path(root, mount_point).mkdir(exist_ok=True)
    namespaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-euc", SCRIPT, "sh", root, user]
    path = "/usr/sbin:/usr/bin:/sbin:/bin"
    return subprocess.run(
        [*namespaces, *command],
        env={"PATH": path} | (environment or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
