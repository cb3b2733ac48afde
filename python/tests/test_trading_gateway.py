"""The native client against a real gateway on the simulated broker, which GATEWAY_URL and API_KEY name."""

from __future__ import annotations

import asyncio
import datetime
import importlib.util
import inspect
import os
import signal
import threading
import time
import unittest
from urllib.parse import urlsplit

import numpy as np
from broken_way import BrokenWay

import trading_gateway as tg
from trading_gateway import AsyncGateway, Gateway

URL = os.environ["GATEWAY_URL"]


def has(module):
    return importlib.util.find_spec(module) is not None


def account_of(*args, **named):
    with Gateway(*args, **named) as gateway:
        return gateway.account()


class Reading(unittest.TestCase):
    def setUp(self):
        self.gateway = Gateway(login=100001)
        self.addCleanup(self.gateway.close)

    def test_records_have_the_types_of_the_document(self):
        account = self.gateway.account()
        self.assertLessEqual(len(self.gateway.equity(every_minutes=60)), 24)
        self.assertIsInstance(account, tg.AccountResponse)
        self.assertEqual((account.login, type(account.balance)), (100001, float))
        self.assertEqual(self.gateway.health().account, 100001)
        self.assertTrue(self.gateway.terminal().connected)
        self.assertEqual(self.gateway.symbol("EURUSD").digits, 5)
        self.assertEqual([s.name for s in self.gateway.symbols("EURUSD")], ["EURUSD"])
        self.assertGreater(self.gateway.quote("EURUSD").ask, 0)
        self.assertGreater(self.gateway.margin("EURUSD", 0.1), 0)
        self.assertAlmostEqual(self.gateway.profit("EURUSD", 1.0, "BUY", 1.0, 1.1), 10_000)
        self.assertEqual(self.gateway.reconcile().unresolved, [])

    def test_bars_and_ticks_are_columns(self):
        bars = self.gateway.bars("EURUSD", "M5", 50)
        self.assertEqual((len(bars), bars.array.dtype), (50, tg.BARS))
        self.assertTrue((np.diff(bars["time"]) == 300).any())
        now = datetime.datetime.now(datetime.timezone.utc)
        hour = now - datetime.timedelta(hours=1)
        self.assertEqual(len(self.gateway.bars_until("EURUSD", "H1", now, 3)), 3)
        self.assertGreater(len(self.gateway.bars_between("EURUSD", "M1", hour, now)), 10)
        ticks = self.gateway.ticks_between("EURUSD", hour, now)
        first = self.gateway.ticks_from("EURUSD", hour, 10)
        self.assertEqual(first.array.tolist(), ticks.array[:10].tolist())
        with self.assertRaisesRegex(ValueError, "time zone"):
            self.gateway.bars_until("EURUSD", "H1", datetime.datetime.now(), 3)

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_rows_become_frames_of_pandas(self):
        frame = self.gateway.bars("EURUSD", "M1", 20).to_pandas()
        self.assertEqual(list(frame.columns), list(tg.BARS.names))
        self.assertEqual(self.gateway.symbols("*EUR*").to_pandas().set_index("name").loc["EURUSD"].digits, 5)

    @unittest.skipUnless(has("polars"), "polars is not installed")
    def test_rows_become_frames_of_polars(self):
        self.assertEqual(self.gateway.bars("EURUSD", "M1", 20).to_polars().height, 20)

    @unittest.skipUnless(has("pyarrow"), "pyarrow is not installed")
    def test_rows_become_tables_of_arrow(self):
        self.assertEqual(self.gateway.bars("EURUSD", "M1", 20).to_arrow().num_rows, 20)
        self.assertEqual(self.gateway.symbols("EURUSD").to_arrow().column("digits").to_pylist(), [5])

    def test_each_error_has_its_class(self):
        for error, call in (
            (tg.NotFound, lambda: self.gateway.symbol("NOSUCH")),
            (tg.ValidationError, lambda: self.gateway.bars("EURUSD", "M7")),
            (tg.AuthenticationError, lambda: account_of(api_key="wrong")),
            (tg.AccountMismatch, lambda: account_of(login=42)),
            (tg.NotReached, lambda: account_of("http://127.0.0.1:9")),
        ):
            with self.subTest(error.__name__), self.assertRaises(error) as raised:
                call()
            if issubclass(error, tg.Refused):
                self.assertTrue(raised.exception.request_id)
                self.assertIs(tg.ERRORS[raised.exception.error_type], error)


class Trading(unittest.TestCase):
    def setUp(self):
        self.gateway = Gateway()
        self.addCleanup(self.gateway.close)
        self.addCleanup(self.gateway.close_all)

    def test_a_position_and_an_order(self):
        key = f"native-{time.time_ns()}"
        opened = self.gateway.order("EURUSD", 0.2, magic=9, key=key)
        self.assertEqual(self.gateway.order("EURUSD", 0.2, magic=9, key=key), opened)
        self.assertEqual(self.gateway.trade_request(key).status, "completed")
        self.assertFalse(self.gateway.void(key))
        self.assertEqual(self.gateway.protect(opened.position, sl=0.5).sl, 0.5)
        self.assertIsNone(self.gateway.protect(opened.position, clear_sl=True).sl)
        self.assertEqual([p.volume for p in self.gateway.positions(magic=9)], [0.2])
        self.assertEqual(self.gateway.close_position(opened.position, 0.1).remaining_volume, 0.1)
        self.assertEqual(self.gateway.close_position(opened.position).state, "closed")
        self.assertEqual(len(self.gateway.deals(position=opened.position)), 3)
        self.assertEqual(len(self.gateway.past_orders(position=opened.position)), 3)
        self.assertEqual(self.gateway.summary(opened.position).deals, 3)
        until = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=30)
        placed = self.gateway.order("EURUSD", 0.1, "BUY_LIMIT", price=0.9, expiration=until)
        self.assertIsNone(self.gateway.change_order(placed.result.order, price=0.91, clear_expiration=True).time_expiration_utc)
        self.assertEqual([o.price_open for o in self.gateway.orders()], [0.91])
        self.assertEqual(self.gateway.cancel_order(placed.result.order).state, "cancelled")

    def test_a_request_in_the_terminals_form(self):
        sent = self.gateway.order_send({"action": 1, "symbol": "EURUSD", "volume": 0.1, "type": 1})
        self.assertEqual((sent.state, sent.result.retcode, sent.result.request.type), ("executed", 10009, 1))
        best = [row.price for row in self.gateway.book("EURUSD") if row.type == 1][-1]
        self.assertGreater(best, self.gateway.quote("EURUSD").bid)

    def test_refusals(self):
        with self.assertRaises(tg.ValidationError):
            self.gateway.order("EURUSD", -1.0)
        self.gateway.kill()
        try:
            with self.assertRaises(tg.KillSwitchActive):
                self.gateway.order("EURUSD", 0.1)
        finally:
            self.gateway.release()
        self.assertEqual(self.gateway.positions(), [])

    def test_an_unknown_outcome_is_settled(self):
        parts = urlsplit(URL)
        way = BrokenWay((parts.hostname, parts.port))
        self.addCleanup(way.close)
        with Gateway(way.url, patience=0.5) as gateway:
            way.lose_answers = 1000
            with self.assertRaises(tg.UnknownOutcome) as raised:
                gateway.order("EURUSD", 0.1)
            way.lose_answers = 1
            settled = raised.exception.settle()
        self.assertEqual([p.ticket for p in self.gateway.positions()], [settled["position"]])

    def test_the_answer_of_a_proxy_affirms_nothing(self):
        parts = urlsplit(URL)
        way = BrokenWay((parts.hostname, parts.port))
        self.addCleanup(way.close)
        foreign = [b"{}", b"[]", b'"ok"', b'{"ok": 1}', b'{"position": 5, "ok": "true"}', b"<html>"]
        with Gateway(way.url) as gateway:
            for body in foreign:
                way.foreign = [body]
                with self.assertRaises(tg.NotReached):
                    gateway.positions()
            way.foreign = list(foreign)
            opened = gateway.order("EURUSD", 0.1)
            self.assertEqual(way.foreign, [])
        self.assertEqual([p.ticket for p in self.gateway.positions()], [opened.position])


class Streams(unittest.TestCase):
    def test_events_continue_by_number_after_a_lost_connection(self):
        gateway = Gateway()
        self.addCleanup(gateway.close)
        self.addCleanup(gateway.close_all)
        seen, ready = [], threading.Event()
        magic = time.time_ns() // 1000

        def listen():
            with Gateway() as listener:
                events = listener.events(magic=magic)
                for event in events:
                    if event.name == "ready":
                        ready.set()
                    if event.name == "position":
                        seen.append((event.id, event.data["action"], event.data["ticket"]))
                    if len(seen) == 1:
                        # As a connection that breaks: what happens now is not heard.
                        gateway.order("EURUSD", 0.1, magic=magic)
                        events.close()
                    if len(seen) >= 2:
                        events.close()
                        return

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        self.assertTrue(ready.wait(30))
        first = gateway.order("EURUSD", 0.1, magic=magic)
        thread.join(30)
        self.assertEqual([action for _, action, _ in seen], ["opened", "opened"])
        self.assertEqual(seen[0][2], first.position)
        self.assertLess(seen[0][0], seen[1][0])

    @unittest.skipUnless(hasattr(os, "fork"), "forks")
    def test_a_child_continues_with_a_connection_of_its_own(self):
        with Gateway() as gateway, Gateway() as other:
            events = gateway.events()
            next(events)
            child = os.fork()
            tickets = [] if child == 0 else [other.order("EURUSD", 0.01).position for _ in range(5)]
            if child == 0:
                signal.alarm(60)
            seen = []
            while len(seen) < 5:
                event = next(events)
                if event.name == "position" and event.data["action"] == "opened":
                    seen.append(event.data["ticket"])
            if child == 0:
                os._exit(0)
            other.close_all()
            self.assertEqual(seen, tickets)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
            events.close()

    def test_quotes(self):
        with Gateway() as gateway:
            stream = gateway.ticks("EURUSD", "GBPUSD")
            self.assertGreater(next(event for event in stream if event.name == "tick").data["ask"], 0)
            stream.close()


class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def test_the_same_methods_without_blocking(self):
        def public(kind):
            return {name for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")}

        self.assertEqual(public(AsyncGateway), public(Gateway))
        async with AsyncGateway() as gateway:
            account, bars, quote = await asyncio.gather(
                gateway.account(), gateway.bars("EURUSD", "M1", 10), gateway.quote("EURUSD")
            )
            self.assertEqual((account.login, len(bars)), (100001, 10))
            self.assertGreater(quote.ask, quote.bid)
            opened, other = await asyncio.gather(gateway.order("EURUSD", 0.1), gateway.order("GBPUSD", 0.1))
            self.assertEqual({p.ticket for p in await gateway.positions()}, {opened.position, other.position})
            closed = await gateway.close_all()
            self.assertEqual(closed.result.closed, 2)
            async for event in gateway.events(since=0):
                if event.name in ("position", "resync", "ready"):
                    break
            with self.assertRaises(tg.NotFound):
                await gateway.symbol("NOSUCH")

    async def test_an_unknown_outcome_is_settled(self):
        parts = urlsplit(URL)
        way = BrokenWay((parts.hostname, parts.port))
        self.addCleanup(way.close)
        async with AsyncGateway(way.url, patience=0.5) as gateway:
            way.lose_answers = 1000
            with self.assertRaises(tg.AsyncUnknownOutcome) as raised:
                await gateway.order("EURUSD", 0.1)
            way.lose_answers = 0
            settled = await raised.exception.settle()
            self.assertEqual([p.ticket for p in await gateway.positions()], [settled["position"]])
            await gateway.close_all()


if __name__ == "__main__":
    unittest.main()
