#!/usr/bin/python3
"""charts/sandboxtask as files: it is made of manifests/ and crd/, and its values, their schema and their reference agree.

What Helm makes of it is in tests/api/chart_values.t, since helm is built with the programs of the cluster.
"""

import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "lib"))
from tap import done_testing, is_, like, ok  # noqa: E402

import yaml  # noqa: E402  python3-yaml, which the system's own Python finds

CHECKOUT = HERE.parent
CHART = CHECKOUT / "charts/sandboxtask"
VALUES = yaml.safe_load((CHART / "values.yaml").read_text())
SCHEMA = json.loads((CHART / "values.schema.json").read_text())
README = (CHART / "README.md").read_text()
# Helm hands it to a chart that is part of another.
HELMS_OWN = {"global"}


def it_is_made_of_the_files_of_kustomize():
    link = CHART / "manifests"
    ok(link.is_symlink() and link.resolve() == CHECKOUT / "manifests", "the chart's manifests/ is manifests/")
    listed = yaml.safe_load((CHECKOUT / "manifests/kustomization.yaml").read_text())["resources"]
    templates = "".join(path.read_text() for path in (CHART / "templates").iterdir())
    is_(sorted(re.findall(r'"([\w-]+\.yaml)"', templates)), sorted(name for name in listed if name != "../crd"),
        "its templates read each file that kustomize lists, once")
    is_(re.findall(r"^(?:apiVersion|kind):.*", templates, re.MULTILINE), [], "and write down no object of their own")


def documented_paths():
    return re.findall(r"^\| `([\w.]+)` \|", README, re.MULTILINE)


def resolved(schema):
    return SCHEMA["definitions"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def schema_of(path):
    schema = SCHEMA
    for name in path.split(".") if path else []:
        schema = resolved(schema["properties"][name])
    return schema


def values_of(path):
    value = VALUES
    for name in path.split(".") if path else []:
        value = value[name]
    return value


def values_schema_and_reference_agree():
    paths = documented_paths()
    groups = {""} | {path.rpartition(".")[0] for path in paths}
    for group in sorted(groups):
        explained = sorted(path.rpartition(".")[2] for path in paths if path.rpartition(".")[0] == group)
        where = f"below {group}" if group else "at the top"
        is_(sorted(values_of(group)), explained, f"README.md explains every value {where} of values.yaml")
        is_(sorted(schema_of(group)["properties"].keys() - HELMS_OWN), explained, f"and the schema knows the same {where}")
    check = subprocess.run([CHECKOUT / "hack/generate-chart", "--check"], capture_output=True, text=True)
    is_((check.returncode, check.stderr), (0, ""), "README.md says what values.yaml says, and the schema what the CRD says")


def nodes(schema, path):
    """Every schema below one that stands here."""
    yield path, schema
    for name, field in [*schema.get("properties", {}).items(), *schema.get("definitions", {}).items()]:
        yield from nodes(field, f"{path}.{name}")
    if "items" in schema:
        yield from nodes(schema["items"], path + "[]")


def a_misspelt_key_is_refused_everywhere():
    objects = [(path, node) for path, node in nodes(SCHEMA, "") if "properties" in node]
    is_([path for path, node in objects if node.get("additionalProperties") is not False], [],
        "no object with named keys takes others")
    ok(len(objects) > 10, "of which there are some")


def the_settings_are_the_controllers():
    """docs/operations.md is held against the program by tests/program.t."""
    rows = re.findall(r"^\| `(\w+)` \| `--[\w-]+` \| ([^|]+) \| (?:`(.*?)`)? ?\|",
                      (CHECKOUT / "docs/operations.md").read_text(), re.MULTILINE)
    offered = schema_of("settings")["properties"]
    left_out = re.search(r"^- \*\*(.*)\*\* of the controller: ", README, re.MULTILINE)[1]
    is_(sorted([*offered, *re.findall(r"`(\w+)`", left_out)]), sorted(key for key, _, _ in rows),
        "each setting of the controller can be set, or README.md says why not")
    for key, bounds, default in (row for row in rows if row[0] in offered):
        meaning = re.search(rf"^\| `settings\.{key}` .*", README, re.MULTILINE)[0]
        like(meaning, rf"Not set: {re.escape(default)}\b", f"{key}: the default of the controller is told")
        if number := re.fullmatch(r"a number from (\d+) to (\d+)", bounds):
            is_([str(offered[key][word]) for word in ("minimum", "maximum")], list(number.groups()), f"{key}: the same bounds")
            like(meaning, f"from {number[1]} to {number[2]}", f"{key}: and they are told")
        if "enum" in offered[key]:
            is_([word for word in offered[key]["enum"] if word], re.findall(r"\w+", bounds.replace(" or ", " ")),
                f"{key}: the same words")


def main():
    it_is_made_of_the_files_of_kustomize()
    values_schema_and_reference_agree()
    a_misspelt_key_is_refused_everywhere()
    the_settings_are_the_controllers()
    done_testing()


if __name__ == "__main__":
    main()
