"""The functions of the package. Their names and arguments are the package's own."""

from __future__ import annotations

import datetime
import functools
import inspect
import math
import re
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from trading_gateway._config import address_of
from trading_gateway._errors import GatewayError, NotReached, Refused
from trading_gateway._transport import Transport
from trading_gateway._wire import ROWS, quoted

from . import _keys, _orders, _session
from ._arguments import (
    LONGEST_CREDENTIAL,
    LONGEST_TEXT,
    InvalidArgument,
    full_request,
    in_range,
    mask,
    real,
    seconds,
    sendable,
    text,
    units,
    unsigned,
    whole,
)
from ._constants import (
    ORDER_TYPE_BUY,
    ORDER_TYPE_SELL,
    TRADE_ACTION_DEAL,
    TRADE_RETCODE_DONE,
    TRADE_RETCODE_PRICE_OFF,
    TRADE_RETCODE_REQUOTE,
)
from ._plan import ORDER_TYPES
from ._records import (
    RATES,
    TICKS,
    AccountInfo,
    BookInfo,
    OrderCheckResult,
    OrderSendResult,
    SymbolInfo,
    TerminalInfo,
    Tick,
    TradeDeal,
    TradeOrder,
    TradePosition,
)


_TIMEFRAMES = {
    **{minutes: f"M{minutes}" for minutes in (1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30)},
    **{0x4000 | hours: f"H{hours}" for hours in (1, 2, 3, 4, 6, 8, 12)},
    **{0x4000 | 24: "D1", 0x8000 | 1: "W1", 0xC000 | 1: "MN1"},
}
_SECONDS = {
    **{minutes: minutes * 60 for minutes in (1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30)},
    **{0x4000 | hours: hours * 3600 for hours in (1, 2, 3, 4, 6, 8, 12, 24)},
    **{0x8000 | 1: 7 * 86400, 0xC000 | 1: 28 * 86400},
}
#: Earlier times are no dates for the gateway; no broker has prices from before.
_EARLIEST = 100_000_000
_DAY = 86400
#: What the gateway takes as a key.
_KEY = re.compile(r"(?!\.{1,2}$)(?! *$)[ -~]{1,128}")
#: Bars in one answer of the gateway; its MAX_NUM_BARS may be less.
_page = 10_000
_MOST_TICKS = 1_000_000
#: The gateway's MAX_HISTORY_RANGE_DAYS, once it is known.
_days: int | None = None

_Call = TypeVar("_Call", bound=Callable[..., Any])
#: Seconds of the server's clock, or a datetime.
Date = datetime.datetime | int | float
_Answer = TypeVar("_Answer")
_Row = TypeVar("_Row", TradeOrder, TradePosition, TradeDeal)


class _Function:
    """A function that stays itself where a program keeps it in a class: as the package's own functions, it is never bound to an object."""

    def __init__(self, call: Callable[..., Any]) -> None:
        functools.update_wrapper(self, call)
        self._call = call

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._call(*args, **named)

    def __repr__(self) -> str:
        return f"<function {self.__reduce__()}>"

    def __reduce__(self) -> str:
        # By its name, so that a pool of processes may be given it.
        return str(self.__name__)  # type: ignore[attr-defined]


def _never_bound(call: _Call) -> _Call:
    return cast(_Call, _Function(call))


def _errors_as(failed: Any, refused: Any = ...) -> Callable[[_Call], _Call]:
    """Every error becomes this answer, with its reason in last_error; success becomes (1, 'Success').

    Arguments are taken as the package takes them: one too many or too few is `refused`, which is `failed` by default, with -2; a name for
    an argument that has none, or an argument where none is taken, raises TypeError and leaves last_error alone.
    """

    def decorate(call: _Call) -> _Call:
        accepted = inspect.signature(call)
        kinds = {parameter.kind for parameter in accepted.parameters.values()}
        takes_names = inspect.Parameter.VAR_KEYWORD in kinds

        @functools.wraps(call)
        def guarded(*args: Any, **named: Any) -> Any:
            if named and not takes_names:
                raise TypeError(f"{call.__name__}() takes no keyword arguments")
            if args and not kinds:
                raise TypeError(f"{call.__name__}() takes no arguments ({len(args)} given)")
            with _session.lock:
                try:
                    accepted.bind(*args, **named)
                except TypeError:
                    _session.fail(-2, "Invalid arguments")
                    return failed if refused is ... else refused
                try:
                    answer = call(*args, **named)
                except InvalidArgument as problem:
                    _session.fail(-2, str(problem))
                    return failed if refused is ... else refused
                except GatewayError as problem:
                    _session.fail(*_session.error_of(problem))
                    return failed
                _session.succeed()
                return answer

        return _never_bound(cast(_Call, guarded))

    return decorate


@_never_bound
def initialize(*args: Any, timeout: int = 60000, path: str | None = None, portable: bool = False, **named: Any) -> bool:
    """(path, login=, password=, server=, timeout=, portable=): connects to the gateway. `path`, `password` and `portable` are ignored;
    another login or server than the gateway's is (-6).

    `timeout` in milliseconds: how long the gateway may take to reach its account, and how long `order_send` repeats a request.
    """
    with _session.lock:
        if _refuses_unnamed(args, str):
            return False
        if "login" in named and _refuses_login(named["login"]):
            return False
        return _open(named.get("login"), named, timeout)


@_never_bound
def login(*args: Any, timeout: int = 60000, **named: Any) -> bool:
    """(login, password=, server=, timeout=): connects to the gateway of another account, if GATEWAYS_FILE lists one; with the account of
    the gateway it only compares."""
    with _session.lock:
        if _refuses_unnamed(args, int):
            return False
        if args:
            in_range("login", args[0], "Invalid 1st unnamed argument")
        if (not args or "login" in named) and _refuses_login(named.get("login")):
            return False
        return _open(named["login"] if "login" in named else args[0], named, timeout)


def _refuses_unnamed(args: tuple[Any, ...], kind: type) -> bool:
    if len(args) > 1:
        _session.fail(-2, "Invalid number of arguments")
    elif args and not isinstance(args[0], kind):
        _session.fail(-2, "Invalid 1st unnamed argument")
    else:
        return False
    return True


def _refuses_login(number: Any) -> bool:
    if not isinstance(number, int):
        _session.fail(-2, 'Invalid "login" argument')
        return True
    in_range("login", number)
    return False


def _open(number: int | None, named: dict[str, Any], timeout: int) -> bool:
    for name in ("server", "password"):
        # As in the package, None is no text.
        value = named.get(name, "")
        if not isinstance(value, str) or units(value) > LONGEST_CREDENTIAL:
            _session.fail(-2, f'Invalid "{name}" argument')
            return False
    if not isinstance(timeout, int) or isinstance(timeout, bool):
        _session.fail(-2, 'Invalid "timeout" argument')
        return False
    in_range("timeout", timeout)
    # The defaults of wrappers for "not given".
    number = number or None
    server = named.get("server") or None
    try:
        address = address_of(number)
        _keys.prepare()
    except (OSError, ValueError) as problem:
        _session.fail(-10003, f"IPC initialize failed, {problem}")
        return False
    patience = timeout / 1000
    expected = {} if number is None else {"X-Expect-Login": str(number)}
    transport = Transport(address, patience=patience, headers=expected)
    try:
        account = _account_of(transport, patience)
        if server is not None and server != account["server"]:
            _session.fail(*_session.WRONG_ACCOUNT)
            transport.close()
            return False
        # From here on another account never answers.
        transport.expect(account["login"])
        _orders.end_leftovers(transport, account["login"], patience)
    except GatewayError as problem:
        transport.close()
        _session.fail(*_failed_to_open(problem))
        return False
    _session.open(transport, account)
    _session.succeed()
    return True


def _account_of(transport: Transport, patience: float) -> dict[str, Any]:
    """The account, once the gateway has a session with its terminal."""
    ends = time.monotonic() + patience
    while True:
        try:
            account: dict[str, Any] = transport.read("/account")
            return account
        except Refused as refused:
            if refused.status != 503 or time.monotonic() + 0.25 >= ends:
                raise
            time.sleep(0.25)


def _failed_to_open(problem: GatewayError) -> tuple[int, str]:
    if isinstance(problem, NotReached):
        return -10003, f"IPC initialize failed, {problem}"
    if isinstance(problem, Refused) and problem.error_type == "validation_error":
        # Nothing but the login was given; the gateway knows none that JSON cannot hold.
        return _session.WRONG_ACCOUNT
    code, message = _session.error_of(problem)
    return (-10003, f"IPC initialize failed, {problem}") if code == -1 else (code, message)


@_never_bound
def shutdown() -> bool:
    """Ends the session; the gateway and its terminal keep running."""
    with _session.lock:
        _session.close()
        _session.succeed()
        return True


@_errors_as((0, 0, ""))
def version() -> tuple[int, int, str]:
    """(500, build, ''): the gateway does not know the date of the terminal's build."""
    return 500, _read("/terminal_info")["build"], ""


@_never_bound
def last_error() -> tuple[int, str]:
    """Code and text of the last call; (1, 'Success') after a success."""
    return _session.last_error


@_errors_as(None)
def account_info() -> AccountInfo | None:
    """The account. Money in the deposit currency."""
    return AccountInfo.of(_read("/account"))


@_errors_as(None)
def terminal_info() -> TerminalInfo | None:
    """The terminal behind the gateway."""
    return TerminalInfo.of(_read("/terminal_info"))


@_never_bound
def symbols_total() -> int | None:
    """How many symbols the broker has."""
    return _symbols(lambda: int(_read("/symbols")["total"]))


@_never_bound
def symbols_get(*args: Any, **query: Any) -> tuple[SymbolInfo, ...] | None:
    """The symbols of the broker, all or those of `group`, such as `*USD*,!EUR*`."""
    if len(args) > 1 or (args and not isinstance(args[0], str)):
        _session.fail(-2, "Invalid number of arguments" if len(args) > 1 else "Invalid 1st unnamed argument")
        return False  # type: ignore[return-value]
    if "group" in query and not isinstance(query["group"], str):
        _session.fail(-2, 'Invalid "group" argument')
        return False  # type: ignore[return-value]
    group = sendable(args[0] if args else query.get("group", "")) or None
    return _symbols(lambda: tuple(SymbolInfo.of(row) for row in _read("/symbols_get", group=group)["data"]))


def _symbols(read: Callable[[], _Answer]) -> _Answer | None:
    # Without a connection the package gives these two another code than the rest.
    if _session.transport is None:
        _session.fail(-5, "Terminal: Incompatible versions, please install the latest version of Terminal and Python module")
        return None
    return _errors_as(None)(read)()


@_errors_as(None)
def symbol_info(symbol: str, /) -> SymbolInfo | None:
    """A symbol with its last quote; None, with (-4), if the broker does not have it."""
    return SymbolInfo.of(_read(f"/symbol_info/{_name(symbol)}"))


@_errors_as(None)
def symbol_info_tick(symbol: str, /) -> Tick | None:
    """The last quote of a symbol."""
    return Tick.of(_read(f"/symbol_info_tick/{_name(symbol)}"))


@_errors_as(False)
def symbol_select(symbol: str, enable: bool = True, /) -> bool:
    """Adds a symbol to the terminal's Market Watch. Removing one is not possible through a gateway: False, with (-7)."""
    name = _name(symbol)
    _session.required()
    if not enable:
        raise _Unsupported
    _read(f"/symbol_info/{name}")
    return True


class _Unsupported(Refused):
    def __init__(self) -> None:
        super().__init__(501, {"terminal_error": {"code": -7, "message": "Terminal: Unsupported function"}})


@_errors_as(False, None)
def market_book_add(symbol: str, /) -> bool:
    """Follows the market depth of a symbol; False for one without depth."""
    name = _name(symbol)
    # Without a connection the package answers just False.
    if _session.transport is None:
        return False
    _read(f"/market_book/{name}")
    _session.books.add(symbol)
    return True


@_errors_as(False, None)
def market_book_release(symbol: str, /) -> bool:
    """Ends what `market_book_add` began. The terminal goes on following the depth, for other clients of the gateway."""
    text(symbol)
    if _session.transport is None:
        return False
    _require_book(symbol)
    _session.books.discard(symbol)
    return True


@_errors_as(None)
def market_book_get(symbol: str, /) -> tuple[BookInfo, ...] | None:
    """The rows of the market depth, sells first, each side by descending price. None for a symbol that was not added."""
    name = _name(symbol)
    _session.required()
    _require_book(symbol)
    return tuple(BookInfo.of(row) for row in _read(f"/market_book/{name}")["data"])


def _require_book(symbol: str) -> None:
    if symbol not in _session.books:
        raise Refused(400, {"error": f"the market depth of {symbol} was not added"})


@_errors_as(None)
def copy_rates_from_pos(symbol: str, timeframe: int, start: int, count: int, /) -> np.ndarray | None:
    """(symbol, timeframe, start_pos, count): `count` bars, of which the last is `start_pos` bars before the forming one."""
    timeframe, start, count = (whole(number) for number in (timeframe, start, count))
    symbol = text(symbol)
    _session.required()
    word = _timeframe(timeframe)
    if start < 0 or count <= 0:
        raise InvalidArgument("Terminal: Invalid params")
    query = {"symbol": symbol, "timeframe": word}
    newest = _bars("/fetch_data_pos", count, start_pos=start, **query)
    missing = count - len(newest)
    # The rest by time, so that a bar that begins between two reads moves nothing.
    if missing == 0 or len(newest) < min(count, _page):
        return newest
    return np.concatenate([_bars_until(symbol, timeframe, int(newest["time"][0]) - 1, missing), newest])


@_errors_as(None)
def copy_rates_from(symbol: str, timeframe: int, date: Date, count: int, /) -> np.ndarray | None:
    """(symbol, timeframe, date_from, count): the last `count` bars that open at a date or before it."""
    timeframe, count = whole(timeframe), whole(count)
    symbol = text(symbol)
    last = _connected_dates(date)[0]
    if count <= 0:
        raise InvalidArgument("Terminal: Invalid params")
    return _bars_until(symbol, timeframe, last, count)


@_errors_as(None)
def copy_rates_range(symbol: str, timeframe: int, start: Date, end: Date, /) -> np.ndarray | None:
    """(symbol, timeframe, date_from, date_to): the bars that open in a span, both ends inclusive."""
    timeframe, symbol = whole(timeframe), text(symbol)
    first, last = _connected_dates(start, end)
    _timeframe(timeframe)
    if first > last:
        raise InvalidArgument("Terminal: Invalid params")
    most = (last - max(first, _EARLIEST)) // _SECONDS[timeframe] + 2
    rows = _bars_until(symbol, timeframe, last, max(most, 1), first)
    return rows[rows["time"] >= first]


@_errors_as(None)
def copy_ticks_from(symbol: str, date: Date, count: int, flags: int, /) -> np.ndarray | None:
    """(symbol, date_from, count, flags): the first `count` ticks from a date on."""
    count, flags = whole(count), whole(flags)
    symbol = text(symbol)
    start = _connected_dates(date)[0]
    if count <= 0:
        raise InvalidArgument("Terminal: Invalid params")
    query = {"symbol": symbol, "flags": _flags(flags), "clock": "server"}
    first, last, parts = max(start, _EARLIEST), -1, []
    while count > 0:
        rows = _packed(TICKS, "/copy_ticks_from", from_date=first, num_ticks=min(count, _MOST_TICKS), **query)
        # Neighbouring reads share the second at which they meet.
        rows = rows[rows["time_msc"] > last][:count]
        parts.append(rows)
        count -= len(rows)
        if len(rows) == 0 or count > 0:
            # The route searches so many days, and no broker has ticks of the day after tomorrow.
            last = first * 1000 + _longest_days() * _DAY * 1000
            first = last // 1000
            if first > _latest():
                break
    return np.concatenate(parts)


@_errors_as(None)
def copy_ticks_range(symbol: str, start: Date, end: Date, flags: int, /) -> np.ndarray | None:
    """(symbol, date_from, date_to, flags): the ticks of a span, both ends inclusive."""
    flags, symbol = whole(flags), text(symbol)
    first, last = _connected_dates(start, end)
    first = max(first, _EARLIEST)
    if first > last:
        raise InvalidArgument("Terminal: Invalid params")
    query = {"symbol": symbol, "flags": _flags(flags), "clock": "server"}
    parts = []
    while True:
        until = last if last - first <= _DAY else min(last, first + _longest_days() * _DAY)
        # The route refuses a span without length.
        rows = _packed(TICKS, "/copy_ticks_range", from_date=first, to_date=max(until, first + 1), **query)
        if until == last:
            parts.append(rows[rows["time_msc"] <= last * 1000])
            return np.concatenate(parts)
        parts.append(rows[rows["time_msc"] < until * 1000])
        first = until


@_errors_as(None)
def orders_total() -> int | None:
    """How many orders are pending."""
    return int(_read("/orders")["total"])


@_never_bound
def orders_get(*args: Any, **query: Any) -> tuple[TradeOrder, ...] | None:
    """The pending orders: all, or those of `symbol`, `group` or `ticket`."""
    return _list(TradeOrder, "/orders", args, query)


@_errors_as(None)
def positions_total() -> int | None:
    """How many positions are open."""
    return int(_read("/positions_total")["total"])


@_never_bound
def positions_get(*args: Any, **query: Any) -> tuple[TradePosition, ...] | None:
    """The open positions: all, or those of `symbol`, `group` or `ticket`."""
    return _list(TradePosition, "/get_positions", args, query)


@_errors_as(None)
def history_orders_total(date_from: Date, date_to: Date, /) -> int | None:
    """(date_from, date_to): how many orders were placed or completed then."""
    return int(_read("/history_orders_total", **_window(*_connected_dates(date_from, date_to)))["total"])


@_never_bound
def history_orders_get(*args: Any, **query: Any) -> tuple[TradeOrder, ...] | None:
    """(date_from, date_to, group=): completed orders; or those of `ticket` or `position`."""
    return _history(TradeOrder, "/history_orders_get", "ticket", args, query)


@_errors_as(None)
def history_deals_total(date_from: Date, date_to: Date, /) -> int | None:
    """(date_from, date_to): how many deals there were then."""
    return int(_read("/history_deals_total", **_window(*_connected_dates(date_from, date_to)))["total"])


@_never_bound
def history_deals_get(*args: Any, **query: Any) -> tuple[TradeDeal, ...] | None:
    """(date_from, date_to, group=): deals; or those of `ticket`, an order, or `position`."""
    return _history(TradeDeal, "/history_deals_get", "order", args, query)


@_errors_as(None)
def order_calc_margin(action: int, symbol: str, volume: float, price: float, /) -> float | None:
    """The margin that an order takes, in the deposit currency."""
    return float(_calculated("margin", action, symbol, volume=volume, price=price))


@_errors_as(None)
def order_calc_profit(action: int, symbol: str, volume: float, price_open: float, price_close: float, /) -> float | None:
    """The profit between two prices, in the deposit currency."""
    return float(_calculated("profit", action, symbol, volume=volume, price_open=price_open, price_close=price_close))


@_errors_as(None)
def order_check(*args: Any, **named: Any) -> OrderCheckResult | None:
    """Whether the terminal would take a request; `retcode` 0 is yes. Only new orders can be checked."""
    request = full_request(args, named)
    return _orders.check(_session.required(), request)


@_errors_as(None)
def order_send(*args: Any, key: str | None = None, **named: Any) -> OrderSendResult | None:
    """Sends a request once, and repeats it under its key until its outcome is known, through lost connections and restarts.

    If that takes longer than the timeout of `initialize`, the retcode is 10012, and the same request, if it is sent again, is first
    settled: it gets the answer of the first one. `key`: your own, 1 to 128 printable ASCII characters.
    """
    request = full_request(args, named)
    if key is not None and not (isinstance(key, str) and _KEY.fullmatch(key)):
        raise InvalidArgument('Invalid "key" argument')
    return _orders.send(_session.required(), request, key)


def _RawOrder(
    order_type: int, symbol: str, volume: float, price: float, comment: str | None, ticket: int | None
) -> OrderSendResult | None:
    request: dict[str, Any] = {
        "action": TRADE_ACTION_DEAL,
        "symbol": symbol,
        "volume": volume,
        "type": order_type,
        "price": price,
        "deviation": 10,
    }
    if comment is not None:
        request["comment"] = comment
    if ticket is not None:
        request["position"] = ticket
    result: OrderSendResult | None = order_send(request)
    return result


def _at_market(order_type: int, symbol: str, volume: float, comment: str | None, ticket: int | None) -> OrderSendResult | None:
    """Up to ten times, each with the current price, while the price moves."""
    result = None
    for _ in range(10):
        tick = symbol_info_tick(symbol)
        if tick is None:
            return None
        price = tick.ask if order_type == ORDER_TYPE_BUY else tick.bid
        result = _RawOrder(order_type, symbol, volume, price, comment, ticket)
        if result is None or result.retcode not in (TRADE_RETCODE_REQUOTE, TRADE_RETCODE_PRICE_OFF):
            break
    return result


def Buy(
    symbol: str, volume: float, price: float | None = None, *, comment: str | None = None, ticket: int | None = None
) -> OrderSendResult | None:
    """Buys at a price, or at the current one."""
    if price is not None:
        return _RawOrder(ORDER_TYPE_BUY, symbol, volume, price, comment, ticket)
    return _at_market(ORDER_TYPE_BUY, symbol, volume, comment, ticket)


def Sell(
    symbol: str, volume: float, price: float | None = None, *, comment: str | None = None, ticket: int | None = None
) -> OrderSendResult | None:
    """Sells at a price, or at the current one."""
    if price is not None:
        return _RawOrder(ORDER_TYPE_SELL, symbol, volume, price, comment, ticket)
    return _at_market(ORDER_TYPE_SELL, symbol, volume, comment, ticket)


def Close(symbol: str, *, comment: str | None = None, ticket: int | None = None) -> bool | str | None:
    """Closes the positions of a symbol, or one: True for all, 'Partially' for some, False for none."""
    positions = positions_get(ticket=ticket) if ticket is not None else positions_get(symbol=symbol)
    if positions is None:
        return None
    done = 0
    for position in positions:
        opposite = ORDER_TYPE_SELL if position.type == ORDER_TYPE_BUY else ORDER_TYPE_BUY
        result = _at_market(opposite, symbol, position.volume, comment, position.ticket)
        if result is None:
            return None
        done += result.retcode == TRADE_RETCODE_DONE
    if done == 0:
        return False
    return True if done == len(positions) else "Partially"


def _read(path: str, **query: Any) -> Any:
    given = {name: value for name, value in query.items() if value is not None}
    return _session.required().read(path, given or None)


def _calculated(what: str, action: Any, symbol: Any, **given: Any) -> Any:
    code = unsigned(action)
    numbers = {name: real(value) for name, value in given.items()}
    name = text(symbol)
    transport = _session.required()
    word = ORDER_TYPES.get(code)
    if word is None or not all(math.isfinite(number) for number in numbers.values()):
        raise InvalidArgument("Terminal: Invalid params")
    return transport.read(f"/order_calc_{what}", body={"type": word, "symbol": name, **numbers})[what]


def _name(symbol: Any) -> str:
    return quoted(text(symbol))


def _timeframe(timeframe: int) -> str:
    word = _TIMEFRAMES.get(timeframe)
    if word is None:
        raise InvalidArgument("Terminal: Invalid params")
    return word


def _flags(flags: int) -> int:
    return 0 if flags == -1 else flags


def _packed(kind: np.dtype, path: str, **query: Any) -> np.ndarray:
    content = _session.required().read(path, query, accept=ROWS)
    # A copy, because an array over bytes cannot be written.
    return np.frombuffer(content, kind).copy()


def _longest_days() -> int:
    """The days that the gateway permits for a span of ticks, as it says itself."""
    global _days
    if _days is None:
        try:
            _read("/copy_ticks_range", symbol="-", from_date=_EARLIEST, to_date=100 * _EARLIEST)
        except Refused as refused:
            limit = re.search(r"at most (\d+) days", str(refused.details))
            if limit is None:
                raise
            _days = int(limit.group(1))
    return _days or 1


def _bars(path: str, count: int, **query: Any) -> np.ndarray:
    """As many bars as the gateway gives in one answer, at most."""
    global _page
    try:
        return _packed(RATES, path, num_bars=min(count, _page), **query)
    except Refused as refused:
        limit = re.search(r"to (\d+) \(MAX_NUM_BARS\)", str(refused.details))
        if limit is None or int(limit.group(1)) >= _page:
            raise
        _page = int(limit.group(1))
    return _packed(RATES, path, num_bars=min(count, _page), **query)


def _bars_until(symbol: str, timeframe: int, last: int, count: int, first: int = 0) -> np.ndarray:
    """The last `count` bars up to a server second, read backwards and page by page, but none that are all before `first`."""
    query = {"symbol": symbol, "timeframe": _timeframe(timeframe), "clock": "server"}
    parts: list[np.ndarray] = []
    while count > 0 and last >= max(first, _EARLIEST):
        rows = _bars("/copy_rates_from", count, date=last, **query)
        parts.insert(0, rows)
        count -= len(rows)
        if len(rows) < min(_page, count + len(rows)):
            break
        last = int(rows["time"][0]) - 1
    return np.concatenate(parts) if parts else np.empty(0, RATES)


def _list(kind: type[_Row], path: str, args: tuple[Any, ...], query: dict[str, Any]) -> tuple[_Row, ...] | None:
    @_errors_as(None)
    def read() -> tuple[_Row, ...] | None:
        if args:
            raise InvalidArgument("Unnamed arguments not allowed")
        name, wanted = _filter(query, "ticket", "symbol", "group")
        _session.required()
        if name == "group":
            rows = [row for row in _read(path)["data"] if mask(wanted, row["symbol"])]
        elif name is None or wanted:
            rows = _listed(path, {} if name is None else {name: wanted})
        else:
            rows = []
        return tuple(kind.of(row) for row in rows)

    return read()


def _listed(path: str, query: dict[str, Any]) -> list[Any]:
    """The rows of a list. As the package, which has none for a symbol that the broker does not have."""
    try:
        rows: list[Any] = _read(path, **query)["data"]
        return rows
    except Refused as problem:
        if "symbol" in query and problem.error_type == "not_found":
            return []
        raise


def _filter(query: dict[str, Any], *names: str) -> tuple[str | None, Any]:
    """The first of these filters that is given, and its value. As the package, which ignores every other name."""
    name = next((name for name in names if name in query), None)
    if name is None:
        return None, None
    value = query[name]
    if name in ("ticket", "position"):
        if not isinstance(value, int):
            raise InvalidArgument(f'Invalid "{name}" argument')
        in_range(name, value)
        return name, value
    if not isinstance(value, str) or (name == "symbol" and units(value) > LONGEST_TEXT):
        raise InvalidArgument(f'Invalid "{name}" argument')
    return name, sendable(value)


def _connected_dates(*dates: Any) -> list[int]:
    """Dates in seconds, once there is a session."""
    found = [seconds(date) for date in dates]
    _session.required()
    return [min(date, _latest()) for date in found]


def _latest() -> int:
    """No broker's clock is as far ahead. Later times would be searched for nothing, and the gateway has no years above 9999."""
    return int(time.time()) + 2 * _DAY


def _window(first: int, last: int) -> dict[str, Any]:
    # The route refuses a window without length; its rows are cut to the second after the read.
    start = max(first, _EARLIEST)
    return {"from_date": start, "to_date": max(last, start + 1), "clock": "server"}


def _history(kind: type[_Row], path: str, ticket: str, args: tuple[Any, ...], query: dict[str, Any]) -> tuple[_Row, ...] | None:
    @_errors_as(None)
    def read() -> tuple[_Row, ...] | None:
        # As the package: a ticket or a position counts only without dates, a group only with them.
        if args and len(args) != 2 and ("ticket" in query or "position" in query):
            raise InvalidArgument("Unnamed arguments not allowed")
        name, number = (None, None) if args else _filter(query, "ticket", "position")
        if name is not None:
            _session.required()
            return _rows(kind, path, {ticket if name == "ticket" else name: number}) if number else ()
        if len(args) != 2:
            raise InvalidArgument("Invalid arguments")
        first, last = (seconds(date) for date in args)
        _, group = _filter(query, "group")
        _session.required()
        if first > last:
            return ()
        first, last = min(first, _latest()), min(last, _latest())
        rows = _rows(kind, path, _window(first, last))
        return rows if group is None else tuple(row for row in rows if mask(group, row.symbol))

    return read()


def _rows(kind: type[_Row], path: str, query: dict[str, Any]) -> tuple[_Row, ...]:
    """All pages."""
    rows: list[Any] = []
    cursor = None
    while True:
        page = _read(path, **query, cursor=cursor)
        rows += [kind.of(row) for row in page["data"]]
        cursor = page.get("next_cursor")
        if cursor is None:
            return tuple(rows)
