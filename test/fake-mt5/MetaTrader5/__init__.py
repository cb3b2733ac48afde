"""A stand-in for the MetaTrader5 package, backed by the simulator over the link. See ../README.md."""

import ntpath
import os

from . import _session as session
from ._arguments import LONGEST_CREDENTIAL, full_request, in_range, known, seconds, units
from ._link import LinkError
from ._records import (RATE_TYPES, TICK_TYPES, AccountInfo, BookInfo, OrderCheckResult, OrderSendResult, SymbolInfo,
                       TerminalInfo, Tick, TradeDeal, TradeOrder, TradePosition, TradeRequest, array, record)

__version__ = "5.0.0-stand-in"

_NOT_FOUND_TERMINAL = "IPC initialize failed, MetaTrader 5 x64 not found"
_MISMATCH = (-5, "Terminal: Incompatible versions, please install the latest version of Terminal and Python module")

_place = None
_portable = False


def initialize(*args, login=None, password=None, server=None, timeout=60000, portable=False):
    global _place, _portable
    session.own_thread()
    if len(args) > 1:
        return bool(session.fail(-2, "Invalid arguments"))
    try:
        session.open_link()
    except (KeyError, OSError, LinkError):
        created = "IPC initialize failed, Process create failed '%s'" % args[0] if args else _NOT_FOUND_TERMINAL
        return bool(session.fail(-10003, created))
    reached, _ = session.ask("connect")
    if not reached:
        return False
    _place, _portable = ntpath.dirname(args[0]) if args else None, portable
    return globals()["login"](login, password=password, server=server, timeout=timeout) if login is not None else True


def login(*args, password=None, server=None, timeout=60000, **named_login):
    number = args[0] if args else named_login.get("login")
    if not isinstance(number, int):
        return bool(session.fail(-2, "Invalid \"login\" argument"))
    in_range("login", number)
    for name, value in (("password", password), ("server", server)):
        if units(value or "") > LONGEST_CREDENTIAL:
            return bool(session.fail(-2, "Invalid \"%s\" argument" % name))
    reached, _ = session.ask("login", {"login": number, "password": password or "", "server": server or "", "timeoutMs": timeout})
    return reached


def shutdown():
    session.own_thread()
    session.close_link()
    session.succeed()
    return True


def version():
    if session.link is None:
        session.fail(*session.NO_IPC)
        return (0, 0, "")
    return (500, terminal_info().build, "01 Jan 2024")


def last_error():
    session.own_thread()
    return session.last_error


def account_info():
    reached, answer = session.ask("accountInfo")
    if reached and answer is None:
        return session.fail(-6, "Terminal: Authorization failed")
    return record(AccountInfo, answer) if reached else None


def terminal_info():
    reached, answer = session.ask("terminalInfo")
    if reached and _place is not None:
        # A portable terminal keeps its data beside its program.
        answer = {**answer, "path": _place, **({"data_path": _place} if _portable else {})}
    return record(TerminalInfo, answer) if reached else None


def symbols_total():
    answer = _symbols(None)
    return None if answer is None else len(answer)


def symbols_get(*args, **query):
    if args:
        return session.fail(-2, "Unnamed arguments not allowed")
    if "group" in query and not isinstance(query["group"], str):
        session.fail(-2, 'Invalid "group" argument')
        return False
    answer = _symbols(query.get("group"))
    return None if answer is None else tuple(record(SymbolInfo, row) for row in answer)


def _symbols(group):
    # The genuine package answers this code without a connection too.
    if session.link is None or os.environ.get("FAKE_MT5_MISMATCH") == "1":
        return session.fail(*_MISMATCH)
    reached, answer = session.ask("symbolsGet", group)
    return answer if reached else None


def symbol_info(symbol):
    reached, answer = session.ask("symbolInfo", symbol)
    if reached and answer is None:
        return session.fail(-4, "Terminal: Not found")
    return record(SymbolInfo, answer) if reached else None


def symbol_info_tick(symbol):
    reached, answer = session.ask("symbolInfoTick", symbol)
    if not reached:
        return None
    if answer is not None:
        return record(Tick, answer)
    return Tick((0, 0.0, 0.0, 0.0, 0, 0, 0, 0.0)) if symbol_info(symbol) else session.fail(-4, "Terminal: Not found")


def symbol_select(symbol, enable=True):
    reached, answer = session.ask("symbolSelect", symbol, bool(enable))
    if reached and not answer:
        session.fail(-1, "Terminal: Call failed")
    return bool(reached and answer)


_books = set()


def market_book_add(symbol):
    if session.link is None:
        # Without a terminal the genuine package answers just this.
        session.succeed()
        return False
    reached, answer = session.ask("marketBook", symbol)
    if reached and answer is None:
        session.fail(-1, "Terminal: Call failed")
    if reached and answer is not None:
        _books.add(symbol)
    return bool(reached and answer is not None)


def market_book_release(symbol):
    session.succeed()
    was_added = session.link is not None and symbol in _books
    _books.discard(symbol)
    return was_added


def market_book_get(symbol):
    if session.link is None:
        return session.fail(*session.NO_IPC)
    if symbol not in _books:
        return session.fail(-1, "Terminal: Call failed")
    reached, answer = session.ask("marketBook", symbol)
    return tuple(record(BookInfo, row) for row in answer) if reached else None


def copy_rates_from_pos(*args, **unwanted):
    for number in args[1:]:
        in_range("count", number)
    return _array(RATE_TYPES, "copyRatesFromPos", args, 4, unwanted)


def copy_rates_range(*args, **unwanted):
    if len(args) == 4:
        symbol, timeframe, first, last = args
        args = (symbol, timeframe, seconds(first), seconds(last))
    return _array(RATE_TYPES, "copyRatesRange", args, 4, unwanted)


def copy_ticks_range(*args, **unwanted):
    if len(args) == 4:
        symbol, first, last, flags = args
        args = (symbol, seconds(first) * 1000, seconds(last) * 1000, flags)
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
    checked = full_request(args, named_request)
    reached, answer = session.ask("orderCheck", checked) if checked else (False, None)
    return record(OrderCheckResult, answer, request=record(TradeRequest, checked)) if reached else None


def order_send(*args, **named_request):
    sent = full_request(args, named_request)
    if sent and os.environ.get("FAKE_MT5_RAISE_AFTER_SEND") == "1":
        before = session.last_error
        session.ask("orderSend", "stand-in", sent)
        session.fail(*before)
        raise SystemError("<built-in function order_send> returned a result with an exception set")
    # The real package knows no deadline: what it took, it sends.
    reached, outcome = session.ask("orderSend", "stand-in", sent) if sent else (False, None)
    if not reached:
        return None
    if outcome["kind"] == "answered":
        return record(OrderSendResult, outcome["result"], request=record(TradeRequest, sent))
    return session.fail(outcome["lastError"]["code"], outcome["lastError"]["message"])


def order_calc_margin(action, symbol, volume, price):
    return _number("orderCalcMargin", action, symbol, volume, price)


def order_calc_profit(action, symbol, volume, price_open, price_close):
    return _number("orderCalcProfit", action, symbol, volume, price_open, price_close)


def _number(method, *params):
    reached, answer = session.ask(method, *params)
    if reached and answer is None:
        return session.fail(-1, "Terminal: Call failed")
    return float(answer) if reached else None


def _array(types, method, args, count, unwanted):
    if unwanted or len(args) != count:
        return session.fail(-2, "Invalid params")
    reached, answer = session.ask(method, *args)
    if reached and answer is None:
        return session.fail(-1, "Terminal: Call failed")
    return array(types, answer) if reached else None


def _rows(kind, method, args, query):
    if args:
        return session.fail(-2, "Unnamed arguments not allowed")
    filters = known(query, "symbol", "group", "ticket")
    if "symbol" in filters:
        filters.pop("ticket", None)
    reached, answer = session.ask(method, filters)
    return tuple(record(kind, row) for row in answer) if reached else None


def _history(kind, method, dates, query):
    filters = known(query, "ticket", "position", "group")
    if "ticket" in filters or "position" in filters:
        filters.pop("group", None)
    elif len(dates) == 2:
        filters.update({"from": seconds(dates[0]), "to": seconds(dates[1])})
    else:
        return session.fail(-2, "Invalid arguments")
    reached, answer = session.ask(method, filters)
    return tuple(record(kind, row) for row in answer) if reached else None
