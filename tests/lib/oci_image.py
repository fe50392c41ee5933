"""Reads an image tar as the image specification describes it, and trusts nothing of what it says. Knows nothing of how
our images are made.

    image = OciImage("build/images/pause.tar")
    image.problems()        sentences about what is not as specified; empty when all is well
    image.members()         the tar members of all layers, lowest first
    image.unpack(folder)    the files, as a container runtime would lay them out
"""

import gzip
import hashlib
import io
import json
import re
import tarfile

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar"
LAYER_TYPES = {LAYER: lambda data: data, LAYER + "+gzip": gzip.decompress}


def sha256(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


class OciImage:
    def __init__(self, path):
        with tarfile.open(path) as tar:
            self.files = {member.name: tar.extractfile(member).read() for member in tar if member.isreg()}
        (self.descriptor,) = self.json("index.json")["manifests"]
        self.digest = self.descriptor["digest"]
        self.manifest = self.json(self._blob_name(self.digest))
        self.config = self.json(self._blob_name(self.manifest["config"]["digest"]))

    def json(self, name):
        return json.loads(self.files[name])

    def _blob_name(self, digest):
        return "blobs/" + digest.replace(":", "/")

    def layers(self):
        """The layers as tars without compression, lowest first."""
        for layer in self.manifest["layers"]:
            yield LAYER_TYPES[layer["mediaType"]](self.files[self._blob_name(layer["digest"])])

    def members(self):
        for layer in self.layers():
            with tarfile.open(fileobj=io.BytesIO(layer), mode="r:") as tar:
                yield from tar.getmembers()

    def unpack(self, folder):
        for layer in self.layers():
            with tarfile.open(fileobj=io.BytesIO(layer), mode="r:") as tar:
                tar.extractall(folder, numeric_owner=True)

    def problems(self):
        found = []
        if self.json("oci-layout") != {"imageLayoutVersion": "1.0.0"}:
            found.append("oci-layout does not name version 1.0.0")
        if self.json("index.json")["schemaVersion"] != 2 or self.manifest["schemaVersion"] != 2:
            found.append("a schema version is not 2")
        if self.descriptor["mediaType"] != MANIFEST or self.manifest["mediaType"] != MANIFEST:
            found.append("the manifest has another media type")
        if self.manifest["config"]["mediaType"] != CONFIG:
            found.append("the config has another media type")
        for blob in [self.descriptor, self.manifest["config"], *self.manifest["layers"]]:
            data = self.files.get(self._blob_name(blob["digest"]))
            if data is None or sha256(data) != blob["digest"] or len(data) != blob["size"]:
                found.append(f"{blob['digest']}: not there, or its digest or size is another")
        for name, data in self.files.items():
            if name.startswith("blobs/") and name != self._blob_name(sha256(data)):
                found.append(f"{name} does not hold what its name says")
        unpacked = [sha256(layer) for layer in self.layers()]
        if self.config["rootfs"] != {"type": "layers", "diff_ids": unpacked}:
            found.append("the config's diff_ids are not the digests of the layers' tars")
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", self.config["created"]):
            found.append("the time of creation is not an RFC 3339 time")
        (docker,) = self.json("manifest.json")
        layers = [self._blob_name(layer["digest"]) for layer in self.manifest["layers"]]
        if docker["Layers"] != layers or docker["Config"] != self._blob_name(self.manifest["config"]["digest"]):
            found.append("manifest.json names other blobs")
        return found


def unsafe(member):
    """Why this member has no business in an image of ours, or nothing."""
    if not (member.isreg() or member.isdir() or member.issym()):
        return "neither a file, a folder nor a symbolic link"
    if member.issym():
        return None
    if member.mode & 0o6000:
        return "changes user or group"
    if member.mode & 0o002 and not (member.isdir() and member.mode & 0o1000):
        return "writable by others"
    if (member.uid, member.gid, member.uname, member.gname) != (0, 0, "", ""):
        return "not root's, or with a name of its owner"
    if any(key.startswith(("SCHILY.", "LIBARCHIVE.")) for key in member.pax_headers):
        return "has extended attributes"
    return None
