"""The clients for NautilusTrader, on a gateway with the simulated broker."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import gc
import os
import re
import unittest
from decimal import Decimal
from typing import Any

from live_node import EURUSD, STRATEGY, Driven, built, running, until
from nautilus_trader.backtest import BacktestEngine, BacktestEngineConfig
from nautilus_trader.common import LoggerConfig, LogLevel
from nautilus_trader.execution import MakerTakerFeeModel
from nautilus_trader.live import SubmissionRecoveryPolicy
from nautilus_trader.model import (
    AccountType,
    BarType,
    BookType,
    ClientId,
    Currency,
    Money,
    OmsType,
    OrderSide,
    OrderStatus,
    OrderType,
    Price,
    Quantity,
    QuoteTick,
    StrategyId,
    TimeInForce,
    Venue,
)
from nautilus_trader.testkit import DataTesterConfig, ExecTesterConfig
from trading_gateway import AsyncGateway, Gateway
from trading_gateway.nautilus import (
    GatewayDataClientConfig,
    GatewayExecutionClientConfig,
    GatewayExecutionClientFactory,
    Unsupported,
    execution_engine_config,
    instrument_of,
)
from trading_gateway.nautilus._instruments import lots_of, units_of
from trading_gateway.nautilus._times import nanoseconds

MINUTES = BarType.from_str("EURUSD.MT5-1-MINUTE-BID-EXTERNAL")


def units(number: int) -> Quantity:
    return Quantity.from_int(number)


def at(number: float) -> Price:
    return Price(number, 5)


def books_of(cache: Any) -> list[tuple[str, str, Decimal]]:
    """Ticket, side and units of the open positions."""
    return sorted((str(p.id), p.side.name, p.quantity.as_decimal()) for p in cache.positions_open())


def orders_of(cache: Any) -> list[str]:
    return sorted(str(order.venue_order_id) for order in cache.orders_open())


async def account_of(gateway: AsyncGateway) -> tuple[list[tuple[str, str, Decimal]], list[str]]:
    """The same, as the broker has it."""
    positions = [
        (str(row.identifier), "LONG" if row.type == 0 else "SHORT", Decimal(str(row.volume)) * 100_000)
        for row in await gateway.positions()
    ]
    return sorted(positions), sorted(str(row.ticket) for row in await gateway.orders())


class OnGateway(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.gateway = AsyncGateway()
        await self.gateway.close_all()
        for row in await self.gateway.orders():
            await self.gateway.cancel_order(row.ticket)

    async def asyncTearDown(self) -> None:
        await self.gateway.close()

    async def equal_books(self, cache: Any) -> None:
        expected = await account_of(self.gateway)
        await until(lambda: (books_of(cache), orders_of(cache)) == expected)

    def with_strategy(self, **more: Any) -> tuple[Any, Driven]:
        node, strategy = built(**more), Driven()
        node.add_strategy(strategy)
        return node, strategy


class TestTrading(OnGateway):
    async def test_orders_from_submission_to_their_end(self) -> None:
        node, strategy = self.with_strategy()
        make = strategy.order_factory
        async with running(node) as cache:
            quote = await until(lambda: strategy.quotes and strategy.quotes[-1])
            self.assertEqual(EURUSD, quote.instrument_id)
            price = quote.bid_price.as_double()

            opened = make.market(EURUSD, OrderSide.BUY, units(20_000))
            strategy.submit_order(opened)
            await until(lambda: cache.order(opened.client_order_id).is_closed)
            self.assertEqual(["OrderInitialized", "OrderSubmitted", "OrderAccepted", "OrderFilled"], strategy.names(opened))
            (position,) = cache.positions_open()
            (row,) = await self.gateway.positions()
            self.assertEqual((str(row.ticket), Decimal(20_000)), (str(position.id), position.quantity.as_decimal()))
            self.assertEqual((0.2, str(opened.client_order_id)), (row.volume, row.client_order_id))
            # The account is in dollars, and so is what a euro earns in them.
            earned = position.unrealized_pnl(at(row.price_current)).as_double()
            self.assertAlmostEqual((row.price_current - row.price_open) * 20_000, earned, 2)

            limit = make.limit(EURUSD, OrderSide.BUY, units(10_000), at(price - 0.01))
            stop = make.stop_market(EURUSD, OrderSide.BUY, units(1_000), at(price + 0.01))
            both = make.stop_limit(EURUSD, OrderSide.BUY, units(1_000), at(price + 0.02), at(price + 0.03))
            expiring = make.limit(
                EURUSD,
                OrderSide.BUY,
                units(1_000),
                at(price - 0.01),
                time_in_force=TimeInForce.GTD,
                expire_time=strategy.clock.timestamp_ns() + 3_000_000_000,
            )
            strategy.submit_order_list([limit, stop, both])
            strategy.submit_order(expiring, params={"sl": round(price - 0.05, 5), "tp": round(price + 0.05, 5)})
            await until(lambda: len(cache.orders_open()) == 4)
            rows = {row.client_order_id: row for row in await self.gateway.orders()}
            asked = [
                (rows[str(o.client_order_id)].price_open, rows[str(o.client_order_id)].price_stoplimit) for o in (limit, stop, both)
            ]
            self.assertEqual([(limit.price.as_double(), 0), (stop.trigger_price.as_double(), 0)], asked[:2])
            self.assertEqual((both.trigger_price.as_double(), both.price.as_double()), asked[2])
            self.assertEqual(round(price - 0.05, 5), rows[str(expiring.client_order_id)].sl)

            strategy.modify_order(limit.client_order_id, price=at(price - 0.02))
            strategy.modify_order(stop.client_order_id, trigger_price=at(price + 0.02))
            strategy.modify_order(both.client_order_id, quantity=units(2_000))
            await until(lambda: cache.order(limit.client_order_id).price == at(price - 0.02))
            await until(lambda: cache.order(stop.client_order_id).trigger_price == at(price + 0.02))
            await until(lambda: "OrderModifyRejected" in strategy.names(both))
            await self.equal_books(cache)
            await until(lambda: cache.order(expiring.client_order_id).status == OrderStatus.EXPIRED)

            strategy.cancel_order(limit.client_order_id)
            await until(lambda: cache.order(limit.client_order_id).status == OrderStatus.CANCELED)
            strategy.cancel_all_orders(EURUSD)
            await until(lambda: not cache.orders_open())

            strategy.close_position(cache.position(position.id))
            await until(lambda: not cache.positions_open())
            closed = [deal for deal in await self.gateway.deals(position=row.ticket) if deal.entry == 1]
            self.assertAlmostEqual(closed[0].profit, cache.position(position.id).realized_pnl.as_double(), 2)
            await self.equal_books(cache)

    async def test_trades_of_others_and_equal_books_after_a_restart(self) -> None:
        node, strategy = self.with_strategy()
        async with running(node) as cache:
            await until(lambda: strategy.quotes)
            own = strategy.order_factory.market(EURUSD, OrderSide.BUY, units(20_000))
            strategy.submit_order(own)
            await until(lambda: cache.order(own.client_order_id).is_closed)
            one = await self.gateway.order("EURUSD", 0.05, "SELL")
            other = await self.gateway.order("EURUSD", 0.02, "BUY")
            await self.gateway.order("EURUSD", 0.02, "BUY_LIMIT", price=round(strategy.quotes[-1].bid_price.as_double() - 0.01, 5))
            await self.gateway.order_send({"action": 10, "position": one.position, "position_by": other.position})
            mine = next(row for row in await self.gateway.positions() if row.client_order_id == str(own.client_order_id))
            await self.gateway.close_position(mine.ticket, 0.05)
            await self.equal_books(cache)
            # What someone else closes of it, the strategy no longer has.
            (left,) = cache.positions_open(strategy_id=STRATEGY)
            self.assertEqual(Decimal(15_000), left.quantity.as_decimal())
            before = books_of(cache), orders_of(cache)
        self.assertEqual(2, len(before[0]))
        # A thread has one node at a time.
        del node, strategy, cache, left
        gc.collect()
        node, strategy = self.with_strategy()
        async with running(node) as cache:
            await until(lambda: strategy.quotes)
            self.assertEqual(before, (books_of(cache), orders_of(cache)))
            # Each from its own deals, not from an adjustment.
            self.assertEqual([], [order for order in cache.orders() if not str(order.venue_order_id).split("-")[0].isdigit()])

    async def test_denies_what_it_cannot_trade_and_names_the_remedy(self) -> None:
        node, strategy = self.with_strategy()
        make = strategy.order_factory
        async with running(node) as cache:
            price = (await until(lambda: strategy.quotes and strategy.quotes[-1])).bid_price.as_double()
            buy = EURUSD, OrderSide.BUY
            cases: list[tuple[Any, dict[str, Any] | None, str]] = [
                (
                    make.market(*buy, units(1_500)),
                    None,
                    "quantity is 1500 units, 0.01500 lots; it must be a multiple of 1000 units",
                ),
                (make.market(*buy, units(1_000), reduce_only=True), None, "reduce_only is set without a position_id"),
                (make.market(*buy, units(1_000), time_in_force=TimeInForce.DAY), None, "time_in_force is DAY"),
                (make.market_to_limit(*buy, units(1_000)), None, "order_type is MARKET_TO_LIMIT"),
                (make.limit(*buy, units(1_000), at(price - 0.01), post_only=True), None, "post_only is set"),
                (make.limit(*buy, units(1_000), at(price - 0.01), time_in_force=TimeInForce.IOC), None, "time_in_force is IOC"),
                (make.market(*buy, units(1_000)), {"stop": 1}, "params has stop; it may have sl, tp, deviation, comment"),
            ]
            for order, params, _ in cases:
                strategy.submit_order(order, params=params)
            bracket = make.bracket(*buy, units(1_000), sl_trigger_price=at(price - 0.01), tp_price=at(price + 0.01))
            strategy.submit_order_list(bracket)
            far = make.limit(*buy, units(1_000), at(round(price * 2, 5)))
            strategy.submit_order(far)
            await until(lambda: cache.order(far.client_order_id).is_closed)
            reasons = {
                str(event.client_order_id): event.reason
                for event in strategy.events
                if type(event).__name__ in ("OrderDenied", "OrderRejected")
            }
            for order, _, reason in cases:
                self.assertIn(reason, reasons[str(order.client_order_id)])
            for order in bracket:
                self.assertIn("set brackets='levels'", reasons[str(order.client_order_id)])
            self.assertEqual("OrderRejected", strategy.names(far)[-1])
            self.assertEqual(([], []), await account_of(self.gateway))


class TestBrackets(OnGateway):
    async def test_sends_a_bracket_as_one_order_with_levels(self) -> None:
        node, strategy = self.with_strategy(brackets="levels")
        make = strategy.order_factory
        async with running(node) as cache:
            price = (await until(lambda: strategy.quotes and strategy.quotes[-1])).bid_price.as_double()
            low, high, buy = at(price - 0.01), at(price + 0.01), (EURUSD, OrderSide.BUY, units(1_000))
            market = make.bracket(*buy, sl_trigger_price=low, tp_price=high)
            limit = make.bracket(
                *buy, entry_order_type=OrderType.LIMIT, entry_price=at(price - 0.005), sl_trigger_price=low, tp_price=high
            )
            far = make.bracket(*buy, sl_trigger_price=at(price + 0.02), tp_price=at(price + 0.03))
            for bracket in (market, limit, far):
                strategy.submit_order_list(bracket)
            await until(lambda: cache.order(market[0].client_order_id).is_closed and cache.orders_open())
            await until(lambda: cache.order(far[0].client_order_id).is_closed)
            (position,) = await self.gateway.positions()
            (order,) = await self.gateway.orders()
            for row in (position, order):
                self.assertEqual((low.as_double(), high.as_double()), (row.sl, row.tp))
            # What is refused has no half at the broker.
            self.assertEqual("OrderRejected", strategy.names(far[0])[-1])
            for bracket in (market, limit, far):
                for child in bracket[1:]:
                    self.assertEqual(["OrderInitialized", "OrderCanceled"], strategy.names(child))
                    self.assertTrue(cache.order(child.client_order_id).is_closed)
            await self.equal_books(cache)
            await self.gateway.close_position(position.ticket)
            await until(lambda: not cache.positions_open())
            await self.equal_books(cache)

    async def test_denies_every_other_list_of_orders_that_depend_on_each_other_as_a_whole(self) -> None:
        node, strategy = self.with_strategy(brackets="levels")
        make = strategy.order_factory
        async with running(node):
            price = (await until(lambda: strategy.quotes and strategy.quotes[-1])).bid_price.as_double()
            low, high, buy = at(price - 0.01), at(price + 0.01), (EURUSD, OrderSide.BUY, units(1_000))
            levels = {"sl_trigger_price": low, "tp_price": high}
            with_end = {"tp_time_in_force": TimeInForce.DAY}
            whole = make.bracket(*buy, **levels)
            cases: list[tuple[list[Any], dict[str, Any] | None, str]] = [
                (make.bracket(*buy, **levels, **with_end), None, "is not GTC: a level has no end"),
                (
                    make.bracket(*buy, sl_trigger_price=low, tp_order_type=OrderType.MARKET_IF_TOUCHED, tp_trigger_price=high),
                    None,
                    "is a MARKET_IF_TOUCHED; a stop loss is a STOP_MARKET",
                ),
                (make.bracket(EURUSD, OrderSide.BUY, units(1_500), **levels), None, "it must be a multiple of 1000 units"),
                (make.bracket(*buy, time_in_force=TimeInForce.DAY, **levels), None, "time_in_force is DAY"),
                (make.bracket(*buy, **levels), {"sl": low.as_double()}, "leave them out"),
                (whole[1:], None, "depend on each other but an entry with its stop loss"),
            ]
            for orders, params, _ in cases:
                strategy.submit_order_list(orders, params=params)
            await until(lambda: all(strategy.names(order)[-1:] == ["OrderDenied"] for orders, _, _ in cases for order in orders))
            reasons = {str(e.client_order_id): e.reason for e in strategy.events if type(e).__name__ == "OrderDenied"}
            for orders, _, reason in cases:
                for order in orders:
                    self.assertIn(reason, reasons[str(order.client_order_id)])
            self.assertEqual(([], []), await account_of(self.gateway))


class TestUnknownOutcome(OnGateway):
    async def test_keeps_orders_and_brackets_in_flight_until_their_outcome_is_known(self) -> None:
        way = await Way.open()
        node, strategy = self.with_strategy(
            url=way.url,
            brackets="levels",
            reconciliation_startup_delay_secs=0.1,
            inflight_check_interval_ms=100,
            inflight_check_threshold_ms=100,
            inflight_check_retries=1,
        )
        make = strategy.order_factory
        async with running(node) as cache:
            price = (await until(lambda: strategy.quotes and strategy.quotes[-1])).bid_price.as_double()
            low, high, buy = at(price - 0.01), at(price + 0.01), (EURUSD, OrderSide.BUY, units(1_000))
            levels = {"sl_trigger_price": low, "tp_price": high}
            order, alone = make.market(*buy), make.market(*buy)
            market = make.bracket(*buy, **levels)
            limit = make.bracket(*buy, entry_order_type=OrderType.LIMIT, entry_price=at(price - 0.005), **levels)
            entries = [order, alone, market[0], limit[0]]
            way.loses_answers = True
            strategy.submit_order(order)
            strategy.submit_order(alone, params={"sl": low.as_double(), "tp": high.as_double()})
            strategy.submit_order_list(market)
            strategy.submit_order_list(limit)
            while len(await self.gateway.positions()) < 3 or not await self.gateway.orders():
                await asyncio.sleep(0.02)
            # Longer than the engine asks: by its default they would be rejected now.
            await asyncio.sleep(2)
            self.assertEqual([OrderStatus.SUBMITTED] * 4, [cache.order(one.client_order_id).status for one in entries])
            way.loses_answers = False
            await until(lambda: all(cache.order(one.client_order_id).status == OrderStatus.FILLED for one in entries[:3]))
            await until(lambda: cache.order(limit[0].client_order_id).status == OrderStatus.ACCEPTED)
            for one in entries:
                self.assertNotIn("OrderRejected", strategy.names(one))
            self.assertEqual([1, 1, 1, 0], [strategy.names(one).count("OrderFilled") for one in entries])
            both = (low.as_double(), high.as_double())
            self.assertEqual(
                [both, both, (0, 0)], sorted(((row.sl, row.tp) for row in await self.gateway.positions()), reverse=True)
            )
            self.assertEqual([both], [(row.sl, row.tp) for row in await self.gateway.orders()])
            for child in (*market[1:], *limit[1:]):
                self.assertEqual(["OrderInitialized", "OrderCanceled"], strategy.names(child))
            await self.equal_books(cache)
        await way.close()

    def test_refuses_the_policy_that_reports_it_as_rejected(self) -> None:
        with self.assertRaisesRegex(ValueError, "submission_recovery_policy must be RETAIN_UNRESOLVED"):
            execution_engine_config(submission_recovery_policy=SubmissionRecoveryPolicy.RESOLVE_LOCALLY)


class TestReconnection(OnGateway):
    async def test_reads_the_books_again_if_the_gateway_no_longer_keeps_an_event(self) -> None:
        way = await Way.open()
        node, strategy = self.with_strategy(url=way.url)
        async with running(node) as cache:
            await until(lambda: strategy.quotes)
            own = [strategy.order_factory.market(EURUSD, OrderSide.BUY, units(2_000)) for _ in range(2)]
            for order in own:
                strategy.submit_order(order)
            limit = strategy.order_factory.limit(
                EURUSD, OrderSide.BUY, units(1_000), at(strategy.quotes[-1].bid_price.as_double() - 0.01)
            )
            strategy.submit_order(limit)
            await until(lambda: len(cache.positions_open()) == 2 and cache.orders_open())
            way.is_down = True
            way.cut()
            (first, second) = await self.gateway.positions()
            await self.gateway.close_position(first.ticket)
            await self.gateway.close_position(second.ticket, 0.01)
            await self.gateway.cancel_order(int(str(cache.order(limit.client_order_id).venue_order_id)))
            await self.gateway.order("EURUSD", 0.03, "SELL")
            way.forgets_events = True
            way.is_down = False
            await self.equal_books(cache)
            self.assertEqual(OrderStatus.CANCELED, cache.order(limit.client_order_id).status)
            self.assertTrue(way.has_resync)
            # And the events after it follow.
            way.forgets_events = False
            await self.gateway.order("EURUSD", 0.01, "BUY")
            await self.equal_books(cache)
            self.assertEqual([1, 1], [strategy.names(order).count("OrderFilled") for order in own])
        await way.close()

    async def test_looks_up_what_was_in_flight_when_it_was_disconnected(self) -> None:
        way, clients = await Way.open(), []

        class Kept(GatewayExecutionClientFactory):
            @staticmethod
            def create(**parts: Any) -> Any:
                clients.append(GatewayExecutionClientFactory.create(**parts))
                return clients[-1]

        node, strategy = self.with_strategy(url=way.url, execution_factory=Kept(), brackets="levels")
        make = strategy.order_factory
        async with running(node) as cache:
            await until(lambda: strategy.quotes)
            (client,) = clients
            way.loses_answers = True
            price = strategy.quotes[-1].bid_price.as_double()
            levels = {"sl_trigger_price": at(price - 0.01), "tp_price": at(price + 0.01)}
            sent = make.market(EURUSD, OrderSide.BUY, units(1_000)), make.bracket(EURUSD, OrderSide.BUY, units(2_000), **levels)
            strategy.submit_order(sent[0])
            strategy.submit_order_list(sent[1])
            while len(await self.gateway.positions()) < 2:
                await asyncio.sleep(0.02)
            way.is_down = True
            way.cut()
            unsent = make.market(EURUSD, OrderSide.BUY, units(3_000)), make.bracket(EURUSD, OrderSide.BUY, units(4_000), **levels)
            strategy.submit_order(unsent[0])
            strategy.submit_order_list(unsent[1])
            done, lost = (sent[0], sent[1][0]), (unsent[0], unsent[1][0])
            await until(lambda: all(cache.order(one.client_order_id).status == OrderStatus.SUBMITTED for one in lost))
            # As the platform does it: the client ends its tasks, and begins again with the books.
            await client._disconnect()
            way.is_down = way.loses_answers = False
            await client._connect()
            status = await client._generate_mass_status(None)
            # Nothing was sent under their keys, and nothing ever will be.
            await until(lambda: all(cache.order(one.client_order_id).status == OrderStatus.REJECTED for one in lost))
            self.assertEqual([0.01, 0.02], sorted(row.volume for row in await self.gateway.positions()))
            reported = {str(report.client_order_id) for report in status.order_reports.values()}
            for one in done:
                self.assertIn(str(one.client_order_id), reported)
                self.assertEqual(OrderStatus.SUBMITTED, cache.order(one.client_order_id).status)
                strategy.query_order(cache.order(one.client_order_id))
            await until(lambda: all(cache.order(one.client_order_id).status == OrderStatus.FILLED for one in done))
            for one in done:
                self.assertNotIn("OrderRejected", strategy.names(one))
            for child in (*sent[1][1:], *unsent[1][1:]):
                self.assertEqual(["OrderInitialized", "OrderCanceled"], strategy.names(child))
            # A new one is not held up by them.
            await self.gateway.order("EURUSD", 0.02, "SELL")
            await self.equal_books(cache)
        await way.close()


class Way:
    """A connection to the gateway that can be down, lose answers, or ask for events of another log."""

    #: The request arrives, and what comes back does not.
    loses_answers = False
    is_down = False
    forgets_events = False
    has_resync = False

    @classmethod
    async def open(cls) -> Way:
        way = cls()
        way._open: set[asyncio.StreamWriter] = set()
        way._server = await asyncio.start_server(way._serve, "127.0.0.1", 0)
        way.url = f"http://127.0.0.1:{way._server.sockets[0].getsockname()[1]}"
        return way

    async def close(self) -> None:
        self._server.close()

    def cut(self) -> None:
        for writer in self._open:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_down:
            writer.close()
            return
        self._open.add(writer)
        _, _, address = os.environ["GATEWAY_URL"].rpartition("/")
        host, _, port = address.partition(":")
        there_reader, there_writer = await asyncio.open_connection(host, int(port))
        await asyncio.gather(
            self._carry(reader, there_writer, False), self._carry(there_reader, writer, True), return_exceptions=True
        )

    async def _carry(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, answers: bool) -> None:
        try:
            while data := await source.read(65_536):
                if self.is_down or (answers and self.loses_answers):
                    break
                self.has_resync |= answers and b"event: resync" in data
                if self.forgets_events and not answers:
                    data = re.sub(rb"(?i)(last-event-id: )\d+", rb"\g<1>1", data)
                target.write(data)
                await target.drain()
        finally:
            target.close()


class TestData(OnGateway):
    async def test_history_and_bars(self) -> None:
        node, strategy = self.with_strategy()
        async with running(node):
            await until(lambda: strategy.quotes)
            strategy.subscribe_bars(MINUTES)
            strategy.request_bars(MINUTES, limit=50)
            strategy.request_quotes(EURUSD, limit=20)
            bars = await until(lambda: strategy.history["bars"])
            quotes = await until(lambda: strategy.history["quotes"])
            self.assertEqual((50, 20), (len(bars), len(quotes)))
            # As the gateway has them; a bar is stamped with its close, and the one that forms is not there.
            rows = (await self.gateway.bars("EURUSD", "M1", 55)).array
            known = {round(float(row["close"]), 5) for row in rows}
            self.assertTrue({round(bar.close.as_double(), 5) for bar in bars} <= known)
            self.assertEqual([60_000_000_000], sorted({b.ts_event - a.ts_event for a, b in zip(bars, bars[1:])})[:1])
            self.assertLessEqual(bars[-1].ts_event, strategy.clock.timestamp_ns())
            self.assertTrue(all(quote.ask_price >= quote.bid_price for quote in quotes))

    async def test_serves_the_data_tester_of_the_platform(self) -> None:
        config = DataTesterConfig(
            client_id=ClientId("MT5"),
            instrument_ids=[EURUSD],
            bar_types=[MINUTES],
            subscribe_quotes=True,
            subscribe_trades=False,
            subscribe_bars=True,
            subscribe_instrument=True,
            request_instruments=True,
            request_quotes=True,
            request_bars=True,
            can_unsubscribe=True,
        )
        node = built()
        node.add_builtin_actor("DataTester", config)
        strategy = Driven()
        node.add_strategy(strategy)
        async with running(node) as cache:
            await until(
                lambda: len(cache.instruments()) >= 3 and len(cache.bars(MINUTES) or []) > 5 and cache.quote_count(EURUSD) > 0
            )


class TestExecutionTester(OnGateway):
    async def test_serves_the_execution_tester_of_the_platform(self) -> None:
        config = ExecTesterConfig(
            strategy_id=StrategyId("EXEC-001"),
            instrument_id=EURUSD,
            client_id=ClientId("MT5"),
            order_qty=units(1_000),
            use_uuid_client_order_ids=True,
            subscribe_quotes=True,
            subscribe_trades=False,
            open_position_on_start_qty=Decimal(2_000),
            open_position_on_first_quote=True,
            enable_limit_buys=True,
            enable_limit_sells=True,
            enable_stop_buys=True,
            enable_stop_sells=True,
            stop_order_type=OrderType.STOP_MARKET,
            tob_offset_ticks=500,
            stop_offset_ticks=500,
            modify_orders_to_maintain_tob_offset=True,
            cancel_orders_on_stop=True,
            close_positions_on_stop=True,
            reduce_only_on_stop=True,
        )
        node = built(stop_seconds=3)
        node.add_builtin_strategy("ExecTester", config)
        async with running(node) as cache:
            await until(lambda: len(cache.orders_open()) == 4 and len(cache.positions_open()) == 1)
            await self.equal_books(cache)
        # It closed what it had.
        while await account_of(self.gateway) != ([], []):
            await asyncio.sleep(0.05)


class TestBacktestAndLive(OnGateway):
    """One strategy, unchanged, on the history of the gateway and on its account."""

    async def test_trades_in_both(self) -> None:
        with Gateway() as gateway:
            instrument = instrument_of(gateway.symbols("EURUSD")[0])
            hour_ago = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=1)
            ticks = gateway.ticks_from("EURUSD", hour_ago, 200).array
        quotes = [
            QuoteTick(
                instrument.id,
                at(float(row["bid"])),
                at(float(row["ask"])),
                instrument.max_quantity,
                instrument.max_quantity,
                int(row["time_msc"]) * 1_000_000,
                int(row["time_msc"]) * 1_000_000,
            )
            for row in ticks
        ]
        engine = BacktestEngine(BacktestEngineConfig(logging=LoggerConfig(stdout_level=LogLevel.OFF)))
        engine.add_venue(
            venue=Venue("MT5"),
            oms_type=OmsType.HEDGING,
            account_type=AccountType.MARGIN,
            base_currency=Currency.from_str("USD"),
            starting_balances=[Money(10_000, Currency.from_str("USD"))],
            book_type=BookType.L1_MBP,
            fee_model=MakerTakerFeeModel(Decimal(0), Decimal(0)),
        )
        engine.add_instrument(instrument)
        engine.add_data(quotes)
        there = Turnaround()
        engine.add_strategy(there)
        engine.run()
        self.assertEqual(["opened", "closed"], there.done)

        node, here = built(), Turnaround()
        node.add_strategy(here)
        async with running(node) as cache:
            await until(lambda: here.done == ["opened", "closed"])
            await self.equal_books(cache)


class Turnaround(Driven):
    """Opens at its first quote and closes at the next one after its fill."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []

    def on_quote(self, quote: Any) -> None:
        if not self.quotes:
            self.submit_order(self.order_factory.market(EURUSD, OrderSide.BUY, units(1_000)))
        elif self.done == ["opened"] and self.cache.positions_open(strategy_id=STRATEGY):
            self.close_all_positions(EURUSD)
        self.quotes.append(quote)

    def on_position_opened(self, event: Any) -> None:
        self.done.append("opened")

    def on_position_closed(self, event: Any) -> None:
        self.done.append("closed")


class TestUnits(unittest.TestCase):
    def test_lots_and_units_of_every_symbol(self) -> None:
        with Gateway() as gateway:
            for record in gateway.symbols():
                instrument = instrument_of(record)
                for lots in (record.volume_min, record.volume_step * 7, 1.0):
                    self.assertEqual(
                        Decimal(str(round(lots, 8))) * Decimal(str(record.trade_contract_size)),
                        units_of(instrument, lots).as_decimal(),
                    )
                    self.assertEqual(round(lots, 8), lots_of(instrument, units_of(instrument, lots)))
            with self.assertRaisesRegex(Unsupported, "its profit is calculated in mode 1"):
                instrument_of(dataclasses.replace(record, trade_calc_mode=1))

    def test_names_the_wrong_field_of_a_configuration(self) -> None:
        for make, problem in (
            (lambda: GatewayDataClientConfig(poll_seconds=0), "poll_seconds is 0; it must be a number above 0"),
            (lambda: GatewayExecutionClientConfig(login=1, mode="both", currency="USD"), "mode is 'both'; it must be 'hedging'"),
            (lambda: GatewayExecutionClientConfig(login=0, mode="netting", currency="USD"), "login is 0"),
            (lambda: GatewayExecutionClientConfig(login=1, mode="netting", currency=""), "currency is empty"),
            (lambda: GatewayExecutionClientConfig(login=1, mode="netting", currency="USD", brackets="on"), "brackets is 'on'"),
        ):
            with self.assertRaisesRegex(ValueError, problem):
                make()

    def test_an_instant_has_a_zone(self) -> None:
        self.assertEqual(1_795_835_484_555_000_000, nanoseconds("2026-11-28T03:11:24.555Z", 0))
        self.assertEqual(7, nanoseconds("2026-11-28T03:11:24", 7))
        self.assertEqual(7, nanoseconds(None, 7))


if __name__ == "__main__":
    unittest.main()
