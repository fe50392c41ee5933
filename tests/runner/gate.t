#!/usr/bin/env python3
"""The shipped runner refuses to live outside gVisor, whatever it is told, and never says HELLO there."""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from runner import SHIPPED, UNGATED, Runner
from tap import done_testing, is_, like, ok
from wire import ATTACH, DELIMITER, Frame, encode

HELLO_PLEASE = DELIMITER + encode(Frame(ATTACH, 1 << 20, 0, b"\x01\x01" + bytes(20)))
REFUSAL = "sandboxtask: not isolated: kernel log is not gVisor's"


def in_a_container():
    with Runner(program=SHIPPED, ground="host") as runner:
        os.write(runner.stdin, HELLO_PLEASE)
        is_(runner.process.wait(timeout=20), 78, "in a container of the host's kernel the runner exits with 78")
        is_(os.read(runner.stdout, 65536), b"", "nothing is written to stdout, no HELLO above all")
        is_(runner.stderr(), REFUSAL + "\n", "the log says why")
        is_(runner.termination_message(), REFUSAL, "the termination message is the fixed one, with the check that failed")


def bare():
    for what, arguments, environment in (
            ("by root, outside of any container", [], {}),
            ("with the test binary's options", ["--usage=/dev/null", "--sentry=/proc/meminfo"], {}),
            ("with words that other programs understand", ["--no-gate", "--insecure", "--force", "--help"], {}),
            ("with an environment", [], {"SANDBOXTASK_GATE": "off", "UNGATED": "1", "DEBUG": "1", "CI": "true"})):
        result = subprocess.run([SHIPPED, *arguments], input=HELLO_PLEASE, capture_output=True, timeout=20,
                                env={**os.environ, **environment}, check=False)
        is_((result.returncode, result.stdout), (78, b""), f"{what}: it refuses as well")


def binary():
    with open(SHIPPED, "rb") as file:
        shipped = file.read()
    ok(len(shipped) <= 100 << 10, f"the shipped binary is at most 100 KiB ({len(shipped)} bytes)")
    ok(b"Starting gVisor" in shipped, "it has the gate")
    ok(b"--usage=" not in shipped and b"--sentry=" not in shipped, "it has no option of the test binary")
    result = subprocess.run(["readelf", "-lW", SHIPPED], capture_output=True, text=True, check=True)
    ok("INTERP" not in result.stdout, "it is static")
    ok(os.path.exists(UNGATED), "what runs on the host is another program")


def in_a_broken_jail():
    """A runner that can't make namespaces: exit 78 too. Here seccomp of a parent takes clone away, as a runtime might."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "no-namespaces.c")
        with open(source, "w") as file:
            file.write(NO_NAMESPACES)
        program = os.path.join(folder, "no-namespaces")
        subprocess.run(["gcc", "-o", program, source], check=True)
        result = subprocess.run([program, UNGATED], capture_output=True, timeout=20, check=False)
    is_((result.returncode, result.stdout), (78, b""), "where the namespaces can't be had it exits with 78, and no HELLO")
    like(result.stderr.decode(), "^sandboxtask: not isolated: namespaces$", "and says that it was the namespaces")


# Denies clone() with CLONE_NEWUSER, as a container runtime without user namespaces does.
NO_NAMESPACES = """
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x10000000, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	execv(argv[1], argv + 1);
	return 1;
}
"""

in_a_container()
bare()
binary()
in_a_broken_jail()
done_testing()
