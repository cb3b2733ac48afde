"""A small bot with nothing but Python's standard library: one look at the market, one trade, out again.

    API_KEY=... python3 examples/python/bot.py
"""

import http.client
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

URL = os.environ.get("GATEWAY_URL", "http://127.0.0.1:5001").rstrip("/")
KEY = os.environ.get("API_KEY", "")
SYMBOL = os.environ.get("SYMBOL", "EURUSD")
VOLUME = float(os.environ.get("VOLUME", "0.1"))
MAGIC = 4002
ATTEMPTS = 5
# How long one trade request is repeated. The gateway finds most outcomes within a minute.
PATIENCE_SECONDS = float(os.environ.get("PATIENCE_SECONDS") or "120")

# Names this run; every trade request has a key of its own, generated once and kept until its outcome is known.
RUN = f"py-{uuid.uuid4()}"


class Refused(Exception):
    """A rejection: nothing was done."""


class UnknownOutcome(Exception):
    """It may have been done: only the same key may be sent again."""


def request(method, path, body=None, headers=None, timeout=30):
    """One exchange: status, headers and the parsed body. Raises OSError if there is no answer that can be read."""
    data = None if body is None else json.dumps(body).encode()
    sent = {"Authorization": f"Bearer {KEY}", **(headers or {})}
    if data is not None:
        sent["Content-Type"] = "application/json"
    call = urllib.request.Request(URL + path, data=data, headers=sent, method=method)
    try:
        try:
            with urllib.request.urlopen(call, timeout=timeout) as answer:
                status, received, said = answer.status, answer.headers, json.load(answer)
        except urllib.error.HTTPError as error:
            status, received, said = error.code, error.headers, json.load(error)
    except (ValueError, http.client.HTTPException) as problem:
        # Cut off, or from something in between: a proxy answers in HTML.
        raise OSError(f"{method} {path}: no answer of the gateway") from problem
    # Every answer of the gateway says whether it is a success; a proxy may answer in JSON, too.
    if not isinstance(said, dict) or said.get("ok") is not (status < 400):
        raise OSError(f"{method} {path}: no answer of the gateway")
    return status, received, said


def read(path, **query):
    """A read can simply be retried."""
    target = f"{path}?{urllib.parse.urlencode(query)}" if query else path
    for attempt in range(ATTEMPTS):
        try:
            status, _headers, body = request("GET", target)
            if status == 200:
                return body
            if status < 500:
                raise Refused(body["error"])
            failure = OSError(body["error"])
        except OSError as problem:
            failure = problem
        time.sleep(2**attempt / 10)
    raise failure


def trade(path, body, key):
    """Sends under one key until the outcome is known: the key makes sure that it is done once, however often it is sent.

    4xx other than 409 is a definite no to the first send. Everything else, silence included, may have been done; after that, a 4xx is a
    no to the repetition only, until the key is void.
    """
    maybe_sent = False
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        try:
            status, headers, answer = request("POST", path, body, {"Idempotency-Key": key})
        except OSError:
            maybe_sent = True
            time.sleep(1)
            continue
        if status == 200:
            return answer, headers.get("Idempotent-Replayed") == "true"
        if 400 <= status < 500 and status != 409 and "error_type" in answer:
            if not maybe_sent or answer["error_type"] == "broker_rejected" or is_void(key):
                raise Refused(answer["error"])
        else:
            maybe_sent = True
        time.sleep(float(headers.get("Retry-After", "1")))
    raise UnknownOutcome(f"the outcome of {key} is not known yet: send it again under the same key, or see /reconcile")


def is_void(key):
    """Whether nothing was sent under a key, and nothing will be."""
    try:
        status, _headers, body = request("PUT", f"/trade_requests/{key}/void")
    except OSError:
        return False
    return status == 200 and body["status"] == "void"


class TradeEvents(threading.Thread):
    """Follows /stream/trades until the position is closed; after a break it continues from the last event that it received."""

    def __init__(self):
        super().__init__(daemon=True)
        self.events = []
        self.listening = threading.Event()
        self.last_id = None

    def run(self):
        while not self.is_over():
            try:
                self.follow()
            except (OSError, http.client.HTTPException):
                time.sleep(0.5)

    def follow(self):
        headers = {"Authorization": f"Bearer {KEY}"}
        if self.last_id is not None:
            headers["Last-Event-ID"] = self.last_id
        call = urllib.request.Request(f"{URL}/stream/trades?magic={MAGIC}", headers=headers)
        # The gateway sends a comment every 15 seconds, so a minute of silence means a dead connection.
        with urllib.request.urlopen(call, timeout=60) as stream:
            self.listening.set()
            name = event_id = None
            for line in stream:
                field, _colon, value = line.decode().rstrip("\n").partition(": ")
                if field == "id":
                    event_id = value
                elif field == "event":
                    name = value
                elif field == "data":
                    self.take(name, json.loads(value))
                elif field == "" and event_id is not None:
                    self.last_id, event_id = event_id, None
                if self.is_over():
                    return

    def take(self, name, event):
        if name == "resync":
            print("events were missed: read the positions again", file=sys.stderr)
        elif name in ("position", "order", "deal"):
            self.events.append(f"{event['event']} {event['action']}")

    def is_over(self):
        return "position closed" in self.events


def main():
    account = read("/account")
    digits = account["currency_digits"]
    print(f"account {account['login']}: {account['balance']:.{digits}f} {account['currency']}")

    bars = read("/fetch_data_pos", symbol=SYMBOL, timeframe="M1", num_bars=20)["data"]
    last = bars[-1]
    print(f"bars {SYMBOL} M1: {len(bars)}, the last of {last['time']} closes at {last['close']}")
    mean = sum(bar["close"] for bar in bars) / len(bars)
    side = "BUY" if last["close"] >= mean else "SELL"

    events = TradeEvents()
    events.start()
    if not events.listening.wait(30):
        raise OSError("the stream of trades cannot be had")

    order = {"symbol": SYMBOL, "volume": VOLUME, "type": side, "magic": MAGIC}
    placed, _replayed = trade("/order", order, f"{RUN}-open")
    ticket = placed["position"] or placed["result"]["order"]
    print(f"order {side} {VOLUME} {SYMBOL}: position {ticket}")

    again, replayed = trade("/order", order, f"{RUN}-open")
    print(f"replay: order {again['result']['order']} again, replayed {str(replayed).lower()}")

    (position,) = [row for row in read("/get_positions", magic=MAGIC)["data"] if row["ticket"] == ticket]
    below, above = (round(position["price_open"] * factor, 5) for factor in (0.99, 1.01))
    sl, tp = (below, above) if side == "BUY" else (above, below)
    trade("/modify_sl_tp", {"position": ticket, "sl": sl, "tp": tp}, f"{RUN}-protect")
    print(f"protected: sl {sl} tp {tp}")

    trade("/close_position", {"position": {"ticket": ticket}}, f"{RUN}-close")
    summary = read("/get_deal_from_ticket", ticket=ticket)
    result = sum(summary[part] for part in ("profit", "commission", "swap", "fee"))
    print(f"closed: result {result:.{digits}f} {account['currency']} in {summary['deals']} deals")

    events.join(30)
    print(f"events: {', '.join(events.events)}")


if __name__ == "__main__":
    try:
        main()
    except Refused as problem:
        sys.exit(f"refused: {problem}")
    except UnknownOutcome as problem:
        print(f"unknown: {problem}", file=sys.stderr)
        sys.exit(3)
    except OSError as problem:
        sys.exit(f"no answer: {problem}")
