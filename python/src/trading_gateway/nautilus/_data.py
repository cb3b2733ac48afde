"""The data client: quotes, bars and instruments."""

from __future__ import annotations

import asyncio
from typing import Any

from nautilus_trader.common import Clock, Logger
from nautilus_trader.live import (
    BarsResponse,
    ClientCache,
    InstrumentResponse,
    InstrumentsResponse,
    QuotesResponse,
    RequestBars,
    RequestInstrument,
    RequestInstruments,
    RequestQuotes,
    RequestTrades,
    SubscribeBars,
    SubscribeBookDeltas,
    SubscribeInstrument,
    SubscribeInstruments,
    SubscribeQuotes,
    SubscribeTrades,
    UnsubscribeBars,
    UnsubscribeBookDeltas,
    UnsubscribeInstrument,
    UnsubscribeInstruments,
    UnsubscribeQuotes,
    UnsubscribeTrades,
)
from nautilus_trader.live.clients import DataClientFactory, MarketDataClient
from nautilus_trader.model import Bar, BarAggregation, BarType, PriceType, Quantity, QuoteTick, Venue

from .._config import Address
from .._errors import GatewayError
from .._gateway_async import AsyncGateway
from .._transport_async import AsyncTransport
from ._config import VENUE, GatewayDataClientConfig, address
from ._instruments import GatewayInstrumentProvider, price_of
from ._times import iso, nanoseconds

_MINUTE = 60 * 10**9
_HOUR, _DAY = 60 * _MINUTE, 24 * 60 * _MINUTE
#: Name at the gateway and length, by aggregation and step.
_TIMEFRAMES: dict[tuple[Any, int], tuple[str, int]] = {
    **{(BarAggregation.MINUTE, step): (f"M{step}", step * _MINUTE) for step in (1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30)},
    **{(BarAggregation.HOUR, step): (f"H{step}", step * _HOUR) for step in (1, 2, 3, 4, 6, 8, 12)},
    (BarAggregation.DAY, 1): ("D1", _DAY),
    (BarAggregation.WEEK, 1): ("W1", 7 * _DAY),
}
#: Without a start, a request covers so much before its end.
_SPAN = _DAY
#: Rows that one request of the gateway returns at most, by its default MAX_NUM_BARS.
_ROWS = 10_000


def timeframe_of(bar_type: BarType) -> tuple[str, int]:
    """The timeframe of the terminal and its length in nanoseconds. Raises ValueError for bars that the terminal does not have."""
    spec = bar_type.spec
    if not bar_type.is_externally_aggregated() or bar_type.is_composite():
        raise ValueError(f"{bar_type} is aggregated inside the node: subscribe to its quotes")
    if spec.price_type != PriceType.BID:
        raise ValueError(f"{bar_type} has price type {spec.price_type}; the bars of the terminal are those of the bid: use BID")
    found = _TIMEFRAMES.get((spec.aggregation, spec.step))
    if found is None:
        raise ValueError(f"{bar_type} is no timeframe of the terminal; it has 1 to 30 MINUTE, 1 to 12 HOUR, 1-DAY and 1-WEEK")
    return found


class GatewayDataClient(MarketDataClient):
    """Quotes from the gateway's stream; bars by reads, each once and only after it has closed; history by request.

    The sizes of a quote are the largest order that the broker takes: the terminal quotes a price for every size up to it. The time
    of a bar is its close.
    """

    config: GatewayDataClientConfig

    def __init__(self, *, name: str, config: GatewayDataClientConfig, cache: ClientCache, clock: Clock) -> None:
        provider = GatewayInstrumentProvider(config.instrument_provider)
        super().__init__(name=name, config=config, cache=cache, clock=clock, venue=Venue(VENUE), instrument_provider=provider)
        self._provider = provider
        self._notes = Logger(name)
        self._quoted: set[str] = set()
        self._quotes: asyncio.Task[object] | None = None
        self._bars: dict[str, asyncio.Task[object]] = {}

    async def _connect(self) -> None:
        url, key = address(self.config)
        self._gateway = AsyncGateway(url, key, login=self.config.login)
        self._transport = AsyncTransport(Address(url, key))
        if self.config.login is not None:
            self._transport.expect(self.config.login)
        self._provider.use(self._gateway)
        await self._provider.initialize()
        for instrument in self._provider.list_all():
            self._handle_instrument(instrument)

    async def _disconnect(self) -> None:
        for task in (self._quotes, *self._bars.values()):
            if task is not None:
                task.cancel()
        self._quotes = None
        self._bars.clear()
        await self._transport.close()
        await self._gateway.close()

    # Instruments

    async def _subscribe_instruments(self, command: SubscribeInstruments) -> None:
        for instrument in self._provider.list_all():
            self._handle_instrument(instrument)

    async def _subscribe_instrument(self, command: SubscribeInstrument) -> None:
        self._handle_instrument(await self._provider.found(command.instrument_id))

    async def _unsubscribe_instruments(self, command: UnsubscribeInstruments) -> None:
        pass

    async def _unsubscribe_instrument(self, command: UnsubscribeInstrument) -> None:
        pass

    async def _request_instrument(self, request: RequestInstrument) -> None:
        instrument = await self._provider.found(request.instrument_id)
        self._handle_response(
            InstrumentResponse(
                self.client_id,
                request.instrument_id,
                instrument,
                request.request_id,
                self.clock.timestamp_ns(),
                request.start_ns,
                request.end_ns,
                request.params,
            )
        )

    async def _request_instruments(self, request: RequestInstruments) -> None:
        await self._provider.load_all_async()
        self._handle_response(
            InstrumentsResponse(
                self.client_id,
                request.venue or Venue(VENUE),
                self._provider.list_all(),
                request.request_id,
                self.clock.timestamp_ns(),
                request.start_ns,
                request.end_ns,
                request.params,
            )
        )

    # Quotes

    async def _subscribe_quotes(self, command: SubscribeQuotes) -> None:
        await self._provider.found(command.instrument_id)
        self._quoted.add(str(command.instrument_id.symbol))
        self._stream_again()

    async def _unsubscribe_quotes(self, command: UnsubscribeQuotes) -> None:
        self._quoted.discard(str(command.instrument_id.symbol))
        self._stream_again()

    def _stream_again(self) -> None:
        if self._quotes is not None:
            self._quotes.cancel()
        self._quotes = self.create_task(self._stream(*sorted(self._quoted)), "quotes") if self._quoted else None

    async def _stream(self, *symbols: str) -> None:
        instruments = {str(i.id.symbol): i for i in self._provider.list_all()}
        events = self._gateway.ticks(*symbols)
        try:
            while True:
                try:
                    event = await anext(events)
                except GatewayError as problem:
                    self._notes.error(f"no quotes: {problem}; the stream is opened again in 5 s")
                    await events.close()
                    await asyncio.sleep(5)
                    continue
                if event.name == "tick":
                    self._handle_data(self._quote(instruments[event.data["symbol"]], event.data))
                elif event.name in ("connection", "unknown_symbols"):
                    self._notes.warning(f"{event.name}: {event.data}")
        finally:
            await events.close()

    def _quote(self, instrument: Any, row: dict[str, Any]) -> QuoteTick:
        now = self.clock.timestamp_ns()
        size = instrument.max_quantity
        time = nanoseconds(row["time_utc"], now)
        return QuoteTick(instrument.id, price_of(instrument, row["bid"]), price_of(instrument, row["ask"]), size, size, time, now)

    async def _request_quotes(self, request: RequestQuotes) -> None:
        """With a limit the last ones of the span, which is the day before its end if it has no start."""
        instrument: Any = await self._provider.found(request.instrument_id)
        end = request.end_ns or self.clock.timestamp_ns()
        start = request.start_ns if request.start_ns is not None else end - _SPAN
        query = {"symbol": str(request.instrument_id.symbol), "from_date": iso(start), "to_date": iso(end), "flags": "info"}
        rows = (await self._transport.read("/copy_ticks_range", query))["data"]
        quotes = [self._quote(instrument, row) for row in rows if row["bid"] > 0 and row["ask"] >= row["bid"]]
        self._handle_response(
            QuotesResponse(
                self.client_id,
                request.instrument_id,
                quotes[-request.limit :] if request.limit else quotes,
                request.request_id,
                self.clock.timestamp_ns(),
                request.start_ns,
                request.end_ns,
                request.params,
            )
        )

    # What the terminal does not have

    async def _subscribe_trades(self, command: SubscribeTrades) -> None:
        raise _absent("trades")

    async def _unsubscribe_trades(self, command: UnsubscribeTrades) -> None:
        pass

    async def _request_trades(self, request: RequestTrades) -> None:
        raise _absent("trades")

    async def _subscribe_book_deltas(self, command: SubscribeBookDeltas) -> None:
        raise _absent("order book")

    async def _unsubscribe_book_deltas(self, command: UnsubscribeBookDeltas) -> None:
        pass

    # Bars

    async def _subscribe_bars(self, command: SubscribeBars) -> None:
        timeframe_of(command.bar_type)
        instrument = await self._provider.found(command.bar_type.instrument_id)
        name = str(command.bar_type)
        if name not in self._bars:
            self._bars[name] = self.create_task(self._poll(command.bar_type, instrument), f"bars {name}")

    async def _unsubscribe_bars(self, command: UnsubscribeBars) -> None:
        task = self._bars.pop(str(command.bar_type), None)
        if task is not None:
            task.cancel()

    async def _poll(self, bar_type: BarType, instrument: Any) -> None:
        timeframe, length = timeframe_of(bar_type)
        query = {"symbol": str(instrument.id.symbol), "timeframe": timeframe, "num_bars": 2, "start_pos": 0}
        last: int | None = None
        while True:
            try:
                rows = (await self._transport.read("/fetch_data_pos", query))["data"]
                if last is not None and rows and rows[0]["time_server"] > last:
                    # More than one has closed since the last read: an outage, or a slow machine.
                    missed = (rows[-1]["time_server"] - last) * 10**9 // length + 2
                    rows = (await self._transport.read("/fetch_data_pos", {**query, "num_bars": min(_ROWS, missed)}))["data"]
                # The last row is still forming.
                closed = rows[:-1]
                for row in closed if last is not None else []:
                    if row["time_server"] >= last:
                        self._handle_data(self._bar(bar_type, instrument, length, row))
                # Of the bar that forms now: it is the next one to deliver.
                last = rows[-1]["time_server"] if rows else last
            except GatewayError as problem:
                self._notes.error(f"no bars of {bar_type}: {problem}; they are read again in {self.config.poll_seconds} s")
            await asyncio.sleep(self.config.poll_seconds)

    def _bar(self, bar_type: BarType, instrument: Any, length: int, row: dict[str, Any]) -> Bar:
        now = self.clock.timestamp_ns()
        open_, high, low, close = [price_of(instrument, row[name]) for name in ("open", "high", "low", "close")]
        volume = Quantity(row["tick_volume"], instrument.size_precision)
        return Bar(bar_type, open_, high, low, close, volume, nanoseconds(row["time"], now - length) + length, now)

    async def _request_bars(self, request: RequestBars) -> None:
        """Closed bars only: those of the span, or the last of them up to the limit. Without a start, so many before the end."""
        bar_type = request.bar_type
        timeframe, length = timeframe_of(bar_type)
        instrument: Any = await self._provider.found(bar_type.instrument_id)
        now = self.clock.timestamp_ns()
        end = min(request.end_ns or now, now)
        limit = request.limit or (_ROWS - 1 if request.start_ns is None else None)
        query: dict[str, Any] = {"symbol": str(instrument.id.symbol), "timeframe": timeframe}
        if request.start_ns is None:
            path, more = "/copy_rates_from", {"date": iso(end), "num_bars": min(_ROWS, (limit or 0) + 1)}
        else:
            path, more = "/fetch_data_range", {"start": iso(request.start_ns), "end": iso(end)}
        rows = (await self._transport.read(path, {**query, **more}))["data"]
        bars = [self._bar(bar_type, instrument, length, row) for row in rows]
        bars = [bar for bar in bars if bar.ts_event <= end]
        self._handle_response(
            BarsResponse(
                self.client_id,
                bar_type,
                bars[-limit:] if limit else bars,
                request.request_id,
                self.clock.timestamp_ns(),
                request.start_ns,
                request.end_ns,
                request.params,
            )
        )


def _absent(what: str) -> NotImplementedError:
    return NotImplementedError(f"the account has no {what} for this client: subscribe to quotes or bars")


class GatewayDataClientFactory(DataClientFactory):
    """Makes the data client of a node."""

    @staticmethod
    def create(  # type: ignore[override]
        *, name: str, config: GatewayDataClientConfig, cache: ClientCache, clock: Clock
    ) -> GatewayDataClient:
        return GatewayDataClient(name=name, config=config, cache=cache, clock=clock)
