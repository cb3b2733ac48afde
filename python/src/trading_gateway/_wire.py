"""What the wire says: shared by both forms of the transport."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from ._errors import NotReached, Refused
from ._generated import ERRORS

JSON = "application/json"
ROWS = "application/octet-stream"

#: No connection was made, so nothing can have been received.
UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL)
#: Errors that the gateway gives under a key for ever: a repetition would get the same.
_FINAL = frozenset({"broker_rejected", "key_void", "idempotency_conflict"})
#: Answers after which the request may have been done, or may yet be.
_OPEN = frozenset({"unknown_outcome", "idempotency_in_progress", "internal_error"})


@dataclass(frozen=True)
class TradeRequest:
    """A trade request with its key: repeated as often as needed, it is done at most once."""

    method: str
    path: str
    body: Mapping[str, Any] | None
    key: str


@dataclass(frozen=True)
class Done:
    """A trade request that was done. `replayed`: the answer is that of an earlier attempt."""

    body: dict[str, Any]
    replayed: bool


class Unsettled:
    """The answer to a trade request that is no success."""

    def __init__(self, status: int, content: bytes, retry_after: str | None) -> None:
        try:
            self.refused: Refused | None = refusal(status, content)
        except NotReached:
            self.refused = None
        self.wait = float(retry_after) if retry_after is not None and retry_after.isdigit() else None
        self._status = status

    @property
    def is_open(self) -> bool:
        """It may have been done, or may yet be: 409 and 5xx, but for the 503 that says that nothing was done."""
        if self.refused is None or self.refused.error_type in _OPEN:
            return True
        return self._status >= 500 and self._status != 503

    @property
    def is_final(self) -> bool:
        return self.refused is not None and self.refused.error_type in _FINAL

    def __str__(self) -> str:
        return f"status {self._status}" if self.refused is None else str(self.refused)


def new_key(prefix: str = "py") -> str:
    return f"{prefix}-{uuid.uuid4()}"


def quoted(text: str) -> str:
    return quote(text, safe="")


def parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError as problem:
        raise NotReached("the answer is not the gateway's: it is no JSON", sent=True) from problem


def affirmed(content: bytes) -> dict[str, Any]:
    """The body of a success. Raises NotReached for one that is not the gateway's own, as that of a proxy."""
    body = parsed(content)
    if not isinstance(body, dict) or body.get("ok") is not True:
        raise NotReached('the answer is not the gateway\'s: it lacks "ok": true', sent=True)
    return body


def refusal(status: int, content: bytes) -> Refused:
    """The error of an answer. Raises NotReached for one that is not the gateway's own, as that of a proxy."""
    body = parsed(content)
    if not isinstance(body, dict) or body.get("ok") is not False or "error_type" not in body:
        raise NotReached(f"status {status} without the gateway's envelope", sent=True)
    return ERRORS.get(body["error_type"], Refused)(status, body)


def text_of(problem: Exception) -> str:
    return str(problem) or type(problem).__name__
