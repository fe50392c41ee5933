"""An OCI image as one tar: layers become blobs, blobs and a config become an image.

The tar is an OCI image layout (image-spec v1.1, image-layout.md) with one image: `oci-layout`, `index.json`,
`blobs/sha256/*`. The full reference stands in two annotations of the index: containerd reads `io.containerd.image.name`,
the others `org.opencontainers.image.ref.name`. A `manifest.json` of Docker's older format points to the same blobs, since
`docker load` without containerd's image store reads nothing else.

The digest of an image is that of its manifest: equal digests mean equal bytes in every layer and in the config.
"""

import gzip
import hashlib
import io
import json
import os
import tarfile
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path

from layer import epoch

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar"
LAYER_SUFFIX = {"none": "", "gzip": "+gzip"}
GZIP_LEVEL = 6
COMPRESSION = "none"


@dataclass
class Blob:
    """A layer's tar on disk, with what the image says about it."""

    path: str
    media_type: str
    digest: str
    size: int
    diff_id: str


@dataclass
class Config:
    """How a container of the image starts, in the words of the image specification."""

    user: str = ""
    entrypoint: list = field(default_factory=list)
    cmd: list = field(default_factory=list)
    env: list = field(default_factory=list)
    workdir: str = "/"
    labels: dict = field(default_factory=dict)


class HashingWriter:
    """A stream that hashes what passes through it."""

    def __init__(self, stream):
        self.stream = stream
        self.sha256 = hashlib.sha256()
        self.size = 0

    def write(self, data):
        self.sha256.update(data)
        self.size += len(data)
        return self.stream.write(data)

    def flush(self):
        self.stream.flush()

    @property
    def digest(self):
        return "sha256:" + self.sha256.hexdigest()


def write_blob(layer, path, compression):
    """Writes the tar of `layer` to `path` and says what it is. The gzip header has neither a time nor a name."""
    with open(path, "wb") as file:
        outer = HashingWriter(file)
        if compression == "none":
            layer.write_tar(outer)
            inner = outer
        else:
            with gzip.GzipFile(filename="", fileobj=outer, mode="wb", compresslevel=GZIP_LEVEL, mtime=0) as packed:
                inner = HashingWriter(packed)
                layer.write_tar(inner)
    return Blob(str(path), LAYER + LAYER_SUFFIX[compression], outer.digest, outer.size, inner.digest)


def write_image(path, name, blobs, config, architecture):
    """Writes the image `name` of these layers, lowest first, to the tar `path`, and returns its digest."""
    config_json = dump(image_config(blobs, config, architecture))
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": descriptor(CONFIG, config_json),
        "layers": [{"mediaType": blob.media_type, "digest": blob.digest, "size": blob.size} for blob in blobs],
    }
    manifest_json = dump(manifest)
    named = descriptor(MANIFEST, manifest_json) | {
        "annotations": {"io.containerd.image.name": name, "org.opencontainers.image.ref.name": name},
        "platform": {"architecture": architecture, "os": "linux"},
    }
    docker = {
        "Config": blob_path(digest_of(config_json)),
        "RepoTags": [name],
        "Layers": [blob_path(blob.digest) for blob in blobs],
    }
    files = {
        "oci-layout": dump({"imageLayoutVersion": "1.0.0"}),
        "index.json": dump({"schemaVersion": 2, "mediaType": INDEX, "manifests": [named]}),
        "manifest.json": dump([docker]),
        blob_path(digest_of(config_json)): config_json,
        blob_path(digest_of(manifest_json)): manifest_json,
    }
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        for file_name, content in files.items():
            tar.addfile(plain_header(file_name, len(content)), io.BytesIO(content))
        for blob in {blob.digest: blob for blob in blobs}.values():
            with open(blob.path, "rb") as stream:
                tar.addfile(plain_header(blob_path(blob.digest), blob.size), stream)
    return digest_of(manifest_json)


def image_config(blobs, config, architecture):
    start = {
        "User": config.user,
        "Env": config.env,
        "Entrypoint": config.entrypoint,
        "Cmd": config.cmd,
        "WorkingDir": config.workdir,
        "Labels": config.labels,
    }
    return {
        "created": datetime.fromtimestamp(epoch(), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "architecture": architecture,
        "os": "linux",
        "config": {key: value for key, value in start.items() if value},
        "rootfs": {"type": "layers", "diff_ids": [blob.diff_id for blob in blobs]},
    }


def plain_header(name, size):
    info = tarfile.TarInfo(name)
    info.size = size
    info.mtime = epoch()
    return info


def dump(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digest_of(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def descriptor(media_type, data):
    return {"mediaType": media_type, "digest": digest_of(data), "size": len(data)}


def blob_path(digest):
    return "blobs/" + digest.replace(":", "/")


def save_blob(blob, path):
    """Moves a layer's tar to `path`, and keeps beside it what it is."""
    os.replace(blob.path, path)
    Path(path).with_suffix(".json").write_text(json.dumps(asdict(blob) | {"path": None}, indent="\t") + "\n")
    return replace(blob, path=str(path))


def saved_blob(path):
    """The layer that was saved there, if it is whole."""
    facts = Path(path).with_suffix(".json")
    if not (Path(path).exists() and facts.exists()):
        return None
    blob = replace(Blob(**json.loads(facts.read_text())), path=str(path))
    return blob if digest_of(Path(path).read_bytes()) == blob.digest else None
