#!/usr/bin/env python3
"""The image runner-python: Python in it is whole, and starts from compiled files, on a read-only root, as nobody."""

import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "tests" / "lib"))
from oci_image import OciImage
from rootfs import run_in
from tap import done_testing, is_, like, note, ok

# Modules that are not there: for other systems, for windows on a screen, and what Debian keeps in packages of their own
# for people who develop Python programs.
ABSENT = {
    "_gdbm", "_msi", "_overlapped", "_scproxy", "_tkinter", "_winapi", "ensurepip", "idlelib", "msilib", "msvcrt", "nt",
    "tkinter", "turtle", "turtledemo", "winreg", "winsound",
}
# Importing these does something: a poem, a browser.
ACTIVE = {"this", "antigravity"}

MODULES = "json, ctypes, http.client, ssl, sqlite3, decimal, zoneinfo, asyncio, multiprocessing, lzma, bz2, uuid, curses"

IMPORT_ALL = f"""
import importlib, sys
for name in sorted(sys.stdlib_module_names - {ACTIVE!r}):
    try:
        importlib.import_module(name)
    except ImportError:
        print(name)
"""

# Each program prints True when that part of the library does its work, and is not only there.
WORKS = {
    "a library of the system is found and called": """
import ctypes, ctypes.util
print(ctypes.CDLL(ctypes.util.find_library("c")).abs(-3) == 3)""",
    "a table is written to and read from SQLite": """
import sqlite3
db = sqlite3.connect(":memory:")
db.execute("create table t(x)")
db.execute("insert into t values (7)")
print(db.execute("select x from t").fetchall() == [(7,)])""",
    "times are known in other time zones": """
import datetime, zoneinfo
print(datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Paris")).utcoffset().seconds == 7200)""",
    "every time zone that is listed can be loaded": """
import zoneinfo
names = zoneinfo.available_timezones()
print(len(names) > 590 and all(zoneinfo.ZoneInfo(name) for name in names))""",
    "the local time is UTC": """
import time
print(time.localtime(0).tm_hour == 0 and time.tzname[0] == "UTC")""",
    "TLS trusts the usual authorities": """
import ssl
print(ssl.create_default_context().cert_store_stats()["x509_ca"] > 100)""",
    "decimals are computed by the C library": """
import decimal, _decimal
print(decimal.Decimal is _decimal.Decimal and decimal.Decimal("0.1") * 3 == decimal.Decimal("0.3"))""",
    "processes share work": """
import multiprocessing
if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print(pool.map(abs, [-1, -2]) == [1, 2])""",
    "a coroutine runs": """
import asyncio
async def answer():
    return True
print(asyncio.run(answer()))""",
    "a shell and its tools can be called": """
import subprocess
done = subprocess.run("echo a b | sed s/b/c/ | grep -o c | awk '{ print $1 }'", shell=True, capture_output=True)
print(done.stdout == b"c\\n")""",
    "text is UTF-8 for C as well": """
import locale
locale.setlocale(locale.LC_ALL, "")
print(locale.nl_langinfo(locale.CODESET) == "UTF-8")""",
    "files of the image can be put into a zip file": """
import io, os, zipfile
with zipfile.ZipFile(io.BytesIO(), "w") as archive:
    archive.write(os.__file__)
print(True)""",
    "names of services and users are known": """
import pwd, socket
print(socket.getservbyname("https") == 443 and pwd.getpwuid(65534).pw_name == "nobody")""",
    "sources of the library can be read": """
import inspect, json
print("def dumps" in inspect.getsource(json))""",
    "the system's name is known": """
import platform
print(platform.freedesktop_os_release()["VERSION_CODENAME"] == "bookworm")""",
}


def python(root, code, *options):
    return run_in(root, "/usr/bin/python3", *options, "-c", code, environment={"LANG": "C.UTF-8"})


def the_library_is_whole(root):
    done = python(root, f"import {MODULES}")
    is_((done.returncode, done.stdout), (0, ""), f"{MODULES} are imported")
    absent = python(root, IMPORT_ALL, "-W", "ignore").stdout.split()
    is_(absent, sorted(ABSENT), "every module of the standard library is there, but for a known few")
    for rule, code in WORKS.items():
        (Path(root) / "work" / "main.py").write_text(code)
        done = run_in(root, "/usr/bin/python3", "/work/main.py", environment={"LANG": "C.UTF-8"})
        is_(done.stdout, "True\n", rule)
    is_(run_in(root, "/usr/bin/python", "--version").stdout[:7], "Python ", "it is python and python3")


def nothing_is_compiled_at_start(root):
    done = python(root, f"import {MODULES}", "-v")
    compiled = [line for line in done.stdout.splitlines() if line.startswith("# code object from")]
    sources = [line for line in compiled if not line.endswith(".pyc'")]
    ok(len(compiled) > 100, "Python says where it takes each module from")
    is_(sources, [], "every module comes from its .pyc, none from its source")
    for source in Path(root).glob("usr/lib/python3*/**/*.py"):
        source.touch()
    lines = python(root, "import ssl", "-v").stdout.splitlines()
    taken = [line for line in lines if "code object from" in line and "/ssl." in line]
    like("\n".join(taken), r"/ssl\.cpython-\d+\.pyc'$", "a later time of a source changes nothing")
    traceback = python(root, "import json; json.loads('x')").stdout
    like(traceback, r'File "/usr/lib/python3\S*/json/__init__\.py", line', "a traceback names sources inside of the image")


def what_the_runner_needs_is_there(root):
    for place in ("work", "tmp", "proc", "dev", "sys"):
        ok(Path(root, place).is_dir(), f"/{place} is there to mount on")
    found = run_in(root, "/usr/bin/find", "/", "-xdev", "-perm", "/6000", user="0:0").stdout
    is_(found, "", "seen from inside, no program changes user or group")
    for absent in ("usr/bin/dpkg", "usr/bin/apt", "usr/bin/perl", "usr/bin/su", "usr/bin/mount"):
        ok(not Path(root, absent).exists(), f"there is no /{absent}")


with tempfile.TemporaryDirectory() as scratch:
    subprocess.run([CHECKOUT / "hack/images/build", "--out", scratch, "runner-python"], stdout=subprocess.DEVNULL, check=True)
    image = OciImage(f"{scratch}/runner-python.tar")
    files = [member for member in image.members() if member.isreg()]
    note(f"{len(files)} files, {sum(member.size for member in files) / 1e6:.1f} MB")
    unpacked = Path(scratch, "root")
    image.unpack(unpacked)
    the_library_is_whole(unpacked)
    nothing_is_compiled_at_start(unpacked)
    what_the_runner_needs_is_there(unpacked)
done_testing()
