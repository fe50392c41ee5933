#!/usr/bin/env python3
"""The Containerfiles build what `make image` builds: by the same program, from the same lists of packages."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "tests" / "lib"))
from oci_image import OciImage
from tap import done_testing, is_, ok

CONTAINERFILES = {"runner-python": "runner-image/Containerfile", "controller": "controller/Containerfile"}


def instructions(path):
    """The stages of a Containerfile, each a list of (instruction, rest)."""
    stages = []
    for line in path.read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            stages.append([])
        if word and not word.startswith("#"):
            stages[-1].append((word, rest))
    return stages


def the_first_stage_runs_our_build(name, stage):
    runs = [rest for word, rest in stage if word == "RUN"]
    wanted = ["hack/install-packages build images", "make", f"hack/images/build --root /image {name}"]
    is_(runs, wanted, f"{name}: packages are named by our build, nowhere else")
    suite = re.search(r'^SUITE = "(\w+)"', (CHECKOUT / "hack/images/debian.py").read_text(), re.MULTILINE)[1]
    is_(stage[0], ("FROM", f"docker.io/library/debian:{suite}-slim AS build"), f"{name}: it runs on the suite of our packages")


def the_last_stage_is_configured_alike(name, stage):
    config = OciImage(f"{scratch}/{name}.tar").config["config"]
    is_(stage[:2], [("FROM", "scratch"), ("COPY", "--from=build /image /")], f"{name}: the image holds those files only")
    is_([rest for word, rest in stage if word == "ENV"], config["Env"], f"{name}: the environment is the same")
    is_([rest for word, rest in stage if word == "USER"], [config["User"]], f"{name}: the user is the same")
    entrypoints = [json.loads(rest) for word, rest in stage if word == "ENTRYPOINT"]
    is_(entrypoints, [config["Entrypoint"]], f"{name}: the entrypoint is the same")


with tempfile.TemporaryDirectory() as scratch:
    build = [CHECKOUT / "hack/images/build", "--out", scratch, *CONTAINERFILES]
    subprocess.run(build, stdout=subprocess.DEVNULL, check=True)
    for image, place in CONTAINERFILES.items():
        stages = instructions(CHECKOUT / place)
        if ok(len(stages) == 2, f"{image}: there are two stages"):
            the_first_stage_runs_our_build(image, stages[0])
            the_last_stage_is_configured_alike(image, stages[1])
done_testing()
