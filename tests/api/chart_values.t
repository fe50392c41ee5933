#!/usr/bin/python3
"""What Helm makes of the chart: with nothing set what kustomize makes of manifests/, and then value by value. Needs no cluster.

A row sets values, names every object that differs then from the chart with nothing set, and says what is in it.
"""

import json
import pathlib
import re
import sys
import tarfile
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import kube  # noqa: E402
import yaml  # noqa: E402  python3-yaml, which the system's own Python finds
from sandboxes import SYSTEM_NAMESPACE, merged  # noqa: E402
from tap import done_testing, is_, like, ok, skip  # noqa: E402

CHART = kube.CHECKOUT / "charts/sandboxtask"
# Without one, helm takes the version it was built with, if that was linked in.
KUBERNETES = "--kube-version=1.36.0"
VERSION = yaml.safe_load((CHART / "Chart.yaml").read_text())["version"]
HELM_LABELS = {"app.kubernetes.io/managed-by": "Helm", "app.kubernetes.io/instance": "sandboxtask",
               "helm.sh/chart": f"sandboxtask-{VERSION}"}
DIGEST = "sha256:" + "0123456789abcdef" * 4

# Objects, and fields of the controller's Deployment.
DEPLOYMENT = "Deployment/sandboxtask-controller"
BUDGET = "PodDisruptionBudget/sandboxtask-controller"
CLASS = "SandboxClass/default"
CREATES = "ValidatingAdmissionPolicy/sandboxtask-controller-creates"
GONE = {}
POD = "spec.template.spec"
CONTAINER = "spec.template.spec.containers.0"
RUNTIME = "spec.runtimes.0"

TOLERATION = {"key": "infra", "operator": "Exists", "effect": "NoSchedule"}
AFFINITY = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
    {"matchExpressions": [{"key": "infra", "operator": "Exists"}]}]}}}
SPREAD = {"topologyKey": "topology.kubernetes.io/zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule",
          "labelSelector": {"matchLabels": {"app.kubernetes.io/component": "controller"}}}
RESOURCES = {"requests": {"cpu": "200m", "memory": "64Mi", "ephemeral-storage": "64Mi"},
             "limits": {"memory": "1Gi", "ephemeral-storage": "1Gi"}}

ROWS = [
    ("another registry", {"image": {"registry": "mirror.example:5000/hub"}},
     {DEPLOYMENT: {f"{CONTAINER}.image": f"mirror.example:5000/hub/sandboxtask/controller:{VERSION}"}}),
    ("another repository and tag", {"image": {"repository": "infra/sandboxtask", "tag": "1-patched"}},
     {DEPLOYMENT: {f"{CONTAINER}.image": "docker.io/infra/sandboxtask:1-patched"}}),
    ("a digest, which wins over a tag", {"image": {"digest": DIGEST, "tag": "0.2.0"}},
     {DEPLOYMENT: {f"{CONTAINER}.image": f"docker.io/sandboxtask/controller@{DIGEST}"}}),
    ("a pull policy", {"image": {"pullPolicy": "Always"}}, {DEPLOYMENT: {f"{CONTAINER}.imagePullPolicy": "Always"}}),
    ("pull secrets", {"imagePullSecrets": [{"name": "mirror"}]}, {DEPLOYMENT: {f"{POD}.imagePullSecrets": [{"name": "mirror"}]}}),
    ("three replicas", {"replicas": 3}, {DEPLOYMENT: {"spec.replicas": 3}}),
    ("one replica, and no budget that would hold up a drain", {"replicas": 1}, {DEPLOYMENT: {"spec.replicas": 1}, BUDGET: GONE}),
    ("no replica", {"replicas": 0}, {DEPLOYMENT: {"spec.replicas": 0}, BUDGET: GONE}),
    ("some resources, the others staying as they are",
     {"resources": {"requests": {"cpu": "200m"}, "limits": {"memory": "1Gi"}}},
     {DEPLOYMENT: {f"{CONTAINER}.resources": RESOURCES}}),
    ("labels of nodes", {"nodeSelector": {"pool": "infra"}}, {DEPLOYMENT: {f"{POD}.nodeSelector": {"pool": "infra"}}}),
    ("tolerations", {"tolerations": [TOLERATION]}, {DEPLOYMENT: {f"{POD}.tolerations": [TOLERATION]}}),
    ("an affinity", {"affinity": AFFINITY}, {DEPLOYMENT: {f"{POD}.affinity": AFFINITY}}),
    ("another spread", {"topologySpreadConstraints": [SPREAD]}, {DEPLOYMENT: {f"{POD}.topologySpreadConstraints": [SPREAD]}}),
    ("a priority", {"priorityClassName": "system-cluster-critical"},
     {DEPLOYMENT: {f"{POD}.priorityClassName": "system-cluster-critical"}}),
    ("labels of Pods, but none by which they are selected",
     {"podLabels": {"team": "infra", "app.kubernetes.io/component": "other"}},
     {DEPLOYMENT: {"spec.template.metadata.labels": {"app.kubernetes.io/name": "sandboxtask", "team": "infra",
                                                     "app.kubernetes.io/component": "controller"}}}),
    ("annotations of Pods", {"podAnnotations": {"example.com/scrape": "true"}},
     {DEPLOYMENT: {"spec.template.metadata.annotations": {"kubectl.kubernetes.io/default-container": "controller",
                                                          "example.com/scrape": "true"}}}),
    ("every setting, as a flag", {"settings": {"maxTasks": 10000, "maxTransfers": 4, "listenAddress": "::", "logLevel": "debug"}},
     {DEPLOYMENT: {f"{CONTAINER}.args": ["--listen-address=::", "--log-level=debug", "--max-tasks=10000", "--max-transfers=4"]}}),
    ("a setting of null, which is not set", {"settings": {"maxTasks": None}}, {}),
    ("addresses of the API server", {"apiServerAddresses": ["10.0.0.1/32", "fd00::1/128"]},
     {"NetworkPolicy/sandboxtask-controller": {"spec.egress": [
         {"ports": [{"protocol": "TCP"}],
          "to": [{"ipBlock": {"cidr": "10.0.0.1/32"}}, {"ipBlock": {"cidr": "fd00::1/128"}}]}]}}),
    ("another Pod namespace, in which the rights, the default deny and the class are, too", {"podNamespace": {"name": "runs"}},
     {"Namespace/sandboxtask-pods": GONE,
      "Namespace/runs": {"metadata.labels.pod-security\\.kubernetes\\.io/enforce": "restricted"},
      "NetworkPolicy/sandboxtask-default-deny": {"metadata.namespace": "runs"},
      "RoleBinding/sandboxtask-pods": {"metadata.namespace": "runs", "roleRef.name": "sandboxtask-pods",
                                       "subjects.0.namespace": SYSTEM_NAMESPACE},
      CLASS: {"spec.podNamespace": "runs"}}),
    ("a Pod namespace of the admin", {"podNamespace": {"create": False}}, {"Namespace/sandboxtask-pods": GONE}),
    ("another RuntimeClass, which the admission policy lists, too", {"runtimeClass": {"name": "runsc-kvm"}},
     {"RuntimeClass/gvisor": GONE, "RuntimeClass/runsc-kvm": {"handler": "runsc"},
      CREATES: {"spec.variables.0": {"name": "runtimeClassNames", "expression": "['runsc-kvm']"}},
      CLASS: {"spec.runtimeClassName": "runsc-kvm"}}),
    ("another handler", {"runtimeClass": {"handler": "gvisor"}}, {"RuntimeClass/gvisor": {"handler": "gvisor"}}),
    ("a RuntimeClass of the cluster", {"runtimeClass": {"create": False}}, {"RuntimeClass/gvisor": GONE}),
    ("more RuntimeClasses", {"runtimeClass": {"others": ["runsc-kvm", "gvisor"]}},
     {CREATES: {"spec.variables.0.expression": "['gvisor', 'runsc-kvm']"}}),
    ("no class", {"sandboxClass": {"create": False}}, {CLASS: GONE}),
    ("the image of the class from elsewhere",
     {"sandboxClass": {"image": {"registry": "mirror.example", "repository": "hub/python", "tag": "3"}}},
     {CLASS: {f"{RUNTIME}.image": "mirror.example/hub/python:3", f"{RUNTIME}.name": "python"}}),
    ("the image of the class by its digest", {"sandboxClass": {"image": {"digest": DIGEST}}},
     {CLASS: {f"{RUNTIME}.image": f"docker.io/sandboxtask/runner-python@{DIGEST}"}}),
    ("fields of the class, beside those that the chart sets",
     {"sandboxClass": {"spec": {"holdSeconds": 600, "resources": {"cpu": {"max": 8}, "memory": {"max": "4Gi"}}}}},
     {CLASS: {"spec": {"holdSeconds": 600, "resources": {"cpu": {"max": 8}, "memory": {"max": "4Gi"}},
                       "runtimeClassName": "gvisor", "podNamespace": "sandboxtask-pods",
                       "runtimes": [{"name": "python", "language": "python",
                                     "image": f"docker.io/sandboxtask/runner-python:{VERSION}"}]}}}),
    ("a class whose Pods run in the tasks' own namespaces", {"sandboxClass": {"spec": {"podNamespace": ""}}},
     {CLASS: {"spec.podNamespace": ""}}),
    ("a class with another of the RuntimeClasses",
     {"runtimeClass": {"others": ["runsc-kvm"]}, "sandboxClass": {"spec": {"runtimeClassName": "runsc-kvm"}}},
     {CREATES: {"spec.variables.0.expression": "['gvisor', 'runsc-kvm']"}, CLASS: {"spec.runtimeClassName": "runsc-kvm"}}),
    ("values of a chart that this one is part of", {"global": {"region": "north"}}, {}),
]

# What the sentence names, and what its refusal has to say.
REFUSED = [
    ("an unknown value", {"replica": 3}, "additional properties 'replica' not allowed"),
    ("an unknown value further down", {"image": {"tags": "1"}}, "at '/image': additional properties 'tags' not allowed"),
    ("a misspelt setting", {"settings": {"maxTask": 5}}, "at '/settings': additional properties 'maxTask' not allowed"),
    ("a setting that is not the admin's", {"settings": {"identity": "one"}}, "'identity' not allowed"),
    ("a misspelt field of the class", {"sandboxClass": {"spec": {"timeouts": {"runSecond": {"max": 5}}}}},
     "at '/sandboxClass/spec/timeouts': additional properties 'runSecond' not allowed"),
    ("admission policies left out", {"admissionPolicies": {"enabled": False}}, "'admissionPolicies' not allowed"),
    ("a number as a text", {"replicas": "two"}, "at '/replicas': got string, want integer"),
    ("a tag that YAML takes for a number", {"image": {"tag": 1.0}}, "at '/image/tag': got number, want string"),
    ("a digest that is none", {"image": {"digest": "0123"}}, "at '/image/digest': '0123' does not match"),
    ("a pull policy that Kubernetes does not have", {"image": {"pullPolicy": "Sometimes"}},
     "at '/image/pullPolicy': value must be one of"),
    ("fewer replicas than none", {"replicas": -1}, "at '/replicas': minimum: got -1, want 0"),
    ("a setting out of its bounds", {"settings": {"maxTasks": 10001}}, r"maximum: got 10,?001, want 10,?000"),
    ("a level that the log does not have", {"settings": {"logLevel": "loud"}}, "'/settings/logLevel': value must be one of"),
    ("a field of the class out of its bounds", {"sandboxClass": {"spec": {"holdSeconds": 5}}}, "minimum: got 5, want 60"),
    ("a text where there are yes and no", {"podNamespace": {"create": "no"}}, "'/podNamespace/create': got string, want boolean"),
    ("a RuntimeClass that would break out of the policy's list", {"runtimeClass": {"others": ["a', 'b"]}},
     "at '/runtimeClass/others/0': .* does not match pattern"),
    ("a namespace that is no name", {"podNamespace": {"name": "My_Pods"}}, "does not match pattern"),
    ("an address without a length", {"apiServerAddresses": ["10.0.0.1"]}, "does not match pattern"),
    ("sandboxes beside the controller", {"podNamespace": {"name": SYSTEM_NAMESPACE}},
     "sandboxtask-system can't be the namespace of the release: it is for sandboxes"),
    ("a class with a RuntimeClass that is not listed", {"sandboxClass": {"spec": {"runtimeClassName": "runc"}}},
     "sandboxClass.spec.runtimeClassName: runc is neither runtimeClass.name nor among runtimeClass.others"),
]


def template(values, namespace=SYSTEM_NAMESPACE, chart=CHART):
    return kube.helm("template", "sandboxtask", str(chart), f"--namespace={namespace}", KUBERNETES, "--include-crds",
                     "--values=-", stdin=json.dumps(values))


def objects(text):
    """{kind/name: object}. Names are never the same in two namespaces."""
    found = [item for item in yaml.safe_load_all(text) if item]
    by_name = {f"{item['kind']}/{item['metadata']['name']}": item for item in found}
    assert len(by_name) == len(found), "two objects have the same name"
    return by_name


def render(values, **where):
    result = template(values, **where)
    assert result.returncode == 0, result.stderr
    return objects(result.stdout)


def field(item, path):
    """The part of an object at a path such as spec.runtimes.0.name, in which \\. is a dot of a name; None where there is none."""
    for name in re.split(r"(?<!\\)\.", path):
        key = int(name) if isinstance(item, list) else name.replace("\\.", ".")
        try:
            item = item[key]
        except (KeyError, IndexError):
            return None
    return item


def without_helms_labels(item):
    return merged(item, {"metadata": {"labels": dict.fromkeys(HELM_LABELS)}})


def nothing_set_is_what_kustomize_makes(default):
    made = kube.kubectl("kustomize", str(kube.CHECKOUT / "manifests"))
    assert made.returncode == 0, made.stderr
    wanted = objects(made.stdout)
    # Helm makes it itself, before anything of the chart: NOTES.txt.
    del wanted[f"Namespace/{SYSTEM_NAMESPACE}"]
    is_(sorted(default), sorted(wanted), "with nothing set the chart has the objects that kustomize has")
    for name, item in sorted(wanted.items()):
        is_(without_helms_labels(default[name]), item, f"{name} is the same")
    unlabelled = [name for name, item in default.items() if not HELM_LABELS.items() <= item["metadata"]["labels"].items()]
    is_([name for name in unlabelled if not name.startswith("CustomResourceDefinition/")], [], "each has Helm's labels")
    pods = default[DEPLOYMENT]["spec"]["template"]["metadata"]["labels"]
    is_(sorted(pods.keys() & HELM_LABELS.keys()), [], "but not the controller's Pods, which a new chart need not replace")


def every_value_has_its_effect(default):
    for sentence, values, wanted in ROWS:
        rendered = render(values)
        changed = [name for name in default.keys() | rendered.keys() if default.get(name) != rendered.get(name)]
        is_(sorted(changed), sorted(wanted), f"{sentence}: changes these objects only")
        for name, fields in wanted.items():
            if fields is GONE:
                is_(rendered.get(name), None, f"{sentence}: {name} is not there")
            for path, value in fields.items():
                is_(field(rendered.get(name), path), value, f"{sentence}: {name} {path}")


def common_metadata_is_on_every_object(default):
    rendered = render({"commonLabels": {"team": "infra", "app.kubernetes.io/name": "other"},
                       "commonAnnotations": {"example.com/owner": "infra"}})
    added = {"metadata": {"labels": {"team": "infra"}, "annotations": {"example.com/owner": "infra"}}}
    wanted = {name: item if name.startswith("CustomResourceDefinition/") else merged(item, added)
              for name, item in default.items()}
    is_(rendered, wanted, "every object but the kinds has the common labels and annotations, and is labelled ours as before")


def the_namespace_of_the_release_is_everywhere(default):
    rendered = render({}, namespace="infra")
    is_(rendered.keys(), default.keys(), "a release in another namespace has the same objects")
    is_({name: item for name, item in rendered.items() if SYSTEM_NAMESPACE in json.dumps(item)}, {},
        "none of which speaks of sandboxtask-system")
    moved = objects(yaml.safe_dump_all(default.values()).replace(SYSTEM_NAMESPACE, "infra"))
    is_(rendered, moved, "and each is what it was, with the one name for the other")
    user = "system:serviceaccount:infra:sandboxtask-controller"
    ok(user in json.dumps(rendered[CREATES]), "the admission policies hold its service account to be the controller")
    refusals = {"default": "whoever makes Pods in the namespace default", "sandboxtask-pods": "it is for sandboxes"}
    for namespace, why in refusals.items():
        like(template({}, namespace=namespace).stderr, why, f"{namespace} is refused as the namespace of a release")


def wrong_values_are_refused():
    for sentence, values, pattern in REFUSED:
        result = template(values)
        ok(result.returncode != 0, f"{sentence} is refused")
        like(result.stderr, pattern, f"{sentence}: and the refusal says what it is")


def the_documented_example_is_taken(default):
    section = (kube.CHECKOUT / "docs/operations.md").read_text().partition("\n## Installing with Helm\n")[2]
    example = yaml.safe_load(re.search(r"^```yaml\n(.*?)^```", section, re.MULTILINE | re.DOTALL)[1])
    rendered = render(example)
    is_(default.keys() - rendered.keys(), {"RuntimeClass/gvisor"}, "the example of docs/operations.md can be installed")
    is_([field(rendered[DEPLOYMENT], f"{CONTAINER}.image"), field(rendered[CLASS], f"{RUNTIME}.image")],
        [f"mirror.example.com/sandboxtask/{name}:{VERSION}" for name in ("controller", "runner-python")],
        "and has all images from one mirror, as it says")


def leaves(values, path=""):
    for name, value in values.items():
        here = path + name
        yield here
        if isinstance(value, dict):
            yield from leaves(value, here + ".")


def no_value_is_forgotten():
    rows = [values for _, values, _ in ROWS] + [{"commonLabels": {}, "commonAnnotations": {}}]
    set_once = {path for values in rows for path in leaves(values)}
    documented = re.findall(r"^\| `([\w.]+)` \|", (CHART / "README.md").read_text(), re.MULTILINE)
    is_([path for path in documented if path not in set_once], [], "every value is set by some row here")


def it_is_sound_and_can_be_packed(default):
    linted = kube.helm("lint", "--strict", KUBERNETES, str(CHART))
    is_((linted.returncode, re.findall(r"\[(?:WARNING|ERROR)\].*", linted.stdout)), (0, []),
        "helm lint --strict has no objection")
    with tempfile.TemporaryDirectory() as folder:
        packed = kube.helm("package", str(CHART), f"--destination={folder}")
        is_(packed.returncode, 0, "helm packs the chart")
        path = next(pathlib.Path(folder).glob("sandboxtask-*.tgz"))
        with tarfile.open(path) as package:
            is_([item.name for item in package if not item.isfile()], [], "with plain files where the chart has links")
            for link, folder in (("crds", "crd"), ("manifests", "manifests")):
                for source in sorted((kube.CHECKOUT / folder).glob("*.yaml")):
                    if (CHART / link / source.name).exists():
                        is_(package.extractfile(f"sandboxtask/{link}/{source.name}").read(), source.read_bytes(),
                            f"{folder}/{source.name} is in the package")
        is_(render({}, chart=path), default, "and the package makes the same objects as the folder")


def main():
    if not kube.program("helm"):
        skip("there is no helm", "what Helm makes of the chart")
        done_testing()
    default = render({})
    nothing_set_is_what_kustomize_makes(default)
    every_value_has_its_effect(default)
    common_metadata_is_on_every_object(default)
    the_namespace_of_the_release_is_everywhere(default)
    wrong_values_are_refused()
    the_documented_example_is_taken(default)
    no_value_is_forgotten()
    it_is_sound_and_can_be_packed(default)
    done_testing()


if __name__ == "__main__":
    main()
