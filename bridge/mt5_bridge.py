"""Serves the MetaTrader 5 terminal beside it to the gateway: JSON-RPC 2.0, one message a line, protocol 1.

Runs in the Python that shares the terminal's machine (or Wine prefix): 3.9 or newer, the standard library and the official
MetaTrader5 package only. One worker thread owns the package, which is not made for threads; sends overtake waiting reads;
nothing is ever sent twice. See docs/terminal-session.md.

Usage: TERMINAL_BRIDGE_TOKEN=... python mt5_bridge.py [--port 18812] [--terminal "C:\\...\\terminal64.exe"]
"""

import argparse
import contextlib
import hashlib
import hmac
import itertools
import json
import logging
import math
import os
import queue
import signal
import socket
import sys
import threading
import time

import MetaTrader5 as mt5

PROTOCOL = 1
MAX_LINE = 32 * 1024 * 1024
MAX_WAITING = 256
# The gateway pings each 5 s; a peer silent for this long, or that does not read for this long, is gone.
PEER_TIMEOUT, HELLO_TIMEOUT = 20.0, 10.0
NOT_FOUND, INVALID_PARAMS, AUTH_FAILED, NO_MEMORY, IPC_FAILURE = -4, -2, -6, -3, -10000

# The package refuses whole numbers where it wants floats, and JSON does not tell 1 from 1.0.
REQUEST_FIELDS = {
    **dict.fromkeys(("volume", "price", "stoplimit", "sl", "tp"), float),
    **dict.fromkeys(("action", "magic", "order", "deviation", "type", "type_filling", "type_time"), int),
    **dict.fromkeys(("expiration", "position", "position_by"), int), **dict.fromkeys(("symbol", "comment"), str)}
RATE_COLUMNS = ("time", "open", "high", "low", "close", "tick_volume", "spread", "real_volume")
TICK_COLUMNS = ("time", "bid", "ask", "last", "volume", "time_msc", "flags", "volume_real")


class CallFailed(Exception):
    """A call without an answer; kind is one of the link's."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = code, message
        self.kind = "disconnected" if code <= IPC_FAILURE else "failed"


class Terminal:
    """The package's calls under the port's names; used by the worker thread only."""

    def __init__(self, path, portable):
        self.place, self.how = [path] if path else [], {"portable": True} if portable else {}
        self.build, self.login_number, self.broken = 0, None, False

    def failure(self):
        """last_error is sticky until the next call, so it is read at once."""
        failure = CallFailed(*mt5.last_error())
        self.broken = self.broken or failure.code <= IPC_FAILURE
        return failure

    def need(self, value, *none_codes):
        """None is an answer only where the terminal explains it by one of these codes; any other None is a failure."""
        if value is None:
            failure = self.failure()
            if failure.code not in none_codes:
                raise failure
        return value

    def unless_broken(self, value):
        """For calls that say no by None or False; a terminal that is out of reach does too, and that is no answer."""
        if not value and (failure := self.failure()).code <= IPC_FAILURE:
            raise failure
        return value

    def connect(self):
        if self.broken:
            mt5.shutdown()
        if not mt5.initialize(*self.place, **self.how):
            raise self.failure()
        self.broken, self.build = False, mt5.version()[1]

    def login(self, credentials):
        timeout = int(credentials.get("timeoutMs", 60000))
        if mt5.login(int(credentials["login"]), password=credentials["password"], server=credentials["server"],
                     timeout=timeout):
            return True
        failure = self.failure()
        if failure.code > IPC_FAILURE:
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
        # A symbol that never had a quote answers a tick of zeros.
        tick = self.need(mt5.symbol_info_tick(symbol), NOT_FOUND)
        return tick._asdict() if tick and tick.time else None

    def ticks(self, symbols):
        return [self.symbolInfoTick(symbol) for symbol in symbols]

    def copyRatesFromPos(self, symbol, timeframe, start, count):
        return self._columns(symbol, mt5.copy_rates_from_pos(symbol, timeframe, start, count), RATE_COLUMNS)

    def copyRatesRange(self, symbol, timeframe, first, last):
        return self._columns(symbol, mt5.copy_rates_range(symbol, timeframe, int(first), int(last)), RATE_COLUMNS)

    def copyTicksRange(self, symbol, first, last, flags):
        # The package takes whole seconds; the milliseconds are cut out here.
        array = mt5.copy_ticks_range(symbol, int(first // 1000), int(-(-last // 1000)), flags)
        found = self._columns(symbol, array, TICK_COLUMNS)
        keep = found and [first <= msc <= last for msc in found["time_msc"]]
        return found and {name: [cell for cell, kept in zip(column, keep) if kept] for name, column in found.items()}

    def _columns(self, symbol, array, names):
        if array is None:
            failure = self.failure()
            if failure.code > IPC_FAILURE and self.symbolInfo(symbol) is None:
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

    def orderSend(self, _intent, request, _max_wait=None):
        """Exactly one order_send; only last_error -2 proves that the package kept the request to itself."""
        try:
            prepared = package_request(request)
        except (KeyError, TypeError, ValueError) as error:
            return {"kind": "refused", "lastError": {"code": INVALID_PARAMS, "message": "Invalid params: %r" % error}}
        answer = mt5.order_send(prepared)
        if answer is not None:
            result = answer._asdict()
            result.pop("request", None)
            return {"kind": "answered", "result": result}
        failure = self.failure()
        said = {"code": failure.code, "message": failure.message}
        if failure.code == INVALID_PARAMS:
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


def history(call, **query):
    """The two dates are positional, everything else is named."""
    dates = (int(query.pop("from")), int(query.pop("to"))) if "from" in query else ()
    return call(*dates, **query)


def package_request(request):
    return {name: kind(request[name]) for name, kind in REQUEST_FIELDS.items()}


class Lane:
    """Calls on their way to the one worker: sends overtake reads, and both are bounded."""

    def __init__(self):
        self.waiting = queue.PriorityQueue()
        self.order = itertools.count()

    def push(self, is_send, peer, message):
        if self.waiting.qsize() >= MAX_WAITING * (2 if is_send else 1):
            return False
        self.waiting.put((0 if is_send else 1, next(self.order), time.monotonic(), peer, message))
        return True

    def stop(self):
        self.waiting.put((-1, next(self.order), 0, None, None))


def work(terminal, lane):
    """The only thread that touches the package."""
    while True:
        _, _, since, peer, message = lane.waiting.get()
        if peer is None:
            return terminal.shutdown()
        if peer.gone:
            continue  # nobody waits for it any more; above all, a send must not be made for nobody
        method, params = message["method"], message.get("params") or []
        try:
            if method == "orderSend" and len(params) > 2 and (time.monotonic() - since) * 1000 >= params[2]:
                peer.error(message["id"], -1, "the deadline passed before the call began", "refused")
            else:
                peer.answer(message["id"], getattr(terminal, method)(*params))
        except CallFailed as failure:
            peer.error(message["id"], failure.code, failure.message, failure.kind)
        except Exception as error:  # a peer's nonsense, or the package's, must not end the worker
            logging.warning("%s failed: %r" % (method, error))
            peer.error(message["id"], -1, "the call failed in an unforeseen way", "failed")


class Peer:
    """The one connected gateway."""

    def __init__(self, connection, token, terminal, lane):
        self.connection, self.token, self.terminal, self.lane = connection, token, terminal, lane
        self.writing = threading.Lock()
        self.greeted = self.gone = False

    def serve(self):
        try:
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connection.settimeout(HELLO_TIMEOUT)
            held = bytearray()
            while True:
                chunk = self.connection.recv(1 << 16)
                if not chunk:
                    return
                start = len(held)
                held += chunk
                while (end := held.find(b"\n", start)) != -1:
                    line, start = bytes(held[:end]), 0
                    del held[:end + 1]
                    if len(line) > MAX_LINE or not self.take(line):
                        return
                if len(held) > MAX_LINE:
                    return
        except Exception as error:  # whatever a peer sends ends its own connection and nothing else
            logging.warning("peer gone: %r" % error)
        finally:
            self.gone = True
            self.connection.close()

    def take(self, line):
        """Handles one message; False ends the connection."""
        try:
            message = json.loads(line.decode("utf-8"))
        except ValueError:
            return False
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return False
        method, number = message.get("method"), message.get("id")
        if method is None or number is None:
            return True  # an answer or a notification: nothing here waits for either
        if not isinstance(number, int) or isinstance(number, bool):
            return False
        if not self.greeted:
            return self.greet(number, method, message.get("params"))
        if method == "ping":
            self.answer(number, "pong")
        elif method not in METHODS or not isinstance(message.get("params") or [], list):
            self.error(number, INVALID_PARAMS, "there is no such method", "protocol")
        elif not self.lane.push(method == "orderSend", self, message):
            self.error(number, -1, "too many calls are waiting", "busy")
        return True

    def greet(self, number, method, params):
        params = params if isinstance(params, dict) else {}
        token = params.get("token") if isinstance(params.get("token"), str) else ""
        given = hashlib.sha256(token.encode("utf-8", "replace")).digest()
        if method != "hello" or not hmac.compare_digest(given, hashlib.sha256(self.token.encode()).digest()):
            self.error(number, AUTH_FAILED, "not authorised", "unauthorised")
            return False
        if params.get("protocol") != PROTOCOL:
            self.error(number, -5, "this side speaks protocol %d" % PROTOCOL, "protocol")
            return False
        self.greeted = True
        self.connection.settimeout(PEER_TIMEOUT)
        login = {"login": self.terminal.login_number} if self.terminal.login_number else {}
        self.answer(number, {"driver": "bridge", "build": self.terminal.build, **login})
        return True

    def answer(self, number, result):
        text = encode({"jsonrpc": "2.0", "id": number, "result": result})
        if len(text) > MAX_LINE:
            self.error(number, NO_MEMORY, "the answer is too large; ask for less", "failed")
        else:
            self.write(text)

    def error(self, number, code, message, kind):
        said = {"code": code, "message": message, "data": {"kind": kind}}
        self.write(encode({"jsonrpc": "2.0", "id": number, "error": said}))

    def write(self, text):
        try:
            with self.writing:
                self.connection.sendall(text + b"\n")
        except OSError:
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)  # wakes the reading thread, which does the rest


def encode(message):
    try:
        return json.dumps(message, allow_nan=False, separators=(",", ":")).encode("utf-8")
    except ValueError:
        return encode(finite(message))


def finite(value):
    """JSON has no infinity: such a field is said to be missing rather than to be something it is not."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def accept(listener, token, terminal, lane):
    """Serves one gateway at a time; another one is told so and turned away."""
    served = None
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        peer = Peer(connection, token, terminal, lane)
        if served is not None:
            served.join(1)  # one that has just left may not have been noticed yet
            if served.is_alive():
                peer.error(None, -1, "another gateway is connected", "busy")
                connection.close()
                continue
        served = threading.Thread(target=peer.serve, name="peer", daemon=True)
        served.start()


def main():
    options = argparse.ArgumentParser(description="Serves the MetaTrader 5 terminal beside it to the trading gateway.")
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=18812, help="0 takes a free one")
    options.add_argument("--terminal", default=os.environ.get("TERMINAL_PATH"), help="path of terminal64.exe")
    chosen, portable = options.parse_args(), os.environ.get("TERMINAL_PORTABLE") == "1"
    logging.basicConfig(format="mt5-bridge: %(message)s")
    token = os.environ.get("TERMINAL_BRIDGE_TOKEN", "")
    if not token:
        sys.exit("mt5-bridge: TERMINAL_BRIDGE_TOKEN must be set")
    stop = threading.Event()
    for name in ("SIGTERM", "SIGINT", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: stop.set())
    terminal, lane = Terminal(chosen.terminal, portable), Lane()
    worker = threading.Thread(target=work, args=(terminal, lane), name="terminal", daemon=True)
    worker.start()
    with socket.create_server((chosen.host, chosen.port)) as listener:
        threading.Thread(target=accept, args=(listener, token, terminal, lane), name="accept", daemon=True).start()
        print("listening on %d" % listener.getsockname()[1], flush=True)
        while not stop.wait(0.2):  # short, because Windows does not interrupt a long wait for a signal
            pass
    lane.stop()
    worker.join(5)


if __name__ == "__main__":
    main()
