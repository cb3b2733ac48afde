"""A stand-in for the MetaTrader5 package, backed by the simulator over the link. See ../README.md."""

import datetime
import ntpath
import os
import threading

from ._link import Link, LinkError
from ._records import (RATE_TYPES, TICK_TYPES, AccountInfo, OrderCheckResult, OrderSendResult, SymbolInfo, TerminalInfo, Tick,
                       TradeDeal, TradeOrder, TradePosition, TradeRequest, array, record)

__version__ = "5.0.0-stand-in"

_OK = (1, "Success")
_NO_IPC = (-10004, "No IPC connection")
_FLOATS = ("volume", "price", "stoplimit", "sl", "tp")
_LONGEST_TEXT = 29  # of a comment or a symbol, in UTF-16 units
_LONGEST_CREDENTIAL = 255
_UNSIGNED_64 = {"magic", "order", "deviation", "position", "position_by", "login", "ticket"}
_RANGES = {"count": (-2 ** 31, 2 ** 31), "expiration": (-2 ** 63, 2 ** 63)}
_NOT_FOUND_TERMINAL = "IPC initialize failed, MetaTrader 5 x64 not found"
_MISMATCH = (-5, "Terminal: Incompatible versions, please install the latest version of Terminal and Python module")

_link = None
_last_error = (0, "")
_place = None
_portable = False
_owner = None


def _own_thread():
    global _owner
    _owner = _owner or threading.get_ident()
    if _owner != threading.get_ident():
        raise RuntimeError("the MetaTrader5 package was called from a second thread")


def _fail(code, message):
    global _last_error
    _last_error = (code, message)
    return None


def _ask(method, *params):
    """One call to the simulator; (False, None) with last_error set when it brought nothing."""
    global _last_error, _link
    _own_thread()
    if _link is None:
        _fail(*_NO_IPC)
        return False, None
    try:
        answer = _link.call(method, list(params))
    except LinkError as error:
        if error.code in (-10001, -10002):
            _link.close()
            _link = None
        _fail(error.code, error.message)
        return False, None
    _last_error = _OK
    return True, answer


def initialize(*args, login=None, password=None, server=None, timeout=60000, portable=False):
    global _link, _last_error, _place, _portable
    _own_thread()
    if len(args) > 1:
        return bool(_fail(-2, "Invalid arguments"))
    if _link is None:
        try:
            _link = Link()
        except (KeyError, OSError, LinkError):
            created = "IPC initialize failed, Process create failed '%s'" % args[0] if args else _NOT_FOUND_TERMINAL
            return bool(_fail(-10003, created))
    reached, _ = _ask("connect")
    if not reached:
        return False
    _place, _portable = ntpath.dirname(args[0]) if args else None, portable
    return globals()["login"](login, password=password, server=server, timeout=timeout) if login is not None else True


def login(*args, password=None, server=None, timeout=60000, **named_login):
    number = args[0] if args else named_login.get("login")
    if not isinstance(number, int):
        return bool(_fail(-2, "Invalid \"login\" argument"))
    _in_range("login", number)
    for name, value in (("password", password), ("server", server)):
        if _units(value or "") > _LONGEST_CREDENTIAL:
            return bool(_fail(-2, "Invalid \"%s\" argument" % name))
    reached, _ = _ask("login", {"login": number, "password": password or "", "server": server or "", "timeoutMs": timeout})
    return reached


def shutdown():
    global _link, _last_error
    _own_thread()
    if _link is not None:
        _link.close()
        _link = None
    _last_error = _OK
    return True


def version():
    if _link is None:
        _fail(*_NO_IPC)
        return (0, 0, "")
    return (500, terminal_info().build, "01 Jan 2024")


def last_error():
    _own_thread()
    return _last_error


def account_info():
    reached, answer = _ask("accountInfo")
    if reached and answer is None:
        return _fail(-6, "Terminal: Authorization failed")
    return record(AccountInfo, answer) if reached else None


def terminal_info():
    reached, answer = _ask("terminalInfo")
    if reached and _place is not None:
        # A portable terminal keeps its data beside its program.
        answer = {**answer, "path": _place, **({"data_path": _place} if _portable else {})}
    return record(TerminalInfo, answer) if reached else None


def symbols_total():
    answer = _symbols(None)
    return None if answer is None else len(answer)


def symbols_get(*args, **query):
    if args:
        return _fail(-2, "Unnamed arguments not allowed")
    if "group" in query and not isinstance(query["group"], str):
        _fail(-2, 'Invalid "group" argument')
        return False
    answer = _symbols(query.get("group"))
    return None if answer is None else tuple(record(SymbolInfo, row) for row in answer)


def _symbols(group):
    # The genuine package answers this code without a connection too.
    if _link is None or os.environ.get("FAKE_MT5_MISMATCH") == "1":
        return _fail(*_MISMATCH)
    reached, answer = _ask("symbolsGet", group)
    return answer if reached else None


def symbol_info(symbol):
    reached, answer = _ask("symbolInfo", symbol)
    if reached and answer is None:
        return _fail(-4, "Terminal: Not found")
    return record(SymbolInfo, answer) if reached else None


def symbol_info_tick(symbol):
    reached, answer = _ask("symbolInfoTick", symbol)
    if not reached:
        return None
    if answer is not None:
        return record(Tick, answer)
    return Tick((0, 0.0, 0.0, 0.0, 0, 0, 0, 0.0)) if symbol_info(symbol) else _fail(-4, "Terminal: Not found")


def symbol_select(symbol, enable=True):
    reached, answer = _ask("symbolSelect", symbol, bool(enable))
    if reached and not answer:
        _fail(-1, "Terminal: Call failed")
    return bool(reached and answer)


def market_book_add(_symbol):
    return _no_book()


def market_book_release(_symbol):
    return _no_book()


def market_book_get(_symbol):
    return _fail(*_NO_IPC) if _link is None else _fail(-1, "Terminal: Call failed")


def _no_book():
    """The simulator has no order book; without a terminal the genuine package answers just this."""
    global _last_error
    _last_error = _OK
    return False


def copy_rates_from_pos(*args, **unwanted):
    for number in args[1:]:
        _in_range("count", number)
    return _array(RATE_TYPES, "copyRatesFromPos", args, 4, unwanted)


def copy_rates_range(*args, **unwanted):
    if len(args) == 4:
        symbol, timeframe, first, last = args
        args = (symbol, timeframe, _seconds(first), _seconds(last))
    return _array(RATE_TYPES, "copyRatesRange", args, 4, unwanted)


def copy_ticks_range(*args, **unwanted):
    if len(args) == 4:
        symbol, first, last, flags = args
        args = (symbol, _seconds(first) * 1000, _seconds(last) * 1000, flags)
    return _array(TICK_TYPES, "copyTicksRange", args, 4, unwanted)


def positions_get(*args, **query):
    return _rows(TradePosition, "positionsGet", args, query)


def orders_get(*args, **query):
    return _rows(TradeOrder, "ordersGet", args, query)


def history_orders_get(*dates, **query):
    return _history(TradeOrder, "historyOrdersGet", dates, query)


def history_deals_get(*dates, **query):
    return _history(TradeDeal, "historyDealsGet", dates, query)


def order_check(*args, **named_request):
    request = _request(args, named_request)
    reached, answer = _ask("orderCheck", request) if request else (False, None)
    return record(OrderCheckResult, answer, request=record(TradeRequest, request)) if reached else None


def order_send(*args, **named_request):
    global _last_error
    request = _request(args, named_request)
    if request and os.environ.get("FAKE_MT5_RAISE_AFTER_SEND") == "1":
        before = _last_error
        _ask("orderSend", "stand-in", request)
        _last_error = before
        raise SystemError("<built-in function order_send> returned a result with an exception set")
    # The real package knows no deadline: what it took, it sends.
    reached, outcome = _ask("orderSend", "stand-in", request) if request else (False, None)
    if not reached:
        return None
    if outcome["kind"] == "answered":
        return record(OrderSendResult, outcome["result"], request=record(TradeRequest, request))
    return _fail(outcome["lastError"]["code"], outcome["lastError"]["message"])


def order_calc_margin(action, symbol, volume, price):
    return _number("orderCalcMargin", action, symbol, volume, price)


def order_calc_profit(action, symbol, volume, price_open, price_close):
    return _number("orderCalcProfit", action, symbol, volume, price_open, price_close)


def _number(method, *params):
    reached, answer = _ask(method, *params)
    if reached and answer is None:
        return _fail(-1, "Terminal: Call failed")
    return float(answer) if reached else None


def _array(types, method, args, count, unwanted):
    if unwanted or len(args) != count:
        return _fail(-2, "Invalid params")
    reached, answer = _ask(method, *args)
    if reached and answer is None:
        return _fail(-1, "Terminal: Call failed")
    return array(types, answer) if reached else None


def _rows(kind, method, args, query):
    if args:
        return _fail(-2, "Unnamed arguments not allowed")
    known = _known(query, "symbol", "group", "ticket")
    if "symbol" in known:
        known.pop("ticket", None)
    reached, answer = _ask(method, known)
    return tuple(record(kind, row) for row in answer) if reached else None


def _history(kind, method, dates, query):
    known = _known(query, "ticket", "position", "group")
    if "ticket" in known or "position" in known:
        known.pop("group", None)
    elif len(dates) == 2:
        known.update({"from": _seconds(dates[0]), "to": _seconds(dates[1])})
    else:
        return _fail(-2, "Invalid arguments")
    reached, answer = _ask(method, known)
    return tuple(record(kind, row) for row in answer) if reached else None


def _known(query, *names):
    """The filters that the package knows; it ignores every other name."""
    for name in ("ticket", "position"):
        if name in query:
            _in_range("ticket", query[name])
    return {name: query[name] for name in names if name in query}


def _request(args, named_request):
    """The request in full, or None with last_error -2: then nothing was sent. Unknown keys are ignored."""
    if args and named_request:
        return _fail(-2, "Unnamed arguments not allowed")
    if not named_request and len(args) != 1:
        return _fail(-2, "Invalid number of arguments")
    given = named_request or args[0]
    if not isinstance(given, dict):
        return _fail(-2, "Unnamed arguments not allowed")
    full = {}
    for name in TradeRequest.__match_args__:
        blank = "" if name in ("symbol", "comment") else 0.0 if name in _FLOATS else 0
        value = full[name] = given.get(name, blank)
        if not isinstance(value, type(blank)) or (isinstance(value, str) and _units(value) > _LONGEST_TEXT):
            return _fail(-2, 'Invalid "%s" argument' % name)
        if isinstance(value, int):
            _in_range(name, value)
            full[name] = int(value)
    return full


def _in_range(name, number):
    """A whole number that the package cannot hold is an exception from inside it, and last_error -2."""
    first, end = (0, 2 ** 64) if name in _UNSIGNED_64 else _RANGES.get(name, (0, 2 ** 32))
    if not isinstance(number, int) or first <= number < end:
        return
    _fail(-2, 'Invalid "%s" argument' % name)
    _overflow()


def _overflow():
    raise SystemError("<built-in function> returned a result with an exception set") from OverflowError("too large")


def _units(text):
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _seconds(value):
    """A date in whole seconds. As an int it has to fit a C long, which has 32 bits on Windows: it ends in January 2038."""
    if isinstance(value, int) and not -2 ** 31 <= value < 2 ** 31:
        if _link is None:
            _fail(*_NO_IPC)
        _overflow()
    if isinstance(value, datetime.datetime):
        return int(value.replace(tzinfo=value.tzinfo or datetime.timezone.utc).timestamp())
    return value
