"""The runner protocol's frames, written a second time from its description (controller/proto/frame.h), for tests.

It is here to say what the C code would not say: broken, foreign and contradicting frames. encode() and Reader are all a
test needs to speak; what the payloads mean is written out where they are used.
"""

import collections
import os
import select
import struct
import time

Frame = collections.namedtuple("Frame", "type session offset payload")
ATTACH, OFFER, DATA, START, GET, CANCEL, RELEASE = 1, 2, 3, 4, 5, 6, 10
HELLO, STATE, OUTCOME, ERROR = 0x81, 0x82, 0x83, 0x8F
DELIMITER = b"\n"
# Of the client (tests/runner/task.c), so that both can speak to one runner.
RUN_ID = b"sixteen bytes!!\0"


def _crc_table():
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        yield byte


CRC_TABLE = list(_crc_table())


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def cobs(data):
    """Consistent Overhead Byte Stuffing: blocks of at most 254 bytes without a zero, each behind its length plus one."""
    out = b""
    for number, part in enumerate(pieces := data.split(b"\0")):
        while len(part) >= 254:
            out += b"\xff" + part[:254]
            part = part[254:]
            if not part and number == len(pieces) - 1:
                return out
        out += bytes([len(part) + 1]) + part
    return out


def uncobs(data):
    out, at = b"", 0
    while at < len(data):
        length = data[at]
        out += data[at + 1:at + length]
        at += length
        if length < 255 and at < len(data):
            out += b"\0"
    return out


def flip(data):
    return bytes(byte ^ 10 for byte in data)


def encode(frame):
    body = struct.pack("<BBHIQQ", 1, frame.type, 0, len(frame.payload), frame.session, frame.offset) + frame.payload
    return flip(cobs(body + struct.pack("<I", crc32c(body)))) + DELIMITER


def decode(line):
    body = uncobs(flip(line))
    layout, kind, _, length, session, offset = struct.unpack_from("<BBHIQQ", body)
    assert layout == 1 and len(body) == 28 + length and struct.unpack_from("<I", body, 24 + length)[0] == crc32c(body[:-4])
    return Frame(kind, session, offset, body[24:24 + length])


class Connection:
    """Speaks to a runner through two descriptors."""

    def __init__(self, in_fd, out_fd):
        self.in_fd, self.out_fd, self.rest = in_fd, out_fd, b""
        self.bytes_in = 0

    def send(self, *frames):
        self.send_bytes(DELIMITER + b"".join(map(encode, frames)))

    def send_bytes(self, data):
        """Waits for room, as long as it takes: the runner always reads."""
        while data:
            select.select([], [self.out_fd], [])
            data = data[os.write(self.out_fd, data[:4096]):]

    def receive(self, seconds=5):
        """The next frame, or None when none comes in time."""
        end = time.monotonic() + seconds
        while True:
            line, found, rest = self.rest.partition(DELIMITER)
            if found:
                self.rest = rest
                if line:
                    return decode(line)
                continue
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.in_fd], [], [], left)[0]:
                return None
            data = os.read(self.in_fd, 65536)
            if not data:
                return None
            self.bytes_in += len(data)
            self.rest += data

    def wait_for(self, kind, seconds=10, matching=lambda frame: True):
        """The next frame of this type that matches; others are dropped. None when it does not come in time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            frame = self.receive(left)
            if frame and frame.type == kind and matching(frame):
                return frame
        return None


def attach(session, run_id=RUN_ID, attempt=1):
    return Frame(ATTACH, session, 0, b"\x01\x01" + run_id + struct.pack("<I", attempt))


def greet(connection, session, seconds=30):
    """ATTACH until it is answered: an attach is not wired to the runner at once. HELLO, or None when none comes in time."""
    end = time.monotonic() + seconds
    hello = None
    while hello is None and time.monotonic() < end:
        connection.send(attach(session))
        hello = connection.wait_for(HELLO, 0.2, lambda frame: frame.session == session)
    return hello


def error_of(connection, *frames):
    """(code, current session) of the ERROR that answers, or None."""
    connection.send(*frames)
    frame = connection.wait_for(ERROR)
    return frame and struct.unpack("<HQ", frame.payload)


def state(frame):
    """phase, starts, received, outcome_length, outcome_sha256 of a STATE."""
    return struct.unpack_from("<BBQQ32s", frame.payload)
