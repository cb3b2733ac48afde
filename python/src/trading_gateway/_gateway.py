# Written by scripts/generate.py from _gateway_async.py. Do not edit.
"""The client: reads, trade requests under keys, and streams."""

from __future__ import annotations

import time
import json
import os
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, TypeVar

import httpx

from . import _generated as records
from ._config import address_of
from ._errors import NotReached
from ._rows import BARS, TICKS, Columns, Event, Instant, Row, Table, built, given, instant
from ._transport import Transport
from ._wire import ROWS, TradeRequest, new_key, quoted

_Record = TypeVar("_Record")


class Events:
    """The events of a stream, for ever. Raises Refused; a lost connection is opened again."""

    def __init__(self, transport: Transport, path: str, query: dict[str, Any], last: int | None) -> None:
        self._transport = transport
        self._path = path
        self._query = query
        self._last = last
        self._response: httpx.Response | None = None
        self._lines: Iterator[str] | None = None
        self._process = os.getpid()
        self._inherited: httpx.Response | None = None
        self._pause = 0.1

    def __iter__(self) -> Events:
        return self

    def __next__(self) -> Event:
        while True:
            try:
                event = self._next_event()
            except NotReached:
                self.close()
                time.sleep(self._pause)
                self._pause = min(5.0, self._pause * 2)
                continue
            self._pause = 0.1
            self._last = self._last if event.id is None else event.id
            return event

    def close(self) -> None:
        """Ends the connection; the next event opens another one."""
        response, self._response, self._lines = self._response, None, None
        if response is not None:
            response.close()

    def _next_event(self) -> Event:
        name, number, data = "message", None, ""
        while True:
            line = self._line()
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "event":
                name = value
            elif field == "id":
                number = int(value)
            elif field == "data":
                data += value
            elif line == "" and data:
                return Event(name, number, json.loads(data))

    def _line(self) -> str:
        if self._process != os.getpid():
            # After a fork, the connection is still the parent's: not closed, and another one continues from the last event.
            self._inherited, self._response, self._lines, self._process = self._response, None, None, os.getpid()
        if self._lines is None:
            headers = {} if self._last is None else {"Last-Event-ID": str(self._last)}
            self._response = self._transport.stream(self._path, self._query, headers)
            self._lines = self._response.iter_lines()
        try:
            line = next(self._lines, None)
        except httpx.HTTPError as problem:
            raise NotReached(f"GET {self._path}: {problem}", sent=True) from problem
        if line is None:
            raise NotReached(f"GET {self._path}: the stream ended", sent=True)
        return line


class Gateway:
    """A gateway and its account. Use it with `async with`, or call `close()`.

    `url` and `api_key` come from GATEWAY_URL and API_KEY if they are not given. With `login`, the gateway refuses every request while
    another account is logged in. `timeout` (s) is that of one attempt; `patience` (s) is how long a trade request is repeated.

    Reads raise NotReached if there is no answer, and a subclass of Refused for each `error_type`. Trade requests raise Refused if nothing
    was done, and UnknownOutcome if that is not known.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        login: int | None = None,
        fence: str | None = None,
        timeout: float = 30.0,
        patience: float = 60.0,
    ) -> None:
        headers = {} if fence is None else {"X-Fence": fence}
        self._transport = Transport(
            address_of(login, url=url, api_key=api_key), timeout=timeout, patience=patience, headers=headers
        )
        if login is not None:
            self._transport.expect(login)

    def __enter__(self) -> Gateway:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    # Reads

    def health(self) -> records.HealthResponse:
        """The state of the gateway."""
        return self._record(records.HealthResponse, "/health")

    def account(self) -> records.AccountResponse:
        """The account. Money in the deposit currency."""
        return self._record(records.AccountResponse, "/account")

    def equity(
        self, since: Instant | None = None, every_minutes: int | None = None
    ) -> Table[records.EquityReadingResponse]:
        """Balance and equity as recorded each minute, or the first of each span of `every_minutes`. All pages."""
        query = {"since": instant(since), "every_minutes": every_minutes, "limit": 10_000}
        return self._pages(records.EquityReadingResponse, "/account/equity", query, "since")

    def terminal(self) -> records.TerminalInfoResponse:
        """The terminal behind the gateway."""
        return self._record(records.TerminalInfoResponse, "/terminal_info")

    def symbols(self, group: str | None = None) -> Table[records.SymbolRecord]:
        """The full records of the symbols; `group` is a mask such as `*USD*,!EUR*`."""
        return self._table(records.SymbolRecord, "/symbols_get", group=group)

    def symbol(self, name: str) -> records.SymbolInfoResponse:
        return self._record(records.SymbolInfoResponse, f"/symbol_info/{quoted(name)}")

    def quote(self, symbol: str) -> records.TickResponse:
        """The last quote, and its age in seconds."""
        return self._record(records.TickResponse, f"/symbol_info_tick/{quoted(symbol)}")

    def bars(self, symbol: str, timeframe: str = "M1", count: int = 100, *, start: int = 0) -> Columns:
        """The last `count` bars; with `start` 0 the last one is still forming. `timeframe` is M1 to MN1."""
        query = {"symbol": symbol, "timeframe": timeframe, "num_bars": count, "start_pos": start}
        return self._columns(BARS, "/fetch_data_pos", query)

    def bars_until(self, symbol: str, timeframe: str, date: Instant, count: int = 100) -> Columns:
        """The last `count` bars that open at a time or before it."""
        query = {"symbol": symbol, "timeframe": timeframe, "date": instant(date), "num_bars": count}
        return self._columns(BARS, "/copy_rates_from", query)

    def bars_between(self, symbol: str, timeframe: str, start: Instant, end: Instant) -> Columns:
        """The bars that open in a span, both ends inclusive."""
        query = {"symbol": symbol, "timeframe": timeframe, "start": instant(start), "end": instant(end)}
        return self._columns(BARS, "/fetch_data_range", query)

    def ticks_from(self, symbol: str, start: Instant, count: int = 1000, *, flags: str = "all") -> Columns:
        """The first `count` ticks from a time on; `flags` is all, info (quotes) or trade."""
        query = {"symbol": symbol, "from_date": instant(start), "num_ticks": count, "flags": flags}
        return self._columns(TICKS, "/copy_ticks_from", query)

    def ticks_between(self, symbol: str, start: Instant, end: Instant, *, flags: str = "all") -> Columns:
        """The ticks of a span, both ends inclusive."""
        query = {"symbol": symbol, "from_date": instant(start), "to_date": instant(end), "flags": flags}
        return self._columns(TICKS, "/copy_ticks_range", query)

    def positions(
        self, *, symbol: str | None = None, magic: int | None = None, ticket: int | None = None
    ) -> Table[records.PositionRow]:
        """The open positions. Volumes in lots."""
        return self._table(records.PositionRow, "/get_positions", symbol=symbol, magic=magic, ticket=ticket)

    def orders(
        self, *, symbol: str | None = None, magic: int | None = None, ticket: int | None = None
    ) -> Table[records.KeyedOrderRow]:
        """The pending orders."""
        return self._table(records.KeyedOrderRow, "/orders", symbol=symbol, magic=magic, ticket=ticket)

    def book(self, symbol: str) -> Table[records.BookRow]:
        """The market depth: sells, then buys, each by descending price."""
        return self._table(records.BookRow, f"/market_book/{quoted(symbol)}")

    def deals(
        self,
        start: Instant | None = None,
        end: Instant | None = None,
        *,
        position: int | None = None,
        order: int | None = None,
    ) -> Table[records.KeyedDealRow]:
        """The deals of a span, of a position or of an order; without a start those of the last 31 days. All pages."""
        span = {"from_date": instant(start), "to_date": instant(end)}
        return self._pages(records.KeyedDealRow, "/history_deals_get", {**span, "position": position, "order": order})

    def past_orders(
        self,
        start: Instant | None = None,
        end: Instant | None = None,
        *,
        position: int | None = None,
        ticket: int | None = None,
    ) -> Table[records.KeyedOrderRow]:
        """Completed orders, as `deals`."""
        span = {"from_date": instant(start), "to_date": instant(end)}
        return self._pages(records.KeyedOrderRow, "/history_orders_get", {**span, "position": position, "ticket": ticket})

    def summary(self, position: int) -> records.PositionSummaryResponse:
        """What the deals of a position add up to."""
        return self._record(records.PositionSummaryResponse, "/get_deal_from_ticket", position=position)

    def margin(self, symbol: str, volume: float, type: str = "BUY", price: float | None = None) -> float:
        """The margin of an order, in the deposit currency."""
        body = given(symbol=symbol, volume=volume, type=type, price=price)
        return built(records.CalcMarginResponse, self._transport.read("/order_calc_margin", body=body)).margin

    def profit(self, symbol: str, volume: float, type: str, price_open: float, price_close: float) -> float:
        """The profit between two prices, in the deposit currency."""
        body = given(symbol=symbol, volume=volume, type=type, price_open=price_open, price_close=price_close)
        return built(records.CalcProfitResponse, self._transport.read("/order_calc_profit", body=body)).profit

    def reconcile(self, *, magic: int | None = None) -> records.ReconcileResponse:
        """What the broker has, and which requests have no known outcome."""
        return self._record(records.ReconcileResponse, "/reconcile", magic=magic)

    def trade_request(self, key: str) -> records.TradeRequestResponse:
        """What the journal has of a key."""
        return self._record(records.TradeRequestResponse, f"/trade_requests/{quoted(key)}")

    # Trade requests. Without a `key` each call makes one; the same key is done once, however often it is sent.

    def order(
        self,
        symbol: str,
        volume: float,
        type: str = "BUY",
        *,
        price: float | None = None,
        stoplimit: float | None = None,
        sl: float | None = None,
        tp: float | None = None,
        deviation: int | None = None,
        magic: int | None = None,
        comment: str | None = None,
        type_filling: str | None = None,
        expiration: Instant | None = None,
        key: str | None = None,
    ) -> records.OrderResponse:
        """Places an order. `type` is BUY, SELL or a pending type such as BUY_LIMIT; volume in lots, deviation in points."""
        body = given(symbol=symbol, volume=volume, type=type, price=price, stoplimit=stoplimit, sl=sl, tp=tp, deviation=deviation)
        more = given(magic=magic, comment=comment, type_filling=type_filling, expiration=instant(expiration))
        return built(records.OrderResponse, self._trade("POST", "/order", {**body, **more}, key))

    def order_send(self, request: Mapping[str, Any], *, key: str | None = None) -> records.OrderSendResponse:
        """Sends a trade request in the terminal's own fields and numbers: the only one that closes a position by another."""
        return built(records.OrderSendResponse, self._trade("POST", "/order_send", dict(request), key))

    def order_check(self, request: Mapping[str, Any]) -> records.OrderCheckResponse:
        """The terminal's opinion on a trade request in its own fields, as `order_send` takes it. Nothing is sent."""
        return built(records.OrderCheckResponse, self._transport.read("/order_send/check", body=dict(request)))

    def protect(
        self,
        position: int,
        *,
        sl: float | None = None,
        tp: float | None = None,
        clear_sl: bool = False,
        clear_tp: bool = False,
        key: str | None = None,
    ) -> records.ModifyLevelsResponse:
        """Changes the levels of a position; a level that is not given is kept."""
        body = given(position=position, sl=sl, tp=tp, clear_sl=clear_sl or None, clear_tp=clear_tp or None)
        return built(records.ModifyLevelsResponse, self._trade("POST", "/modify_sl_tp", body, key))

    def close_position(
        self, position: int, volume: float | None = None, *, deviation: int | None = None, key: str | None = None
    ) -> records.PositionClosedResponse:
        """Closes a position, or so many lots of it."""
        body = given(ticket=position, volume=volume, deviation=deviation)
        return built(records.PositionClosedResponse, self._trade("POST", "/close_position", body, key))

    def close_all(
        self, *, symbol: str | None = None, magic: int | None = None, type: str | None = None, key: str | None = None
    ) -> records.CloseAllResponse:
        """Closes the positions that match; `failed` has those that were not closed."""
        body = given(symbol=symbol, magic=magic, order_type=type)
        return built(records.CloseAllResponse, self._trade("POST", "/close_all_positions", body, key))

    def change_order(
        self,
        ticket: int,
        *,
        price: float | None = None,
        stoplimit: float | None = None,
        sl: float | None = None,
        tp: float | None = None,
        clear_sl: bool = False,
        clear_tp: bool = False,
        expiration: Instant | None = None,
        clear_expiration: bool = False,
        key: str | None = None,
    ) -> records.OrderModifiedResponse:
        """Changes a pending order; what is not given is kept."""
        body = given(price=price, stoplimit=stoplimit, sl=sl, tp=tp, expiration=instant(expiration))
        flags = given(clear_sl=clear_sl or None, clear_tp=clear_tp or None, clear_expiration=clear_expiration or None)
        return built(records.OrderModifiedResponse, self._trade("PUT", f"/orders/{ticket}", {**body, **flags}, key))

    def cancel_order(self, ticket: int, *, key: str | None = None) -> records.OrderCancelledResponse:
        """Cancels a pending order."""
        return built(records.OrderCancelledResponse, self._trade("DELETE", f"/orders/{ticket}", None, key))

    def void(self, key: str) -> bool:
        """True if nothing was sent under a key and nothing ever will be."""
        return bool((self._transport.put(f"/trade_requests/{quoted(key)}/void"))["status"] == "void")

    def kill(self) -> records.KillResponse:
        """Halts trading."""
        return built(records.KillResponse, self._transport.post("/kill"))

    def release(self) -> records.ReleaseResponse:
        """Lets trading resume."""
        return built(records.ReleaseResponse, self._transport.post("/kill/release"))

    # Streams

    def events(self, *, since: int | None = None, magic: int | None = None) -> Events:
        """Positions, orders and deals as they change, for ever. After a lost connection it continues with the event after the last one;
        `resync` means that events are no longer kept: read the lists again. `since`: the number of the last event that you have."""
        return Events(self._transport, "/stream/trades", given(magic=magic), since)

    def ticks(self, *symbols: str) -> Events:
        """Quotes as they change, for ever. A slow reader gets only the newest quote of each symbol."""
        return Events(self._transport, "/stream/ticks", {"symbols": ",".join(symbols)}, None)

    def _record(self, kind: type[_Record], path: str, **query: Any) -> _Record:
        return built(kind, self._transport.read(path, given(**query)))

    def _table(self, kind: type[Row], path: str, **query: Any) -> Table[Row]:
        body = self._transport.read(path, given(**query))
        return Table(kind, [built(kind, row) for row in body["data"]])

    def _pages(self, kind: type[Row], path: str, query: dict[str, Any], cursor: str = "cursor") -> Table[Row]:
        rows: list[Row] = []
        while True:
            body = self._transport.read(path, given(**query))
            rows += [built(kind, row) for row in body["data"]]
            query = {**query, cursor: body[f"next_{cursor}"]}
            if query[cursor] is None:
                return Table(kind, rows)

    def _columns(self, kind: Any, path: str, query: dict[str, Any]) -> Columns:
        return Columns.of(self._transport.read(path, query, accept=ROWS), kind)

    def _trade(self, method: str, path: str, body: dict[str, Any] | None, key: str | None) -> dict[str, Any]:
        request = TradeRequest(method, path, body, key or new_key())
        return (self._transport.trade(request)).body
