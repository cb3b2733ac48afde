"""The client: reads, trade requests under keys, and streams."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Any, TypeVar

import httpx

from . import _generated as records
from ._config import address_of
from ._errors import NotReached
from ._rows import BARS, TICKS, Columns, Event, Instant, Row, Table, built, given, instant
from ._transport_async import AsyncTransport
from ._wire import ROWS, TradeRequest, new_key, quoted

_Record = TypeVar("_Record")


class AsyncEvents:
    """The events of a stream, for ever. Raises Refused; a lost connection is opened again."""

    def __init__(self, transport: AsyncTransport, path: str, query: dict[str, Any], last: int | None) -> None:
        self._transport = transport
        self._path = path
        self._query = query
        self._last = last
        self._response: httpx.Response | None = None
        self._lines: AsyncIterator[str] | None = None
        self._process = os.getpid()
        self._inherited: httpx.Response | None = None
        self._pause = 0.1

    def __aiter__(self) -> AsyncEvents:
        return self

    async def __anext__(self) -> Event:
        while True:
            try:
                event = await self._next_event()
            except NotReached:
                await self.close()
                await asyncio.sleep(self._pause)
                self._pause = min(5.0, self._pause * 2)
                continue
            self._pause = 0.1
            self._last = self._last if event.id is None else event.id
            return event

    async def close(self) -> None:
        """Ends the connection; the next event opens another one."""
        response, self._response, self._lines = self._response, None, None
        if response is not None:
            await response.aclose()

    async def _next_event(self) -> Event:
        name, number, data = "message", None, ""
        while True:
            line = await self._line()
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

    async def _line(self) -> str:
        if self._process != os.getpid():
            # After a fork, the connection is still the parent's: not closed, and another one continues from the last event.
            self._inherited, self._response, self._lines, self._process = self._response, None, None, os.getpid()
        if self._lines is None:
            headers = {} if self._last is None else {"Last-Event-ID": str(self._last)}
            self._response = await self._transport.stream(self._path, self._query, headers)
            self._lines = self._response.aiter_lines()
        try:
            line = await anext(self._lines, None)
        except httpx.HTTPError as problem:
            raise NotReached(f"GET {self._path}: {problem}", sent=True) from problem
        if line is None:
            raise NotReached(f"GET {self._path}: the stream ended", sent=True)
        return line


class AsyncGateway:
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
        self._transport = AsyncTransport(
            address_of(login, url=url, api_key=api_key), timeout=timeout, patience=patience, headers=headers
        )
        if login is not None:
            self._transport.expect(login)

    async def __aenter__(self) -> AsyncGateway:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        await self._transport.close()

    # Reads

    async def health(self) -> records.HealthResponse:
        """The state of the gateway."""
        return await self._record(records.HealthResponse, "/health")

    async def account(self) -> records.AccountResponse:
        """The account. Money in the deposit currency."""
        return await self._record(records.AccountResponse, "/account")

    async def equity(
        self, since: Instant | None = None, every_minutes: int | None = None
    ) -> Table[records.EquityReadingResponse]:
        """Balance and equity as recorded each minute, or the first of each span of `every_minutes`. All pages."""
        query = {"since": instant(since), "every_minutes": every_minutes, "limit": 10_000}
        return await self._pages(records.EquityReadingResponse, "/account/equity", query, "since")

    async def terminal(self) -> records.TerminalInfoResponse:
        """The terminal behind the gateway."""
        return await self._record(records.TerminalInfoResponse, "/terminal_info")

    async def symbols(self, group: str | None = None) -> Table[records.SymbolRecord]:
        """The full records of the symbols; `group` is a mask such as `*USD*,!EUR*`."""
        return await self._table(records.SymbolRecord, "/symbols_get", group=group)

    async def symbol(self, name: str) -> records.SymbolInfoResponse:
        return await self._record(records.SymbolInfoResponse, f"/symbol_info/{quoted(name)}")

    async def quote(self, symbol: str) -> records.TickResponse:
        """The last quote, and its age in seconds."""
        return await self._record(records.TickResponse, f"/symbol_info_tick/{quoted(symbol)}")

    async def bars(self, symbol: str, timeframe: str = "M1", count: int = 100, *, start: int = 0) -> Columns:
        """The last `count` bars; with `start` 0 the last one is still forming. `timeframe` is M1 to MN1."""
        query = {"symbol": symbol, "timeframe": timeframe, "num_bars": count, "start_pos": start}
        return await self._columns(BARS, "/fetch_data_pos", query)

    async def bars_until(self, symbol: str, timeframe: str, date: Instant, count: int = 100) -> Columns:
        """The last `count` bars that open at a time or before it."""
        query = {"symbol": symbol, "timeframe": timeframe, "date": instant(date), "num_bars": count}
        return await self._columns(BARS, "/copy_rates_from", query)

    async def bars_between(self, symbol: str, timeframe: str, start: Instant, end: Instant) -> Columns:
        """The bars that open in a span, both ends inclusive."""
        query = {"symbol": symbol, "timeframe": timeframe, "start": instant(start), "end": instant(end)}
        return await self._columns(BARS, "/fetch_data_range", query)

    async def ticks_from(self, symbol: str, start: Instant, count: int = 1000, *, flags: str = "all") -> Columns:
        """The first `count` ticks from a time on; `flags` is all, info (quotes) or trade."""
        query = {"symbol": symbol, "from_date": instant(start), "num_ticks": count, "flags": flags}
        return await self._columns(TICKS, "/copy_ticks_from", query)

    async def ticks_between(self, symbol: str, start: Instant, end: Instant, *, flags: str = "all") -> Columns:
        """The ticks of a span, both ends inclusive."""
        query = {"symbol": symbol, "from_date": instant(start), "to_date": instant(end), "flags": flags}
        return await self._columns(TICKS, "/copy_ticks_range", query)

    async def positions(
        self, *, symbol: str | None = None, magic: int | None = None, ticket: int | None = None
    ) -> Table[records.PositionRow]:
        """The open positions. Volumes in lots."""
        return await self._table(records.PositionRow, "/get_positions", symbol=symbol, magic=magic, ticket=ticket)

    async def orders(
        self, *, symbol: str | None = None, magic: int | None = None, ticket: int | None = None
    ) -> Table[records.KeyedOrderRow]:
        """The pending orders."""
        return await self._table(records.KeyedOrderRow, "/orders", symbol=symbol, magic=magic, ticket=ticket)

    async def book(self, symbol: str) -> Table[records.BookRow]:
        """The market depth: sells, then buys, each by descending price."""
        return await self._table(records.BookRow, f"/market_book/{quoted(symbol)}")

    async def deals(
        self,
        start: Instant | None = None,
        end: Instant | None = None,
        *,
        position: int | None = None,
        order: int | None = None,
    ) -> Table[records.KeyedDealRow]:
        """The deals of a span, of a position or of an order; without a start those of the last 31 days. All pages."""
        span = {"from_date": instant(start), "to_date": instant(end)}
        return await self._pages(records.KeyedDealRow, "/history_deals_get", {**span, "position": position, "order": order})

    async def past_orders(
        self,
        start: Instant | None = None,
        end: Instant | None = None,
        *,
        position: int | None = None,
        ticket: int | None = None,
    ) -> Table[records.KeyedOrderRow]:
        """Completed orders, as `deals`."""
        span = {"from_date": instant(start), "to_date": instant(end)}
        return await self._pages(records.KeyedOrderRow, "/history_orders_get", {**span, "position": position, "ticket": ticket})

    async def summary(self, position: int) -> records.PositionSummaryResponse:
        """What the deals of a position add up to."""
        return await self._record(records.PositionSummaryResponse, "/get_deal_from_ticket", position=position)

    async def margin(self, symbol: str, volume: float, type: str = "BUY", price: float | None = None) -> float:
        """The margin of an order, in the deposit currency."""
        body = given(symbol=symbol, volume=volume, type=type, price=price)
        return built(records.CalcMarginResponse, await self._transport.read("/order_calc_margin", body=body)).margin

    async def profit(self, symbol: str, volume: float, type: str, price_open: float, price_close: float) -> float:
        """The profit between two prices, in the deposit currency."""
        body = given(symbol=symbol, volume=volume, type=type, price_open=price_open, price_close=price_close)
        return built(records.CalcProfitResponse, await self._transport.read("/order_calc_profit", body=body)).profit

    async def reconcile(self, *, magic: int | None = None) -> records.ReconcileResponse:
        """What the broker has, and which requests have no known outcome."""
        return await self._record(records.ReconcileResponse, "/reconcile", magic=magic)

    async def trade_request(self, key: str) -> records.TradeRequestResponse:
        """What the journal has of a key."""
        return await self._record(records.TradeRequestResponse, f"/trade_requests/{quoted(key)}")

    # Trade requests. Without a `key` each call makes one; the same key is done once, however often it is sent.

    async def order(
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
        return built(records.OrderResponse, await self._trade("POST", "/order", {**body, **more}, key))

    async def order_send(self, request: Mapping[str, Any], *, key: str | None = None) -> records.OrderSendResponse:
        """Sends a trade request in the terminal's own fields and numbers: the only one that closes a position by another."""
        return built(records.OrderSendResponse, await self._trade("POST", "/order_send", dict(request), key))

    async def order_check(self, request: Mapping[str, Any]) -> records.OrderCheckResponse:
        """The terminal's opinion on a trade request in its own fields, as `order_send` takes it. Nothing is sent."""
        return built(records.OrderCheckResponse, await self._transport.read("/order_send/check", body=dict(request)))

    async def protect(
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
        return built(records.ModifyLevelsResponse, await self._trade("POST", "/modify_sl_tp", body, key))

    async def close_position(
        self, position: int, volume: float | None = None, *, deviation: int | None = None, key: str | None = None
    ) -> records.PositionClosedResponse:
        """Closes a position, or so many lots of it."""
        body = given(ticket=position, volume=volume, deviation=deviation)
        return built(records.PositionClosedResponse, await self._trade("POST", "/close_position", body, key))

    async def close_all(
        self, *, symbol: str | None = None, magic: int | None = None, type: str | None = None, key: str | None = None
    ) -> records.CloseAllResponse:
        """Closes the positions that match; `failed` has those that were not closed."""
        body = given(symbol=symbol, magic=magic, order_type=type)
        return built(records.CloseAllResponse, await self._trade("POST", "/close_all_positions", body, key))

    async def change_order(
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
        return built(records.OrderModifiedResponse, await self._trade("PUT", f"/orders/{ticket}", {**body, **flags}, key))

    async def cancel_order(self, ticket: int, *, key: str | None = None) -> records.OrderCancelledResponse:
        """Cancels a pending order."""
        return built(records.OrderCancelledResponse, await self._trade("DELETE", f"/orders/{ticket}", None, key))

    async def void(self, key: str) -> bool:
        """True if nothing was sent under a key and nothing ever will be."""
        return bool((await self._transport.put(f"/trade_requests/{quoted(key)}/void"))["status"] == "void")

    async def kill(self) -> records.KillResponse:
        """Halts trading."""
        return built(records.KillResponse, await self._transport.post("/kill"))

    async def release(self) -> records.ReleaseResponse:
        """Lets trading resume."""
        return built(records.ReleaseResponse, await self._transport.post("/kill/release"))

    # Streams

    def events(self, *, since: int | None = None, magic: int | None = None) -> AsyncEvents:
        """Positions, orders and deals as they change, for ever. After a lost connection it continues with the event after the last one;
        `resync` means that events are no longer kept: read the lists again. `since`: the number of the last event that you have."""
        return AsyncEvents(self._transport, "/stream/trades", given(magic=magic), since)

    def ticks(self, *symbols: str) -> AsyncEvents:
        """Quotes as they change, for ever. A slow reader gets only the newest quote of each symbol."""
        return AsyncEvents(self._transport, "/stream/ticks", {"symbols": ",".join(symbols)}, None)

    async def _record(self, kind: type[_Record], path: str, **query: Any) -> _Record:
        return built(kind, await self._transport.read(path, given(**query)))

    async def _table(self, kind: type[Row], path: str, **query: Any) -> Table[Row]:
        body = await self._transport.read(path, given(**query))
        return Table(kind, [built(kind, row) for row in body["data"]])

    async def _pages(self, kind: type[Row], path: str, query: dict[str, Any], cursor: str = "cursor") -> Table[Row]:
        rows: list[Row] = []
        while True:
            body = await self._transport.read(path, given(**query))
            rows += [built(kind, row) for row in body["data"]]
            query = {**query, cursor: body[f"next_{cursor}"]}
            if query[cursor] is None:
                return Table(kind, rows)

    async def _columns(self, kind: Any, path: str, query: dict[str, Any]) -> Columns:
        return Columns.of(await self._transport.read(path, query, accept=ROWS), kind)

    async def _trade(self, method: str, path: str, body: dict[str, Any] | None, key: str | None) -> dict[str, Any]:
        request = TradeRequest(method, path, body, key or new_key())
        return (await self._transport.trade(request)).body
