"""Rows of the gateway, and what they can become."""

from __future__ import annotations

import dataclasses
import datetime
import types
import typing
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Union

import numpy as np

from ._errors import NotReached

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Row = TypeVar("Row")

#: A time: a datetime with a zone, or text in ISO 8601, which is UTC if it has no zone.
Instant = datetime.datetime | str

#: Of bars. `time` is the bar's open on the broker server's clock, in seconds.
BARS = np.dtype(
    [
        ("time", "<i8"),
        ("open", "<f8"),
        ("high", "<f8"),
        ("low", "<f8"),
        ("close", "<f8"),
        ("tick_volume", "<u8"),
        ("spread", "<i4"),
        ("real_volume", "<u8"),
    ]
)
#: Of ticks. `time` (s) and `time_msc` (ms) are the broker server's clock.
TICKS = np.dtype(
    [
        ("time", "<i8"),
        ("bid", "<f8"),
        ("ask", "<f8"),
        ("last", "<f8"),
        ("volume", "<u8"),
        ("time_msc", "<i8"),
        ("flags", "<u4"),
        ("volume_real", "<f8"),
    ]
)


class _Frames:
    def _columns(self) -> dict[str, Any]:
        raise NotImplementedError

    def to_pandas(self) -> pandas.DataFrame:
        """Needs pandas: `pip install trading-gateway[pandas]`."""
        import pandas

        return pandas.DataFrame(self._columns())

    def to_polars(self) -> polars.DataFrame:
        """Needs polars: `pip install trading-gateway[polars]`."""
        import polars

        return polars.DataFrame(self._columns())

    def to_arrow(self) -> pyarrow.Table:
        """Needs pyarrow: `pip install trading-gateway[pyarrow]`."""
        import pyarrow

        return pyarrow.table(self._columns())


class Columns(_Frames):
    """Bars or ticks, ascending by time, as a structured array of NumPy in `array`."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    @classmethod
    def of(cls, content: bytes, kind: np.dtype) -> Columns:
        # A copy, because an array over bytes cannot be written.
        return cls(np.frombuffer(content, kind).copy())

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, key: Any) -> Any:
        return self.array[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.array)

    def _columns(self) -> dict[str, Any]:
        return {name: np.ascontiguousarray(self.array[name]) for name in self.array.dtype.names or ()}


class Table(list[Row], _Frames, Generic[Row]):
    """A list of rows."""

    def __init__(self, kind: type[Row], rows: list[Row]) -> None:
        super().__init__(rows)
        self._kind = kind

    def _columns(self) -> dict[str, Any]:
        names = [field.name for field in dataclasses.fields(self._kind)]  # type: ignore[arg-type]
        return {name: [getattr(row, name) for row in self] for name in names}


def built(kind: type[Row], value: Any) -> Row:
    """A dataclass from a parsed answer. What it does not know is left out; what it must have and lacks is an error."""
    if not isinstance(value, dict):
        raise NotReached(f"the answer is no {kind.__name__}", sent=True)
    members = {}
    for name, (member, part, required) in _members(kind).items():  # type: ignore[arg-type]
        if member in value:
            members[name] = _value(part, value[member])
        elif required:
            raise NotReached(f"the answer is no {kind.__name__}: it has no {member}", sent=True)
    return kind(**members)


@cache
def _members(kind: type[Any]) -> dict[str, tuple[str, Any, bool]]:
    from . import _generated

    hints = typing.get_type_hints(kind, vars(_generated))
    return {
        field.name: (field.name.rstrip("_"), hints[field.name], field.default is dataclasses.MISSING)
        for field in dataclasses.fields(kind)
    }


def _value(kind: Any, value: Any) -> Any:
    origin = typing.get_origin(kind)
    if origin in (Union, types.UnionType):
        if value is None:
            return None
        kinds = [part for part in typing.get_args(kind) if part is not type(None)]
        return _value(kinds[0], value) if len(kinds) == 1 else value
    if origin is list and isinstance(value, list):
        (part,) = typing.get_args(kind)
        return [_value(part, item) for item in value]
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return built(kind, value)
    # JSON writes 1.0 as 1.
    return float(value) if kind is float and isinstance(value, int) else value


@dataclasses.dataclass(frozen=True)
class Event:
    """An event of a stream. `id` is its number in the log; None for what is not in the log."""

    name: str
    id: int | None
    data: dict[str, Any]


def given(**members: Any) -> dict[str, Any]:
    """Those that are not None."""
    return {name: value for name, value in members.items() if value is not None}


def instant(date: Instant | None) -> str | None:
    """Raises ValueError for a datetime without a zone: it could mean UTC, the local time or the broker's."""
    if not isinstance(date, datetime.datetime):
        return date
    if date.tzinfo is None:
        raise ValueError("give a datetime with a time zone, such as datetime.now(timezone.utc)")
    return date.astimezone(datetime.timezone.utc).isoformat()
