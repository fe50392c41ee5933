"""A layer: the files of an image as they will stand in it, and the tar they become.

A Layer is a table from path ("usr/bin/env", no slash in front) to Entry, held in memory. Its tar depends on nothing but
that table: entries are sorted, every time is the same, everything belongs to root by number, and no user names, extended
attributes or access times are kept. So the same files always give the same bytes.

What code that isn't trusted may find in an image is decided here, for every image alike. Refused, with the path in the
message: device nodes, FIFOs and sockets; programs with a set-user-id or set-group-id bit; anything that others may
write, except a folder with the sticky bit. Set-id bits on folders are only about who owns new files, and are dropped.
"""

import io
import os
import stat
import tarfile
from dataclasses import dataclass
from pathlib import Path

FILE, FOLDER, LINK = "file", "folder", "link"

# Times before 1980 can't be written into a zip file: code that packs up files of the image would fail.
DEFAULT_EPOCH = 315532800


class LayerError(Exception):
    """A file that can't be in a layer. The message names it."""


def epoch():
    """The time that every file of an image bears: SOURCE_DATE_EPOCH, or the first second of 1980."""
    return int(os.environ.get("SOURCE_DATE_EPOCH", DEFAULT_EPOCH))


@dataclass
class Entry:
    kind: str
    mode: int
    data: bytes = b""
    target: str = ""


class Layer:
    def __init__(self):
        self.entries = {}

    def add(self, path, entry):
        """Puts one entry at `path`. A folder may be named again; anything else that is there already is an error."""
        path = normal(path)
        if not path:
            return
        before = self.entries.get(path)
        if before and before != entry and not (before.kind == entry.kind == FOLDER):
            raise LayerError(f"/{path}: two different files want to be there")
        self.entries[path] = entry

    def file(self, path, content, mode=0o644):
        self.add(path, Entry(FILE, mode, content.encode() if isinstance(content, str) else content))

    def folder(self, path, mode=0o755):
        self.add(path, Entry(FOLDER, mode))

    def link(self, path, target):
        self.add(path, Entry(LINK, 0o777, target=target))

    def remove(self, unwanted):
        """Removes every entry whose path `unwanted(path)` is true for."""
        self.entries = {path: entry for path, entry in self.entries.items() if not unwanted(path)}

    def add_tar(self, stream, place=lambda path: path):
        """Adds what a tar holds; `place` may move each path. A hard link becomes a copy, so that order never matters."""
        with tarfile.open(fileobj=stream, mode="r|*") as tar:
            for member in tar:
                self.add(place(normal(member.name)), self._entry_of(member, tar, place))

    def _entry_of(self, member, tar, place):
        if member.isreg():
            return Entry(FILE, member.mode, tar.extractfile(member).read())
        if member.isdir():
            return Entry(FOLDER, member.mode)
        if member.issym():
            return Entry(LINK, 0o777, target=member.linkname)
        if member.islnk():
            return self.entries[place(normal(member.linkname))]
        raise LayerError(f"/{normal(member.name)}: neither a file, a folder nor a link")

    def add_folder(self, source, into=""):
        """Adds what is below the folder `source` of this machine."""
        for path in sorted(Path(source).rglob("*")):
            self.add(f"{into}/{path.relative_to(source)}", entry_on_disk(path))

    def add_list(self, listing):
        """Adds what a list names, one a line: `MODE DESTINATION SOURCE`, `MODE DESTINATION/`, `link DESTINATION TARGET`.

        Sources are relative to the list's folder."""
        for number, line in enumerate(Path(listing).read_text().splitlines(), 1):
            match line.partition("#")[0].split():
                case []:
                    pass
                case ["link", destination, target]:
                    self.link(destination, target)
                case [mode, destination] if destination.endswith("/"):
                    self.folder(destination, int(mode, 8))
                case [mode, destination, source]:
                    self.file(destination, (Path(listing).parent / source).read_bytes(), int(mode, 8))
                case _:
                    raise LayerError(f"{listing}:{number}: not a line of a file list: {line}")

    def whole(self):
        """The entries by path, checked, with every folder that is only implied, so that unpacking never guesses a mode."""
        entries = {path: checked(path, entry) for path, entry in self.entries.items()}
        for path in self.entries:
            while path := path.rpartition("/")[0]:
                parent = entries.setdefault(path, Entry(FOLDER, 0o755))
                if parent.kind != FOLDER:
                    raise LayerError(f"/{path}: not a folder, but something is to lie in it")
        return dict(sorted(entries.items()))

    def write_tar(self, stream):
        with tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as tar:
            for path, entry in self.whole().items():
                tar.addfile(header(path, entry), io.BytesIO(entry.data))

    def write_folder(self, folder):
        """Unpacks the layer into an empty folder of this machine, owned by whoever runs this."""
        for path, entry in self.whole().items():
            place = Path(folder) / path
            if entry.kind == LINK:
                place.symlink_to(entry.target)
                continue
            if entry.kind == FOLDER:
                place.mkdir()
            else:
                place.write_bytes(entry.data)
            place.chmod(entry.mode)


def normal(path):
    """`./usr//bin/` is usr/bin. A path that climbs out is an error."""
    parts = [part for part in str(path).split("/") if part not in ("", ".")]
    if ".." in parts:
        raise LayerError(f"{path}: leads out of the image")
    return "/".join(parts)


def checked(path, entry):
    if entry.kind == LINK:
        return entry
    if entry.kind == FOLDER:
        entry = Entry(FOLDER, entry.mode & ~(stat.S_ISUID | stat.S_ISGID))
    elif entry.mode & (stat.S_ISUID | stat.S_ISGID):
        raise LayerError(f"/{path}: mode {entry.mode:o}: no program of an image may change its user or group")
    if entry.mode & stat.S_IWOTH and not (entry.kind == FOLDER and entry.mode & stat.S_ISVTX):
        raise LayerError(f"/{path}: mode {entry.mode:o}: nothing in an image may be writable by others")
    return entry


def entry_on_disk(path):
    status = path.lstat()
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISREG(status.st_mode):
        return Entry(FILE, mode, path.read_bytes())
    if stat.S_ISDIR(status.st_mode):
        return Entry(FOLDER, mode)
    if stat.S_ISLNK(status.st_mode):
        return Entry(LINK, 0o777, target=os.readlink(path))
    raise LayerError(f"{path}: neither a file, a folder nor a link")


def header(path, entry):
    info = tarfile.TarInfo(path)
    info.mtime = epoch()
    info.mode = entry.mode
    match entry.kind:
        case "file":
            info.size = len(entry.data)
        case "folder":
            info.type = tarfile.DIRTYPE
        case "link":
            info.type = tarfile.SYMTYPE
            info.linkname = entry.target
    return info
