"""What the package accepts as arguments, and how it refuses the others: None and last_error -2. Whole numbers that its C types
cannot hold raise SystemError, as there."""

from __future__ import annotations

import datetime
import math
import operator
from collections.abc import Mapping
from typing import Any, NoReturn

from . import _session
from ._records import TradeRequest

#: Of a comment or a symbol, in UTF-16 units.
LONGEST_TEXT = 29
#: Of a password or a server.
LONGEST_CREDENTIAL = 255
_UNSIGNED_64 = {"magic", "order", "deviation", "position", "position_by", "login", "ticket"}
_RANGES = {"count": (-(2**31), 2**31), "expiration": (-(2**63), 2**63)}


class InvalidArgument(Exception):
    """Its text is that of last_error -2."""


def full_request(args: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
    """The request in full. Unknown keys are ignored."""
    if args and named:
        raise InvalidArgument("Unnamed arguments not allowed")
    if not named and len(args) != 1:
        raise InvalidArgument("Invalid number of arguments")
    given = named or args[0]
    if not isinstance(given, dict):
        raise InvalidArgument("Invalid arguments")
    kinds = {"int": int, "float": float, "str": str}
    full: dict[str, Any] = {}
    for name, kind in TradeRequest.__annotations__.items():
        blank = kinds[kind]()
        value = given.get(name, blank)
        if not isinstance(value, kinds[kind]) or (isinstance(value, str) and units(value) > LONGEST_TEXT):
            raise InvalidArgument(f'Invalid "{name}" argument')
        if isinstance(value, int):
            in_range(name, value)
        full[name] = sendable(value) if isinstance(value, str) else kinds[kind](value)
    return full


def in_range(name: str, number: Any, refusal: str | None = None) -> None:
    first, end = (0, 2**64) if name in _UNSIGNED_64 else _RANGES.get(name, (0, 2**32))
    if isinstance(number, int) and not first <= number < end:
        _session.fail(-2, refusal or f'Invalid "{name}" argument')
        overflow()


def overflow() -> NoReturn:
    raise SystemError("<built-in function> returned a result with an exception set") from OverflowError(
        "Python int too large to convert to C long"
    )


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _unparsed() -> NoReturn:
    """What the package does with an argument that is nothing of its C type."""
    _session.fail(-2, "Invalid arguments")
    raise SystemError("<built-in function> returned a result with an exception set")


def whole(number: Any) -> int:
    """An argument without a name that is a C int."""
    if not hasattr(number, "__index__"):
        _unparsed()
    found = operator.index(number)
    in_range("count", found, "Invalid arguments")
    return found


def unsigned(number: Any) -> int:
    """An argument without a name that is a C unsigned int: the package takes its lowest 32 bits."""
    if not isinstance(number, int):
        _unparsed()
    return number % 2**32


def real(number: Any) -> float:
    """An argument without a name that is a C double."""
    if isinstance(number, (str, bytes, bytearray)):
        _unparsed()
    try:
        return float(number)
    except (TypeError, ValueError, OverflowError):
        _unparsed()


def seconds(value: Any) -> int:
    """A date in whole seconds: a number, or a datetime by its `timestamp()`, so that one without a zone is local time."""
    if isinstance(value, datetime.datetime):
        try:
            return int(value.timestamp())
        except (ValueError, OverflowError, OSError):
            _unparsed()
    if isinstance(value, float):
        if math.isfinite(value):
            return int(value)
        _session.required()
        raise InvalidArgument("Terminal: Invalid params")
    if not isinstance(value, int):
        raise InvalidArgument("Invalid arguments")
    if not -(2**31) <= value < 2**31:
        # The package looks for its terminal before it reads dates.
        _session.required_else_noted()
        overflow()
    return int(value)


def text(value: Any) -> str:
    """An argument without a name that is a symbol."""
    if not isinstance(value, str) or units(value) > LONGEST_TEXT:
        raise InvalidArgument("Invalid arguments")
    return sendable(value)


def sendable(value: str) -> str:
    """A half of a surrogate pair, which no name has and UTF-8 cannot hold, becomes the replacement character."""
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def mask(group: str, symbol: str) -> bool:
    """Whether a symbol is in a group: masks with `*`, separated by commas, `!` excludes, from left to right."""
    import fnmatch

    inside = False
    for part in group.split(","):
        pattern = part.strip()
        excludes = pattern.startswith("!")
        # In fnmatch `?` and `[` mean something, here they do not.
        literal = pattern.removeprefix("!").replace("[", "[[]").replace("?", "[?]")
        if pattern and fnmatch.fnmatchcase(symbol, literal):
            inside = not excludes
    return inside
