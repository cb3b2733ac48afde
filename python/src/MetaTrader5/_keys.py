"""The keys of requests whose outcome is not known, on disk: a bot that is killed while it sends finds them when it starts again.

One file for each request, made before it is sent and removed when its outcome is known. The process that made it holds it
locked, so a file that can be locked is what a dead process left.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def folder() -> Path:
    given = os.environ.get("GATEWAY_STATE_DIR")
    if given:
        return Path(given)
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "trading-gateway"


class KeptKey:
    """The file of one request while this process works on it."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self._file = file

    @classmethod
    def of(cls, url: str, request: dict[str, Any]) -> KeptKey:
        """On disk when it returns. Raises OSError where it cannot be written."""
        path = folder() / f"{_prefix(url)}{hashlib.sha256(request['key'].encode()).hexdigest()[:24]}.json"
        # Under its name only when it is locked and complete, or another process could take it for a leftover.
        made = path.with_suffix(f".{os.getpid()}") if fcntl else path
        file = open(made, "wb", buffering=0)
        try:
            if fcntl:
                fcntl.flock(file, fcntl.LOCK_EX)
            _write_all(file, json.dumps(request).encode())
            if fcntl:
                os.rename(made, path)
                _flush_folder()
        except OSError:
            file.close()
            made.unlink(missing_ok=True)
            raise
        return cls(path, file)

    def remove(self) -> None:
        if fcntl:
            # While it is locked, so that no other process takes it for a leftover.
            self._path.unlink(missing_ok=True)
            self._file.close()
        else:
            self._file.close()
            self._path.unlink(missing_ok=True)

    def release(self) -> None:
        """Leaves the file to another process."""
        self._file.close()


def _write_all(file: BinaryIO, content: bytes) -> None:
    """A disk without space for all of it takes a part, without an error."""
    left = memoryview(content)
    while left:
        left = left[file.write(left) :]
    os.fsync(file.fileno())


def _flush_folder() -> None:
    """Without this, a machine that stops may forget the name of a file."""
    opened = os.open(folder(), os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def prepare() -> None:
    """Makes the folder. Raises OSError where it cannot be written."""
    folder().mkdir(parents=True, exist_ok=True)
    probe = folder() / f".probe-{os.getpid()}"
    probe.write_bytes(b"")
    probe.unlink()


def leftovers(url: str) -> Iterator[tuple[KeptKey, dict[str, Any]]]:
    """What dead processes left for this gateway; this process holds it from now on."""
    for path in sorted(folder().glob(f"{_prefix(url)}*.json")):
        try:
            if not fcntl:
                # Fails while another process has it open.
                os.rename(path, path)
            file = open(path, "r+b", buffering=0)
            if fcntl:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        kept = KeptKey(path, file)
        try:
            request = json.loads(file.read())
        except ValueError:
            # Killed while it was written, and so before anything was sent.
            kept.remove()
            continue
        yield kept, request


def _prefix(url: str) -> str:
    return hashlib.sha256(url.encode()).hexdigest()[:12] + "-"
