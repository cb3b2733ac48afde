"""The calls of the MetaTrader5 package under the port's names. Only the package process imports this module."""

import MetaTrader5 as mt5

from terminal_pipe import has_pipe

NOT_FOUND, INVALID_PARAMS, INVALID_VERSION, PROGRAMS_OFF = -4, -2, -5, -8
IPC_FAILURE, NOT_INITIALIZED, NO_CONNECTION = -10000, -10003, -10004

# The gateway's numbers are doubles, which hold integers exactly up to here.
LARGEST = 2 ** 53 - 1


def whole(value):
    if isinstance(value, bool) or int(value) != value or abs(value) > LARGEST:
        raise ValueError("%r is not an integer that is sent exactly" % (value,))
    return int(value)


# The package rejects integers where it requires floats, and JSON does not distinguish 1 from 1.0.
REQUEST_FIELDS = {
    **dict.fromkeys(("volume", "price", "stoplimit", "sl", "tp"), float),
    **dict.fromkeys(("action", "magic", "order", "deviation", "type", "type_filling", "type_time"), whole),
    **dict.fromkeys(("expiration", "position", "position_by"), whole), **dict.fromkeys(("symbol", "comment"), str)}
RATE_COLUMNS = ("time", "open", "high", "low", "close", "tick_volume", "spread", "real_volume")
TICK_COLUMNS = ("time", "bid", "ask", "last", "volume", "time_msc", "flags", "volume_real")
# The package returns the first two before it writes anything, the third the terminal, which then sends nothing.
NEVER_SENT = {INVALID_PARAMS, NO_CONNECTION, PROGRAMS_OFF}
# A date must fit a C long, which has 32 bits on Windows: the last one is in January 2038.
FIRST_DATE, LAST_DATE = -2 ** 31, 2 ** 31 - 1
MISMATCH = "The terminal and the MetaTrader5 package do not match; install the latest version of both"


class CallFailed(Exception):
    """A call without an answer; kind is one of the link's kinds."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = code, message
        self.kind = "disconnected" if code <= IPC_FAILURE or code == INVALID_VERSION else "failed"


class Terminal:
    """One method for each method of the port."""

    def __init__(self, path, portable, may_start):
        self.place, self.how = [path] if path else [], {"portable": True} if portable else {}
        # Without a pipe, initialize() starts a terminal, even while another one is starting, and waits 100 s for it.
        self.awaited = path if path and not may_start else None
        self.build, self.login_number, self.broken = 0, None, False

    def failure(self):
        """The failure of the call just made. last_error lasts until the next call, so it is read at once."""
        failure = CallFailed(*mt5.last_error())
        if failure.code == INVALID_VERSION:
            failure.message = "%s (%s)" % (MISMATCH, failure.message)
            # Without a connection, symbols_get returns this code too; only a terminal that answers can mismatch.
            if mt5.terminal_info() is None:
                failure = CallFailed(*mt5.last_error())
        self.broken = self.broken or failure.kind == "disconnected"
        return failure

    def need(self, value, *none_codes):
        """None is an answer only if the terminal explains it by one of these codes; any other None is a failure."""
        if value is None:
            failure = self.failure()
            if failure.code not in none_codes:
                raise failure
        return value

    def unless_broken(self, value):
        """For calls that return None or False for "no", but also if the terminal is unreachable."""
        if not value and (failure := self.failure()).kind == "disconnected":
            raise failure
        return value

    def connect(self):
        if self.broken:
            mt5.shutdown()
        if self.awaited and not has_pipe(self.awaited):
            raise CallFailed(NOT_INITIALIZED, "the terminal is not running, or has not opened its pipe yet")
        if not mt5.initialize(*self.place, **self.how):
            raise self.failure()
        # A terminal that updated itself attaches, but rejects symbol reads: such a session is not up.
        if mt5.symbols_total() is None and mt5.last_error()[0] == INVALID_VERSION:
            raise self.failure()
        self.broken, self.build = False, mt5.version()[1]

    def login(self, credentials):
        timeout = int(credentials.get("timeoutMs", 60000))
        if mt5.login(int(credentials["login"]), password=credentials["password"], server=credentials["server"],
                     timeout=timeout):
            return True
        failure = self.failure()
        if failure.kind != "disconnected":
            failure.kind = "refused"
        raise failure

    def terminalInfo(self):
        return self.need(mt5.terminal_info())._asdict()

    def accountInfo(self):
        account = self.unless_broken(mt5.account_info())
        self.login_number = account.login if account and account.login else None
        return account._asdict() if self.login_number else None

    def symbolsGet(self, group=None):
        return rows(self.need(mt5.symbols_get(group=group) if group else mt5.symbols_get()))

    def symbolInfo(self, symbol):
        info = self.need(mt5.symbol_info(symbol), NOT_FOUND)
        return info and info._asdict()

    def symbolSelect(self, symbol, enable):
        return bool(self.unless_broken(mt5.symbol_select(symbol, enable)))

    def symbolInfoTick(self, symbol):
        # A symbol that never had a quote returns a tick of zeros.
        tick = self.need(mt5.symbol_info_tick(symbol), NOT_FOUND)
        return tick._asdict() if tick and tick.time else None

    def ticks(self, symbols):
        return [self.symbolInfoTick(symbol) for symbol in symbols]

    def marketBook(self, symbol):
        # The terminal follows the depth of a symbol until the session ends; to follow it twice changes nothing.
        if not self.unless_broken(mt5.market_book_add(symbol)):
            return None
        return rows(self.need(mt5.market_book_get(symbol)))

    def copyRatesFromPos(self, symbol, timeframe, start, count):
        return self._columns(symbol, mt5.copy_rates_from_pos(symbol, timeframe, start, count), RATE_COLUMNS)

    def copyRatesRange(self, symbol, timeframe, first, last):
        return self._columns(symbol, mt5.copy_rates_range(symbol, timeframe, date(first), date(last)), RATE_COLUMNS)

    def copyTicksRange(self, symbol, first, last, flags):
        # The package accepts whole seconds; the milliseconds are filtered here.
        array = mt5.copy_ticks_range(symbol, date(first // 1000), date(-(-last // 1000)), flags)
        found = self._columns(symbol, array, TICK_COLUMNS)
        keep = found and [first <= msc <= last for msc in found["time_msc"]]
        return found and {name: [cell for cell, kept in zip(column, keep) if kept] for name, column in found.items()}

    def _columns(self, symbol, array, names):
        if array is None:
            failure = self.failure()
            if failure.kind != "disconnected" and self.symbolInfo(symbol) is None:
                return None
            raise failure
        return {name: array[name].tolist() for name in names}

    def positionsGet(self, query=None):
        return rows(self.need(mt5.positions_get(**(query or {}))))

    def ordersGet(self, query=None):
        return rows(self.need(mt5.orders_get(**(query or {}))))

    def historyOrdersGet(self, query):
        return rows(self.need(history(mt5.history_orders_get, **query)))

    def historyDealsGet(self, query):
        return rows(self.need(history(mt5.history_deals_get, **query)))

    def orderCheck(self, request):
        answer = self.need(mt5.order_check(package_request(request)))._asdict()
        answer.pop("request", None)
        return answer

    def orderSend(self, _intent, request, _deadline_ms=None):
        """Exactly one order_send. Refused only where the package's code proves that nothing was sent."""
        try:
            prepared = package_request(request)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            return {"kind": "refused", "lastError": {"code": INVALID_PARAMS, "message": "Invalid params: %r" % error}}
        before, raised = tuple(mt5.last_error()), False
        try:
            answer = mt5.order_send(prepared)
        except SystemError:  # raised for whole numbers out of range; last_error has the reason
            answer, raised = None, True
        if answer is not None:
            result = answer._asdict()
            result.pop("request", None)
            return {"kind": "answered", "result": result}
        failure = self.failure()
        said = {"code": failure.code, "message": failure.message}
        # last_error persists: after an exception, an error from before the send proves nothing about it.
        if failure.code in NEVER_SENT and not (raised and (failure.code, failure.message) == before):
            return {"kind": "refused", "lastError": said}
        return {"kind": "unknown", "reason": failure.message, "lastError": said}

    def orderCalcMargin(self, kind, symbol, volume, price):
        return self.unless_broken(mt5.order_calc_margin(kind, symbol, float(volume), float(price)))

    def orderCalcProfit(self, kind, symbol, volume, opened, closed):
        return self.unless_broken(mt5.order_calc_profit(kind, symbol, float(volume), float(opened), float(closed)))

    def lastError(self):
        return dict(zip(("code", "message"), mt5.last_error()))

    def shutdown(self):
        mt5.shutdown()


METHODS = {name for name in vars(Terminal) if name[0] != "_"} - {"failure", "need", "unless_broken"}


def rows(tuples):
    return [row._asdict() for row in tuples]


def date(seconds):
    return max(FIRST_DATE, min(LAST_DATE, int(seconds)))


def history(call, **query):
    """The two dates are positional, everything else is named."""
    dates = (date(query.pop("from")), date(query.pop("to"))) if "from" in query else ()
    return call(*dates, **query)


def package_request(request):
    return {name: kind(request[name]) for name, kind in REQUEST_FIELDS.items()}
