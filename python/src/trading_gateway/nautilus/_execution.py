"""The execution client: orders under their client order ids, and everything that happens to the account."""

from __future__ import annotations

import asyncio
import datetime
from collections import Counter
from collections.abc import Coroutine
from typing import Any

from nautilus_trader.common import Clock, Logger
from nautilus_trader.live import (
    CancelAllOrders,
    CancelOrder,
    ClientCache,
    GenerateFillReports,
    GenerateOrderStatusReport,
    GenerateOrderStatusReports,
    GeneratePositionStatusReports,
    ModifyOrder,
    QueryAccount,
    QueryOrder,
    SubmitOrder,
    SubmitOrderList,
)
from nautilus_trader.live.clients import ExecutionClient, ExecutionClientFactory
from nautilus_trader.model import (
    AccountBalance,
    AccountId,
    AccountType,
    ClientOrderId,
    ExecutionMassStatus,
    FillReport,
    InstrumentId,
    LiquiditySide,
    MarginBalance,
    Money,
    OmsType,
    OrderStatus,
    OrderStatusReport,
    OrderType,
    PositionId,
    PositionStatusReport,
    TradeId,
    TraderId,
    Venue,
    VenueOrderId,
)

from .._config import Address
from .._errors import GatewayError, NotReached, Refused
from .._gateway_async import AsyncGateway
from .._rows import Event
from .._transport_async import AsyncTransport, AsyncUnknownOutcome
from .._wire import TradeRequest
from ._books import CLOSED_STATES, Account, Row, is_trade, ticket_of
from ._config import VENUE, GatewayExecutionClientConfig, address, mode_of
from ._instruments import GatewayInstrumentProvider, currency_of, id_of, price_of, units_of
from ._orders import Bracket, Close, Denied, bracket_of, close_of, is_tied, plan_of, request_of
from ._reports import CLOSE_BY, Reports
from ._times import nanoseconds

#: Seconds before something that failed is tried again.
_PAUSE = 1.0
#: Reason of an order that a program sent, and so perhaps this one.
_EXPERT = 3


class GatewayExecutionClient(ExecutionClient):
    """Trades the account of a gateway.

    A trade request is repeated under its key until its outcome is known: the client order id, and for a change or a cancel that with
    the id of the command. Until then the order stays in flight. Fills come from the event stream only, by number; so do the trades that
    someone else makes, which become external orders.
    """

    config: GatewayExecutionClientConfig

    def __init__(
        self, *, name: str, config: GatewayExecutionClientConfig, cache: ClientCache, clock: Clock, trader_id: TraderId
    ) -> None:
        provider = GatewayInstrumentProvider(config.instrument_provider)
        account_id = AccountId(f"{VENUE}-{config.login}")
        super().__init__(
            name=name,
            config=config,
            cache=cache,
            clock=clock,
            trader_id=trader_id,
            venue=Venue(VENUE),
            account_id=account_id,
            account_type=AccountType.MARGIN,
            oms_type=OmsType.HEDGING if config.mode == "hedging" else OmsType.NETTING,
            base_currency=currency_of(config.currency),
            instrument_provider=provider,
        )
        self._provider = provider
        self._reports = Reports(account_id, config.currency, config.mode)
        self._notes = Logger(name)
        #: Ticket of the order by its key.
        self._tickets: dict[str, int] = {}
        #: Keys of several orders, as of a request that closes all positions: they name none of them.
        self._shared: set[str] = set()
        #: Symbol by key, of the submissions whose outcome is not known yet, and an event that is set when it is.
        self._sending: dict[str, tuple[str, asyncio.Event]] = {}
        self._accepted: set[str] = set()
        #: Events of orders that may be those of a submission whose outcome is not known yet.
        self._held: list[Event] = []
        self._tasks: set[asyncio.Task[object]] = set()

    # Life

    async def _connect(self) -> None:
        """Raises ValueError if the account is not that of the configuration."""
        url, key = address(self.config)
        self._gateway = AsyncGateway(url, key, login=self.config.login)
        self._transport = AsyncTransport(Address(url, key))
        self._transport.expect(self.config.login)
        self._account = Account(self._transport)
        facts = await self._account.facts()
        self._require_account(facts)
        self._provider.use(self._gateway)
        await self._provider.initialize()
        for instrument in self._provider.list_all():
            self._handle_instrument(instrument)
        self._state_of(facts)
        # Before the mass status, so that nothing happens between the two.
        events = self._gateway.events()
        first = await anext(events)
        while first.name not in ("ready", "resync"):
            first = await anext(events)
        self._background(self._follow(events), "events")
        self._background(self._poll_account(), "account")

    async def _disconnect(self) -> None:
        if self._sending:
            self._notes.warning(f"the outcome of {', '.join(self._sending)} is not known yet: the next start looks it up")
        for task in list(self._tasks):
            task.cancel()
        # Nobody waits for their answers any more: from now on they are in flight from an earlier connection.
        for _, known in self._sending.values():
            known.set()
        self._sending.clear()
        self._held.clear()
        await self._transport.close()
        await self._gateway.close()

    def _require_account(self, facts: Row) -> None:
        mode = mode_of(facts["margin_mode"])
        for field, given, found in (
            ("login", self.config.login, facts["login"]),
            ("mode", self.config.mode, mode),
            ("currency", self.config.currency, facts["currency"]),
        ):
            if given != found:
                raise ValueError(f"{field} of the configuration is {given!r}, and that of the account {found!r}: set it to that")

    # Commands

    async def _submit_order(self, command: SubmitOrder) -> None:
        await self._submit(self._order(command.client_order_id), command.position_id, command.params)

    async def _submit_order_list(self, command: SubmitOrderList) -> None:
        """One after the other; a bracket as one order with levels. Any other list of orders that depend on each other is denied as a whole."""
        orders = [self._order(order_id) for order_id in command.order_list.client_order_ids()]
        if not is_tied(orders):
            for order in orders:
                await self._submit(order, command.position_id, command.params)
            return
        try:
            if self.config.brackets != "levels":
                raise Denied(
                    "the orders of the list depend on each other; the terminal has levels of a position in their place: submit the entry "
                    "alone, with sl and tp in its params, or set brackets='levels' in the configuration"
                )
            bracket = bracket_of(orders, self.config.mode)
            if command.position_id is not None or {"sl", "tp"} & (command.params or {}).keys():
                raise Denied(
                    "the bracket has a position_id, or sl or tp in its params; the levels are those of its orders: leave them out"
                )
        except Denied as problem:
            for order in orders:
                self.generate_order_denied(order, str(problem))
            return
        await self._submit(bracket.entry, None, {**(command.params or {}), **bracket.levels}, bracket)

    async def _submit(
        self, order: Any, position_id: PositionId | None, params: dict[str, Any] | None, bracket: Bracket | None = None
    ) -> None:
        children = [] if bracket is None else bracket.children
        try:
            instrument = await self._provider.found(order.instrument_id)
            plan = plan_of(order, instrument, position_id, params, self.config.mode, self.config.magic)
            if bracket is not None and not isinstance(plan, dict):
                raise Denied("the entry of the bracket is reduce_only: it has to open a position")
        except (Denied, GatewayError, ValueError) as problem:
            for one in (order, *children):
                self.generate_order_denied(one, str(problem))
            return
        key = str(order.client_order_id)
        if key in self._sending or key in self._tickets:
            # The gateway would answer with the outcome of the earlier order.
            for one in (order, *children):
                self.generate_order_denied(
                    one,
                    f"client_order_id {key} is that of an earlier order; set use_uuid_client_order_ids in the strategy's configuration",
                )
            return
        self.generate_order_submitted(order)
        # They are no orders of the account, whatever becomes of the entry.
        for child in children:
            self.generate_order_canceled(child, None, self.clock.timestamp_ns())
        self._sending[key] = (str(order.instrument_id.symbol), asyncio.Event())
        self._background(self._send(order, key, plan), f"order {key}")

    async def _send(self, order: Any, key: str, plan: Row | Close) -> None:
        try:
            request = request_of(plan, key) if isinstance(plan, dict) else await self._close(order, plan, key)
            answer = await self._settled(request)
            if answer.get("already_closed"):
                self._rejected(order, f"position {answer.get('position')} was closed already; nothing was done")
            else:
                self._have_accepted(order, ticket_of(answer))
        except (Refused, NotReached, Denied) as problem:
            # Of these, nothing was done and nothing will be.
            self._rejected(order, str(problem))
        self._sending.pop(key)[1].set()
        held, self._held = self._held, []
        for event in held:
            await self._take(event)

    async def _close(self, order: Any, plan: Close, key: str) -> TradeRequest:
        """Raises Denied, NotReached or Refused."""
        rows = [row for row in await self._account.positions() if row["symbol"] == plan.symbol]
        if plan.ticket is not None:
            rows = [row for row in rows if row["identifier"] == plan.ticket]
        if not rows:
            raise Denied(f"there is no open position {plan.ticket or 'of ' + plan.symbol} to reduce")
        (row,) = rows
        if (row["type"] == 0) != order.is_sell:
            raise Denied(f"the order has the side of position {row['ticket']}; one that reduces it has the other")
        if plan.lots > row["volume"]:
            raise Denied(f"quantity is {plan.lots} lots; position {row['ticket']} has {row['volume']} lots left")
        return close_of(row["ticket"], plan.lots, key)

    async def _modify_order(self, command: ModifyOrder) -> None:
        self._background(self._modify(command, self._order(command.client_order_id)), f"change {command.client_order_id}")

    async def _modify(self, command: ModifyOrder, order: Any) -> None:
        await self._sent(order)
        ticket = self._ticket(order)
        stop_limit = order.order_type == OrderType.STOP_LIMIT
        price = command.price if order.order_type == OrderType.LIMIT else command.trigger_price
        body = {
            **({} if price is None else {"price": price.as_double()}),
            **({} if command.price is None or not stop_limit else {"stoplimit": command.price.as_double()}),
        }
        problem = None
        if ticket is None:
            problem = "the account has no such order yet"
        elif command.quantity is not None and command.quantity != order.quantity:
            problem = "quantity differs from that of the order; the terminal cannot change it: cancel the order and submit another"
        elif not body:
            problem = "price and trigger_price are both missing; give the one to change"
        if problem is None:
            request = TradeRequest("PUT", f"/orders/{ticket}", body, f"{order.client_order_id}-modify-{command.command_id}")
            try:
                await self._settled(request)
            except (Refused, NotReached) as refusal:
                problem = str(refusal)
        if problem is not None:
            self.generate_order_modify_rejected(order, order.venue_order_id, problem, self.clock.timestamp_ns())
        # The event of the change follows on the stream.

    async def _cancel_order(self, command: CancelOrder) -> None:
        self._cancel(self._order(command.client_order_id), str(command.command_id))

    async def _cancel_all_orders(self, command: CancelAllOrders) -> None:
        """Those of the strategy of the command, also the ones whose submission has no known outcome yet."""
        of = (None, command.instrument_id, command.strategy_id, None, command.order_side)
        orders = self.cache.orders_inflight(*of) + self.cache.orders_open(*of)
        for order in {str(order.client_order_id): order for order in orders}.values():
            self._cancel(order, str(command.command_id))

    def _cancel(self, order: Any, command: str) -> None:
        self._background(self._cancelled(order, command), f"cancel {order.client_order_id}")

    async def _cancelled(self, order: Any, command: str) -> None:
        await self._sent(order)
        ticket = self._ticket(order)
        try:
            if ticket is None:
                raise Denied("the account has no such order yet")
            await self._settled(TradeRequest("DELETE", f"/orders/{ticket}", None, f"{order.client_order_id}-cancel-{command}"))
            # The event of the cancel follows on the stream.
        except (Refused, NotReached, Denied) as problem:
            self.generate_order_cancel_rejected(order, order.venue_order_id, str(problem), self.clock.timestamp_ns())

    async def _query_account(self, command: QueryAccount) -> None:
        self._state_of(await self._account.facts())

    async def _query_order(self, command: QueryOrder) -> None:
        report = await self._report_of(command.client_order_id, command.venue_order_id)
        if report is not None:
            self._handle_report(report, await self._fills_of(report))

    # Outcomes

    async def _settled(self, request: TradeRequest) -> Row:
        """The answer, however long it takes. Raises Refused or NotReached if nothing was done and nothing will be."""
        try:
            return (await self._transport.trade(request)).body
        except AsyncUnknownOutcome as problem:
            unknown = problem
        while True:
            self._notes.warning(f"{unknown}; it is looked up until it is")
            try:
                return await unknown.settle()
            except AsyncUnknownOutcome as problem:
                unknown = problem

    async def _sent(self, order: Any) -> None:
        """Waits until the outcome of the submission is known."""
        sending = self._sending.get(str(order.client_order_id))
        if sending is not None:
            await sending[1].wait()

    def _have_accepted(self, order: Any, ticket: int | None) -> None:
        key = str(order.client_order_id)
        if ticket is None or key in self._accepted:
            return
        self._tickets[key] = ticket
        self._accepted.add(key)
        known = self.cache.order(order.client_order_id)
        if known is None or known.status in (OrderStatus.INITIALIZED, OrderStatus.SUBMITTED):
            self.generate_order_accepted(order, VenueOrderId(str(ticket)), self.clock.timestamp_ns())

    def _rejected(self, order: Any, reason: str) -> None:
        self.generate_order_rejected(order, reason, self.clock.timestamp_ns(), False)

    def _order(self, order_id: ClientOrderId) -> Any:
        order = self.cache.order(order_id)
        if order is None:
            raise ValueError(f"the node has no order {order_id}")
        return order

    def _ticket(self, order: Any) -> int | None:
        known = self.cache.order(order.client_order_id) or order
        if known.venue_order_id is not None and str(known.venue_order_id).isdigit():
            return int(str(known.venue_order_id))
        return self._tickets.get(str(order.client_order_id))

    def _background(self, work: Coroutine[object, object, object], name: str) -> None:
        task = self.create_task(work, name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # The event stream

    async def _follow(self, events: Any) -> None:
        try:
            while True:
                try:
                    event = await anext(events)
                except GatewayError as problem:
                    self._notes.error(f"no events of the account: {problem}; the stream is opened again in 5 s")
                    await events.close()
                    await asyncio.sleep(5 * _PAUSE)
                    continue
                await self._take(event)
        finally:
            await events.close()

    async def _take(self, event: Event) -> None:
        """Until it is dealt with: a failed read of what belongs to it must not lose it."""
        while True:
            try:
                return await self._on_event(event)
            except GatewayError as problem:
                self._notes.warning(f"event {event.id} waits: {problem}")
                await asyncio.sleep(_PAUSE)
            except ValueError as problem:
                return self._notes.error(f"event {event.id} is not in the books of the node: {problem}")

    async def _on_event(self, event: Event) -> None:
        if event.name == "deal":
            await self._on_deal(event, event.data["deal"])
        elif event.name == "order" and event.data["order"] is not None:
            await self._on_order(event, event.data["order"], event.data["action"])
        elif event.name == "resync":
            self._notes.warning("events of the account were missed: its books are read again")
            await self._report_books()
        elif event.name in ("connection", "difference"):
            self._notes.warning(f"{event.name}: {event.data}")

    async def _on_deal(self, event: Event, deal: Row) -> None:
        self._background(self._read_account(), "account after a deal")
        if not is_trade(deal):
            return
        row = await self._account.order(deal["order"])
        key = self._key_of(deal["order"], row)
        if self._may_be_own(key, row):
            self._held.append(event)
            return
        instrument = await self._provider.found(id_of(deal["symbol"]))
        now = self.clock.timestamp_ns()
        order = None if key is None or deal["entry"] == CLOSE_BY else self.cache.order(ClientOrderId(key))
        if order is None:
            fill = self._reports.fill(instrument, deal, key, now)
            self._handle_report(self._report_for(instrument, row, [deal], deal, now), [fill])
            return
        self._have_accepted(order, deal["order"])
        if TradeId(str(deal["ticket"])) not in order.trade_ids:
            self.generate_order_filled(
                order,
                VenueOrderId(str(deal["order"])),
                self._reports.position_id(deal["position_id"]),
                TradeId(str(deal["ticket"])),
                units_of(instrument, deal["volume"]),
                price_of(instrument, deal["price"]),
                instrument.quote_currency,
                self._reports.commission(deal),
                LiquiditySide.NO_LIQUIDITY_SIDE,
                nanoseconds(deal["time_utc"], now),
            )

    async def _on_order(self, event: Event, row: Row, action: str) -> None:
        found = await self._account.order(row["ticket"])
        key = self._key_of(row["ticket"], found)
        if row["state"] == 4:
            return
        if self._may_be_own(key, row):
            self._held.append(event)
            return
        instrument = await self._provider.found(id_of(row["symbol"]))
        now = self.clock.timestamp_ns()
        order = None if key is None else self.cache.order(ClientOrderId(key))
        if order is None:
            self._handle_report(self._reports.order(instrument, {**row, "client_order_id": key}, [], now))
            return
        ticket = VenueOrderId(str(row["ticket"]))
        closed = CLOSED_STATES.get(row["state"]) if action == "closed" else None
        time = nanoseconds(row["time_done_utc"], now)
        if closed == "rejected" and str(order.client_order_id) not in self._accepted:
            self._rejected(order, f"the broker rejected order {row['ticket']}: {row['comment']}")
            return
        self._have_accepted(order, row["ticket"])
        if closed == "expired":
            self.generate_order_expired(order, ticket, time)
        elif closed is not None:
            self.generate_order_canceled(order, ticket, time)
        elif action == "changed":
            stop = order.order_type in (OrderType.STOP_MARKET, OrderType.STOP_LIMIT)
            main = price_of(instrument, row["price_open"])
            limit = price_of(instrument, row["price_stoplimit"]) if order.order_type == OrderType.STOP_LIMIT else None
            price, trigger = (limit, main) if stop else (main, None)
            if (price, trigger) != (getattr(order, "price", None), getattr(order, "trigger_price", None)):
                self.generate_order_updated(order, ticket, order.quantity, price, trigger, None, now)

    def _key_of(self, ticket: int, row: Row | None) -> str | None:
        key: str | None = None if row is None else row.get("client_order_id")
        if key is None or key in self._shared or self._tickets.setdefault(key, ticket) != ticket:
            return None
        return key

    def _may_be_own(self, key: str | None, row: Row | None) -> bool:
        """Whether the order may be that of a submission whose outcome the gateway does not know yet: it has no key until then."""
        if key is not None:
            return False
        symbols = {symbol for symbol, _ in self._sending.values()}
        return bool(symbols) and (row is None or (row["reason"] == _EXPERT and row["symbol"] in symbols))

    def _report_for(self, instrument: Any, row: Row | None, deals: list[Row], deal: Row, now: int) -> OrderStatusReport:
        if row is None or deal["entry"] == CLOSE_BY:
            return self._reports.closed_by(instrument, deal, now)
        return self._reports.order(instrument, row, deals, now)

    # The account

    async def _poll_account(self) -> None:
        while True:
            await asyncio.sleep(self.config.account_seconds)
            await self._read_account()

    async def _read_account(self) -> None:
        try:
            self._state_of(await self._account.facts())
        except GatewayError as problem:
            self._notes.warning(f"the balance is that of the last read: {problem}")

    def _state_of(self, facts: Row) -> None:
        currency = currency_of(facts["currency"])
        total = Money(facts["balance"] + facts["credit"], currency)
        margin = Money(facts["margin"], currency)
        locked = Money(max(0.0, min(margin.as_double(), total.as_double())), currency)
        balance = AccountBalance(total, locked, Money.from_decimal(total.as_decimal() - locked.as_decimal(), currency))
        margins = [MarginBalance(margin, margin)] if facts["margin"] else []
        info = {name: facts[name] for name in ("equity", "margin", "margin_free", "margin_level", "leverage", "profit", "credit")}
        self.generate_account_state([balance], margins, True, self.clock.timestamp_ns(), info)

    # Reports

    async def _generate_mass_status(self, lookback_mins: int | None) -> ExecutionMassStatus | None:
        now = self.clock.timestamp_ns()
        status = ExecutionMassStatus(self.client_id, self.account_id, Venue(VENUE), now)
        orders, fills, positions = await self._all_reports(lookback_mins)
        status.add_order_reports(orders)
        status.add_fill_reports(fills)
        status.add_position_reports(positions)
        await self._resolve_in_flight()
        return status

    async def _all_reports(
        self, lookback_mins: int | None
    ) -> tuple[list[OrderStatusReport], list[FillReport], list[PositionStatusReport]]:
        now = self.clock.timestamp_ns()
        books = await self._account.books(self._since(lookback_mins))
        orders: list[OrderStatusReport] = []
        fills: list[FillReport] = []
        deals: dict[int, list[Row]] = {}
        for deal in books.deals:
            deals.setdefault(deal["order"], []).append(deal)
        rows = {row["ticket"]: row for row in books.orders}
        for ticket in deals.keys() - rows.keys():
            row = await self._account.order(ticket)
            if row is not None:
                rows[ticket] = row
        keys = Counter(row["client_order_id"] for row in rows.values() if row["client_order_id"] is not None)
        self._shared.update(key for key, count in keys.items() if count > 1)
        for ticket, row in rows.items():
            key = self._key_of(ticket, row)
            made = deals.pop(ticket, [])
            # A rejected order of another program is no part of the books; one that is completed without a deal has none to show.
            if (row["state"] == 5 and key is None) or (row["state"] == 4 and not made):
                continue
            instrument = await self._instrument(row["symbol"])
            if instrument is None:
                continue
            if made and made[0]["entry"] == CLOSE_BY:
                orders += [self._reports.closed_by(instrument, deal, now) for deal in made]
            else:
                orders.append(self._reports.order(instrument, {**row, "client_order_id": key}, made, now))
            fills += [self._reports.fill(instrument, deal, key, now) for deal in made]
        positions = [await self._position(row, now) for row in books.positions]
        return orders, fills, [report for report in positions if report is not None]

    async def _report_books(self) -> None:
        orders, fills, positions = await self._all_reports(None)
        for order in orders:
            own = [fill for fill in fills if fill.venue_order_id == order.venue_order_id]
            self._handle_report(order, own or None)
        for position in positions:
            self._handle_report(position)

    async def _resolve_in_flight(self) -> None:
        """Orders of an earlier life of the node, which it knows from its database."""
        for order in self.cache.orders_inflight():
            if order.status == OrderStatus.SUBMITTED and str(order.client_order_id) not in self._sending:
                await self._report_of(order.client_order_id, None)

    async def _generate_order_status_report(self, command: GenerateOrderStatusReport) -> OrderStatusReport | None:
        return await self._report_of(command.client_order_id, command.venue_order_id)

    async def _report_of(self, order_id: ClientOrderId | None, venue_order_id: VenueOrderId | None) -> OrderStatusReport | None:
        """None while the outcome is not known. If nothing was done, the order is rejected by an event of its own."""
        key = None if order_id is None else str(order_id)
        ticket = None if venue_order_id is None or not str(venue_order_id).isdigit() else int(str(venue_order_id))
        if ticket is None:
            ticket = None if key is None else self._tickets.get(key)
        if ticket is None and key is not None and key not in self._sending:
            outcome = await self._account.outcome(key)
            if outcome is None and await self._account.void(key):
                outcome = await self._account.outcome(key)
            order = self.cache.order(ClientOrderId(key))
            if outcome is not None and outcome.refusal is not None and order is not None and not order.is_closed:
                self._rejected(order, outcome.refusal)
            ticket = None if outcome is None else outcome.ticket
        row = None if ticket is None else await self._account.order(ticket)
        instrument = None if row is None else await self._instrument(row["symbol"])
        if row is None or ticket is None or instrument is None:
            return None
        found = self._key_of(ticket, row) or key
        deals = await self._account.deals(order=ticket)
        return self._reports.order(instrument, {**row, "client_order_id": found}, deals, self.clock.timestamp_ns())

    async def _fills_of(self, report: OrderStatusReport) -> list[FillReport] | None:
        instrument = await self._provider.found(report.instrument_id)
        key = None if report.client_order_id is None else str(report.client_order_id)
        deals = await self._account.deals(order=int(str(report.venue_order_id)))
        return [self._reports.fill(instrument, deal, key, self.clock.timestamp_ns()) for deal in deals] or None

    async def _generate_order_status_reports(self, command: GenerateOrderStatusReports) -> list[OrderStatusReport]:
        now = self.clock.timestamp_ns()
        if not command.open_only:
            orders, _, _ = await self._all_reports(None)
            return [report for report in orders if _is_meant(report, command)]
        reports = []
        for row in await self._account.orders():
            instrument = await self._instrument(row["symbol"])
            if instrument is not None and command.instrument_id in (None, instrument.id):
                key = self._key_of(row["ticket"], row)
                deals = await self._account.deals(order=row["ticket"]) if row["volume_current"] < row["volume_initial"] else []
                reports.append(self._reports.order(instrument, {**row, "client_order_id": key}, deals, now))
        return reports

    async def _generate_fill_reports(self, command: GenerateFillReports) -> list[FillReport]:
        _, fills, _ = await self._all_reports(None)
        wanted = command.venue_order_id
        return [fill for fill in fills if _is_meant(fill, command) and wanted in (None, fill.venue_order_id)]

    async def _generate_position_status_reports(self, command: GeneratePositionStatusReports) -> list[PositionStatusReport]:
        now = self.clock.timestamp_ns()
        reports = [await self._position(row, now) for row in await self._account.positions()]
        return [report for report in reports if report is not None and command.instrument_id in (None, report.instrument_id)]

    async def _position(self, row: Row, now: int) -> PositionStatusReport | None:
        instrument = await self._instrument(row["symbol"])
        return None if instrument is None else self._reports.position(instrument, row, now)

    async def _instrument(self, symbol: str) -> Any:
        """None, with an error in the log, for a symbol that cannot be an instrument."""
        instrument_id: InstrumentId = id_of(symbol)
        try:
            known = self._provider.find(instrument_id)
            instrument = known or await self._provider.found(instrument_id)
            if known is None:
                self._handle_instrument(instrument)
            return instrument
        except ValueError as problem:
            self._notes.error(f"what the account has in {symbol} is not in the books of the node: {problem}")
            return None

    def _since(self, lookback_mins: int | None) -> datetime.datetime:
        minutes = lookback_mins or self.config.lookback_minutes
        return datetime.datetime.now(datetime.UTC) - datetime.timedelta(minutes=minutes)


def _is_meant(report: Any, command: Any) -> bool:
    time = report.ts_event if isinstance(report, FillReport) else report.ts_last
    return (
        command.instrument_id in (None, report.instrument_id)
        and (command.start is None or time >= command.start)
        and (command.end is None or time <= command.end)
    )


class GatewayExecutionClientFactory(ExecutionClientFactory):
    """Makes the execution client of a node."""

    @staticmethod
    def create(  # type: ignore[override]
        *, name: str, config: GatewayExecutionClientConfig, cache: ClientCache, clock: Clock, trader_id: TraderId
    ) -> GatewayExecutionClient:
        return GatewayExecutionClient(name=name, config=config, cache=cache, clock=clock, trader_id=trader_id)
