"""A stand-in for the MetaTrader5 package, backed by the simulator over the link. See ../README.md."""

import datetime
import ntpath
import threading

from ._link import Link, LinkError
from ._records import (RATE_TYPES, TICK_TYPES, AccountInfo, OrderCheckResult, OrderSendResult, SymbolInfo, TerminalInfo, Tick,
                       TradeDeal, TradeOrder, TradePosition, TradeRequest, array, named)

__version__ = "5.0.0-stand-in"

_OK = (1, "Success")
_NO_IPC = (-10004, "No IPC connection")
_FLOATS = ("volume", "price", "stoplimit", "sl", "tp")
_LONGEST_COMMENT = 31

_link = None
_last_error = _OK
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
        except (OSError, LinkError):
            return bool(_fail(-10005, "IPC timeout"))
    reached, _ = _ask("connect")
    if not reached:
        return False
    _place, _portable = ntpath.dirname(args[0]) if args else None, portable
    return globals()["login"](login, password=password, server=server, timeout=timeout) if login is not None else True


def login(*args, password=None, server=None, timeout=60000, **named_login):
    number = args[0] if args else named_login.get("login")
    if not isinstance(number, int):
        return bool(_fail(-2, "Invalid \"login\" argument"))
    reached, _ = _ask("login", {"login": number, "password": password or "", "server": server or "", "timeoutMs": timeout})
    return reached


def shutdown():
    global _link, _last_error
    _own_thread()
    if _link is not None:
        _link.close()
        _link = None
    _last_error = _OK


def version():
    return (500, terminal_info().build, "01 Jan 2024") if _link is not None else _fail(*_NO_IPC)


def last_error():
    _own_thread()
    return _last_error


def account_info():
    reached, answer = _ask("accountInfo")
    if reached and answer is None:
        return _fail(-6, "Terminal: Authorization failed")
    return named(AccountInfo, answer) if reached else None


def terminal_info():
    reached, answer = _ask("terminalInfo")
    if reached and _place is not None:
        # A portable terminal keeps its data beside its program.
        answer = {**answer, "path": _place, **({"data_path": _place} if _portable else {})}
    return named(TerminalInfo, answer) if reached else None


def symbols_total():
    reached, answer = _ask("symbolsGet", None)
    return len(answer) if reached else None


def symbols_get(group=None):
    reached, answer = _ask("symbolsGet", group)
    return tuple(named(SymbolInfo, row) for row in answer) if reached else None


def symbol_info(symbol):
    reached, answer = _ask("symbolInfo", symbol)
    if reached and answer is None:
        return _fail(-4, "Terminal: Not found")
    return named(SymbolInfo, answer) if reached else None


def symbol_info_tick(symbol):
    reached, answer = _ask("symbolInfoTick", symbol)
    if not reached:
        return None
    if answer is not None:
        return named(Tick, answer)
    return Tick(0, 0.0, 0.0, 0.0, 0, 0, 0, 0.0) if symbol_info(symbol) else _fail(-4, "Terminal: Not found")


def symbol_select(symbol, enable=True):
    reached, answer = _ask("symbolSelect", symbol, bool(enable))
    if reached and not answer:
        _fail(-1, "Terminal: Call failed")
    return bool(reached and answer)


def copy_rates_from_pos(*args, **unwanted):
    return _array(RATE_TYPES, "copyRatesFromPos", args, 4, unwanted)


def copy_rates_range(*args, **unwanted):
    return _array(RATE_TYPES, "copyRatesRange", tuple(map(_seconds, args)), 4, unwanted)


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
    return named(OrderCheckResult, answer, request=TradeRequest(**request)) if reached else None


def order_send(*args, **named_request):
    request = _request(args, named_request)
    # The real package knows no deadline: what it took, it sends.
    reached, outcome = _ask("orderSend", "stand-in", request) if request else (False, None)
    if not reached:
        return None
    if outcome["kind"] == "answered":
        return named(OrderSendResult, outcome["result"], request=TradeRequest(**request))
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
    if args or not set(query) <= {"symbol", "group", "ticket"}:
        return _fail(-2, "Invalid arguments")
    if "symbol" in query:
        query.pop("ticket", None)
    reached, answer = _ask(method, query)
    return tuple(named(kind, row) for row in answer) if reached else None


def _history(kind, method, dates, query):
    if "ticket" in query or "position" in query:
        asked = {name: query[name] for name in ("ticket", "position") if name in query}
    elif len(dates) == 2 and set(query) <= {"group"}:
        asked = {"from": _seconds(dates[0]), "to": _seconds(dates[1]), **query}
    else:
        return _fail(-2, "Invalid params")
    reached, answer = _ask(method, asked)
    return tuple(named(kind, row) for row in answer) if reached else None


def _request(args, named_request):
    """The request in full, or None with last_error -2: then nothing was sent."""
    if named_request or len(args) != 1:
        return _fail(-2, "Unnamed arguments not allowed")
    if not isinstance(args[0], dict) or not set(args[0]) <= set(TradeRequest._fields):
        return _fail(-2, "Invalid request")
    full = {name: "" if name in ("symbol", "comment") else 0.0 if name in _FLOATS else 0 for name in TradeRequest._fields}
    full.update(args[0])
    for name, value in full.items():
        wanted = str if name in ("symbol", "comment") else float if name in _FLOATS else int
        if not isinstance(value, wanted) or isinstance(value, bool):
            return _fail(-2, 'Invalid "%s" argument' % name)
    if len(full["comment"]) > _LONGEST_COMMENT:
        return _fail(-2, 'Invalid "comment" argument')
    return full


def _seconds(value):
    if isinstance(value, datetime.datetime):
        return int(value.replace(tzinfo=value.tzinfo or datetime.timezone.utc).timestamp())
    return value
