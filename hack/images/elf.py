"""What a dynamic program or library asks of the machine it runs on: read from its ELF headers, without running it.

Only 64-bit little-endian files, which amd64 and arm64 both are (System V ABI, chapters 4 and 5).
"""

import posixpath
import struct
from dataclasses import dataclass

from debian import merged

MAGIC = b"\x7fELF\x02\x01"
HEADER = struct.Struct("<16xHHIQQQIHHHHHH")
SEGMENT = struct.Struct("<IIQQQQQQ")
DYNAMIC = struct.Struct("<qQ")
PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NULL, DT_NEEDED, DT_STRTAB, DT_RPATH, DT_RUNPATH = 0, 1, 5, 15, 29


class ElfError(Exception):
    """A library that is not there, or a file that asks for what we don't follow."""


@dataclass
class Segment:
    kind: int
    offset: int
    address: int
    size: int


@dataclass
class Needs:
    interpreter: str | None  # the dynamic linker's full path
    libraries: list  # names as in DT_NEEDED


def needs(data):
    """The Needs of a file; empty ones for a static program and for what isn't ELF at all."""
    found = Needs(None, [])
    if not data.startswith(MAGIC):
        return found
    segments = segments_of(data)
    for segment in segments:
        if segment.kind == PT_INTERP:
            found.interpreter = text_at(data, segment.offset)
    tags = dynamic_tags(data, segments)
    if any(tag in (DT_RPATH, DT_RUNPATH) for tag, _ in tags):
        raise ElfError("it has a RUNPATH: libraries outside the default folders are not followed")
    for tag, value in tags:
        if tag == DT_STRTAB:
            strings = offset_of(value, segments)
            found.libraries = [text_at(data, strings + name) for tag, name in tags if tag == DT_NEEDED]
    return found


def segments_of(data):
    header = HEADER.unpack_from(data)
    table, entry_size, count = header[4], header[8], header[9]
    segments = []
    for number in range(count):
        kind, _, offset, address, _, size, _, _ = SEGMENT.unpack_from(data, table + number * entry_size)
        segments.append(Segment(kind, offset, address, size))
    return segments


def dynamic_tags(data, segments):
    tags = []
    for segment in segments:
        if segment.kind == PT_DYNAMIC:
            for tag, value in DYNAMIC.iter_unpack(data[segment.offset : segment.offset + segment.size]):
                if tag == DT_NULL:
                    break
                tags.append((tag, value))
    return tags


def offset_of(address, segments):
    for segment in segments:
        if segment.kind == PT_LOAD and segment.address <= address < segment.address + segment.size:
            return address - segment.address + segment.offset
    raise ElfError(f"the address {address:#x} is in no segment")


def text_at(data, offset):
    return data[offset : data.index(b"\0", offset)].decode()


def closure(layer, roots, folder):
    """The paths in `layer` that the dynamic linker opens for the files `roots`: their libraries, those of the libraries
    and so on, the linker itself, and every link on the way. Libraries lie in `folder`."""
    found, waiting = set(), list(roots)
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        entry = layer.entries.get(path)
        if entry is None:
            raise ElfError(f"/{path}: needed, but no package brings it")
        if entry.target:
            waiting.append(merged(posixpath.normpath(posixpath.join(posixpath.dirname(path), entry.target)).lstrip("/")))
            continue
        try:
            wanted = needs(entry.data)
        except ElfError as problem:
            raise ElfError(f"/{path}: {problem}") from problem
        waiting += [f"{folder}/{name}" for name in wanted.libraries]
        if wanted.interpreter:
            waiting.append(merged(wanted.interpreter.lstrip("/")))
    return found
