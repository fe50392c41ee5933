#!/usr/bin/python3
"""crd/, manifests/ and charts/ as files: what can be said of them without a cluster."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "lib"))
from tap import done_testing, is_, ok  # noqa: E402

import yaml  # noqa: E402  python3-yaml, which the system's own Python finds

CHECKOUT = HERE.parent
KINDS = ["sandboxtasks", "sandboxclasses", "sandboxoutputs"]
# Fields which the API server fills with a bounded text of its own.
UNBOUNDED = {"apiVersion", "kind"}


def schema_of(plural):
    crd = yaml.safe_load((CHECKOUT / f"crd/{plural}.yaml").read_text())
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def nodes(schema, path):
    """Every node of a schema below a path: (path, node), items and values of maps included."""
    yield path, schema
    for name, field in schema.get("properties", {}).items():
        yield from nodes(field, f"{path}.{name}")
    for inner, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if inner in schema:
            yield from nodes(schema[inner], path + mark)


def is_unbounded(node):
    if node.get("x-kubernetes-int-or-string"):
        return "maxLength" not in node
    match node["type"]:
        case "string":
            return not {"maxLength", "enum"} & node.keys()
        case "array":
            return "maxItems" not in node
        case "object":
            return "additionalProperties" in node and "maxProperties" not in node
        case "integer":
            return "minimum" not in node
    return False


def every_kind_is_bounded_and_explained():
    for plural in KINDS:
        schema = schema_of(plural)
        top = [(name, field) for name, field in schema["properties"].items() if name not in UNBOUNDED | {"metadata"}]
        everything = [found for name, field in top for found in nodes(field, name)]
        is_([path for path, node in everything if is_unbounded(node)], [],
            f"{plural}: every text, list, map and number is bounded")
        is_([path for path, node in everything if not node.get("description") and not path.endswith(("[]", "{}"))], [],
            f"{plural}: every field has a text")
        is_([path for path, node in everything if node.get("x-kubernetes-preserve-unknown-fields")], [],
            f"{plural}: unknown fields are kept nowhere")
        is_([path for path, node in everything if "items" in node and "x-kubernetes-list-type" not in node], [],
            f"{plural}: every list says how it is merged")


def a_status_is_open_to_newer_controllers():
    status = schema_of("sandboxtasks")["properties"]["status"]
    inside = [(path, node) for path, node in nodes(status, "status") if path != "status"]
    is_([path for path, node in inside if {"enum", "pattern", "x-kubernetes-validations", "default"} & node.keys()], [],
        "no field of the status has an enum, a pattern, a rule or a default")
    is_(len(status["x-kubernetes-validations"]), 1, "and the status as a whole has one rule")


def the_chart_has_the_same_kinds():
    for plural in KINDS:
        link = CHECKOUT / f"charts/sandboxtask/crds/{plural}.yaml"
        ok(link.is_symlink() and link.resolve() == CHECKOUT / f"crd/{plural}.yaml",
           f"the chart's {plural}.yaml is crd/{plural}.yaml")
    is_(sorted(path.name for path in (CHECKOUT / "charts/sandboxtask/crds").iterdir()),
        sorted(f"{plural}.yaml" for plural in KINDS),
        "and it has no others")


def kustomize_knows_every_file():
    for folder in ("crd", "manifests"):
        listed = yaml.safe_load((CHECKOUT / folder / "kustomization.yaml").read_text())["resources"]
        files = [path.name for path in (CHECKOUT / folder).glob("*.yaml") if path.name != "kustomization.yaml"]
        is_(sorted(name for name in listed if name != "../crd"), sorted(files),
            f"{folder}/kustomization.yaml lists every file there")


def the_controller_is_as_harmless_as_can_be():
    objects = {found["kind"]: found for found in yaml.safe_load_all((CHECKOUT / "manifests/controller.yaml").read_text())}
    deployment = objects["Deployment"]["spec"]
    pod = deployment["template"]["spec"]
    (container,) = pod["containers"]
    is_(container["securityContext"], {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                       "capabilities": {"drop": ["ALL"]}}, "the controller can't gain or write anything")
    is_(pod["securityContext"], {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}, "and is restricted")
    is_(sorted(pod.keys() & {"volumes", "initContainers", "hostNetwork", "hostPID", "hostIPC", "hostUsers"}), [],
        "it mounts nothing and shares nothing with its node")
    ok(objects["PodDisruptionBudget"]["spec"]["minAvailable"] < deployment["replicas"], "a drain may evict one replica at a time")
    is_(container["resources"]["limits"].keys(), {"memory", "ephemeral-storage"},
        "its memory and disk are limited, its CPU is not: the Lease must not wait")
    ok({"livenessProbe", "readinessProbe"} <= container.keys(), "the kubelet is told whether it is well")


def the_reference_is_up_to_date():
    check = subprocess.run([CHECKOUT / "hack/generate-api-docs", "--check"], capture_output=True, text=True)
    is_((check.returncode, check.stderr), (0, ""), "docs/api.md says what the CRDs say")


def main():
    every_kind_is_bounded_and_explained()
    a_status_is_open_to_newer_controllers()
    the_chart_has_the_same_kinds()
    kustomize_knows_every_file()
    the_controller_is_as_harmless_as_can_be()
    the_reference_is_up_to_date()
    done_testing()


if __name__ == "__main__":
    main()
