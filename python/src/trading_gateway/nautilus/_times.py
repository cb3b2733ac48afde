"""Instants of the gateway in nanoseconds since 1970, UTC."""

from __future__ import annotations

import datetime

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def nanoseconds(text: str | None, otherwise: int) -> int:
    """Of a time in ISO 8601; `otherwise` while the gateway does not know the offset of the broker's clock."""
    if text is None:
        return otherwise
    date = datetime.datetime.fromisoformat(text)
    if date.tzinfo is None:
        return otherwise
    return (date - _EPOCH) // datetime.timedelta(microseconds=1) * 1000


def iso(instant: int) -> str:
    return (_EPOCH + datetime.timedelta(microseconds=instant // 1000)).isoformat()
