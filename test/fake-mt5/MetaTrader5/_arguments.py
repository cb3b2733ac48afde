"""What the genuine package accepts as arguments, and how it refuses the others."""

import datetime

from . import _session as session
from ._records import TradeRequest

_FLOATS = ("volume", "price", "stoplimit", "sl", "tp")
_LONGEST_TEXT = 29  # of a comment or a symbol, in UTF-16 units
LONGEST_CREDENTIAL = 255
_UNSIGNED_64 = {"magic", "order", "deviation", "position", "position_by", "login", "ticket"}
_RANGES = {"count": (-2 ** 31, 2 ** 31), "expiration": (-2 ** 63, 2 ** 63)}


def known(query, *names):
    """The filters that the package knows; it ignores every other name."""
    for name in ("ticket", "position"):
        if name in query:
            in_range("ticket", query[name])
    return {name: query[name] for name in names if name in query}


def full_request(args, named_request):
    """The request in full, or None with last_error -2: then nothing was sent. Unknown keys are ignored."""
    if args and named_request:
        return session.fail(-2, "Unnamed arguments not allowed")
    if not named_request and len(args) != 1:
        return session.fail(-2, "Invalid number of arguments")
    given = named_request or args[0]
    if not isinstance(given, dict):
        return session.fail(-2, "Unnamed arguments not allowed")
    full = {}
    for name in TradeRequest.__match_args__:
        blank = "" if name in ("symbol", "comment") else 0.0 if name in _FLOATS else 0
        value = full[name] = given.get(name, blank)
        if not isinstance(value, type(blank)) or (isinstance(value, str) and units(value) > _LONGEST_TEXT):
            return session.fail(-2, 'Invalid "%s" argument' % name)
        if isinstance(value, int):
            in_range(name, value)
            full[name] = int(value)
    return full


def in_range(name, number):
    """A whole number that the package cannot hold is an exception from inside it, and last_error -2."""
    first, end = (0, 2 ** 64) if name in _UNSIGNED_64 else _RANGES.get(name, (0, 2 ** 32))
    if not isinstance(number, int) or first <= number < end:
        return
    session.fail(-2, 'Invalid "%s" argument' % name)
    _overflow()


def _overflow():
    raise SystemError("<built-in function> returned a result with an exception set") from OverflowError("too large")


def units(text):
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def seconds(value):
    """A date in whole seconds. As an int it has to fit a C long, which has 32 bits on Windows: it ends in January 2038."""
    if isinstance(value, int) and not -2 ** 31 <= value < 2 ** 31:
        if session.link is None:
            session.fail(*session.NO_IPC)
        _overflow()
    if isinstance(value, datetime.datetime):
        return int(value.replace(tzinfo=value.tzinfo or datetime.timezone.utc).timestamp())
    return value
