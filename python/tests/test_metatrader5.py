"""The drop-in against a real gateway on the simulated broker, which GATEWAY_URL and API_KEY name."""

from __future__ import annotations

import datetime
import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import unittest
import urllib.request
from pathlib import Path
from unittest import mock
from urllib.parse import urlsplit

import numpy as np

os.environ.setdefault("GATEWAY_STATE_DIR", tempfile.mkdtemp())

from broken_way import BrokenWay  # noqa: E402

import MetaTrader5 as mt5  # noqa: E402

URL = os.environ["GATEWAY_URL"]
KEY = os.environ["API_KEY"]


def call(path, body=None, method=None):
    """Past the package."""
    request = urllib.request.Request(URL + path, None if body is None else json.dumps(body).encode(), method=method)
    request.add_header("Authorization", f"Bearer {KEY}")
    if body is not None:
        request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def kept_keys():
    return sorted(Path(os.environ["GATEWAY_STATE_DIR"]).glob("*.json"))


def deal(**fields):
    tick = mt5.symbol_info_tick("EURUSD")
    given = {"action": mt5.TRADE_ACTION_DEAL, "symbol": "EURUSD", "volume": 0.1, "type": mt5.ORDER_TYPE_BUY}
    return {**given, "price": tick.ask, "deviation": 50, "magic": 7, "type_filling": mt5.ORDER_FILLING_FOK, **fields}


class Session(unittest.TestCase):
    def setUp(self):
        self.assertTrue(mt5.initialize(), mt5.last_error())
        self.addCleanup(mt5.shutdown)
        self.addCleanup(call, "/close_all_positions", {})


@unittest.skipUnless(hasattr(os, "fork"), "no fork")
class Forks(Session):
    """What multiprocessing does on Linux by default: children go on with the session of their parent."""

    def children(self, *works):
        """Runs each in a child, all at once. Those that fail, by their number."""
        started = []
        for work in works:
            child = os.fork()
            if child == 0:
                try:
                    if work():
                        os._exit(0)
                    print(mt5.last_error(), file=sys.stderr, flush=True)
                except BaseException:
                    traceback.print_exc()
                    print(mt5.last_error(), file=sys.stderr, flush=True)
                finally:
                    os._exit(1)
            started.append(child)
        ended = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in started]
        return [at for at, code in enumerate(ended) if code != 0]

    def test_each_child_reads_its_own_answers(self):
        def reads(name):
            return lambda: all(mt5.symbol_info(name).name == name for _ in range(15))

        self.assertEqual(self.children(*map(reads, ("EURUSD", "GBPUSD", "USDJPY", "GBPUSD"))), [])
        self.assertEqual(mt5.symbol_info("EURUSD").name, "EURUSD")

    def test_each_child_gets_the_result_of_its_own_order(self):
        def sends(magic):
            def work():
                done = mt5.order_send(deal(magic=magic, volume=0.01))
                return mt5.positions_get(ticket=done.order)[0].magic == magic == done.request.magic

            return work

        self.assertEqual(self.children(*map(sends, range(501, 507))), [])
        self.assertEqual(sorted(row.magic for row in mt5.positions_get()), list(range(501, 507)))

    def test_a_child_does_not_wait_for_a_thread_that_it_does_not_have(self):
        # Another thread of the parent is in a call at the moment of the fork.
        ready, done = threading.Event(), threading.Event()

        def holds():
            with mt5._session.lock:
                ready.set()
                done.wait(30)

        thread = threading.Thread(target=holds)
        thread.start()
        ready.wait(30)
        try:

            def works():
                answers = []
                called = threading.Thread(target=lambda: answers.append(mt5.account_info()), daemon=True)
                called.start()
                called.join(20)
                return answers != [] and answers[0] is not None

            self.assertEqual(self.children(works), [])
        finally:
            done.set()
            thread.join()


class Opening(unittest.TestCase):
    """Gateway down, wrong key, wrong account: three different results."""

    def tearDown(self):
        mt5.shutdown()

    def opened(self, *args, env=None, **named):
        with mock.patch.dict(os.environ, env or {}):
            return mt5.initialize(*args, **named), mt5.last_error()

    def test_the_gateways_account_whatever_the_path_is(self):
        self.assertEqual(self.opened("C:\\Program Files\\MetaTrader 5\\terminal64.exe"), (True, (1, "Success")))
        account = mt5.account_info()
        self.assertTrue(mt5.login(account.login, password="any", server=account.server))
        self.assertEqual(self.opened(login=account.login, server=account.server, timeout=5000)[0], True)
        self.assertEqual(mt5.version(), (500, mt5.terminal_info().build, ""))

    def test_gateway_down(self):
        opened, (code, text) = self.opened(env={"GATEWAY_URL": "http://127.0.0.1:9"})
        self.assertEqual((opened, code), (False, -10003))
        self.assertIn("no gateway at http://127.0.0.1:9", text)
        self.assertIsNone(mt5.account_info())
        self.assertEqual(mt5.last_error(), (-10004, "No IPC connection"))

    def test_wrong_key(self):
        opened, error = self.opened(env={"API_KEY": "wrong"})
        self.assertEqual((opened, error), (False, (-10000, "IPC call failed: the gateway refused API_KEY")))

    def test_wrong_account(self):
        wrong = (False, (-6, "Terminal: Authorization failed"))
        self.assertEqual(self.opened(login=42), wrong)
        self.assertEqual(self.opened(login=2**64 - 1), wrong)
        self.assertEqual(self.opened(server="Another-Server"), wrong)
        self.assertIsNone(mt5.account_info())

    def test_login_0_and_an_empty_server_are_the_gateways_account(self):
        self.assertEqual(self.opened(login=0, password="", server=""), (True, (1, "Success")))
        self.assertTrue(mt5.login(0, password="", server=""))

    def test_a_class_that_keeps_functions_does_not_bind_them(self):
        class Wrapper:
            initialize, shutdown, last_error = mt5.initialize, mt5.shutdown, mt5.last_error
            symbol_info, orders_get = mt5.symbol_info, mt5.orders_get

        wrapper = Wrapper()
        self.assertTrue(wrapper.initialize())
        self.assertEqual(wrapper.symbol_info("EURUSD").name, "EURUSD")
        self.assertEqual((wrapper.orders_get(), wrapper.last_error()), ((), (1, "Success")))
        wrapper.shutdown()

    def test_a_pool_of_processes_is_given_functions_by_their_names(self):
        self.assertIs(pickle.loads(pickle.dumps(mt5.symbol_info_tick)), mt5.symbol_info_tick)

    def test_a_file_maps_logins_to_gateways(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "gateways.json"
            file.write_text(json.dumps({"100001": {"url": URL, "api_key": KEY}}))
            with mock.patch.dict(os.environ, {"GATEWAYS_FILE": str(file)}):
                del os.environ["GATEWAY_URL"], os.environ["API_KEY"]
                self.assertTrue(mt5.initialize(login=100001))
                self.assertEqual(mt5.account_info().login, 100001)
                file.write_text("{")
                self.assertFalse(mt5.initialize(login=100001))
                self.assertIn("gateways.json cannot be read", mt5.last_error()[1])

    @unittest.skipIf(sys.platform == "win32", "no limit for the size of files")
    def test_a_key_that_the_disk_takes_in_part_is_not_sent_under(self):
        import resource

        self.addCleanup(mt5.shutdown)
        self.assertTrue(mt5.initialize())
        request = deal()
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, before[1]))
        try:
            self.assertIsNone(mt5.order_send(request))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        self.assertEqual(mt5.last_error()[0], -10004)
        self.assertEqual(mt5.positions_total(), 0)
        self.assertEqual(os.listdir(os.environ["GATEWAY_STATE_DIR"]), [])

    def test_a_folder_for_keys_that_cannot_be_written(self):
        with tempfile.NamedTemporaryFile() as file:
            opened, (code, text) = self.opened(env={"GATEWAY_STATE_DIR": f"{file.name}/keys"})
        self.assertEqual((opened, code), (False, -10003))


class Reads(Session):
    def test_records_are_as_the_packages(self):
        account = mt5.account_info()
        self.assertEqual(account.login, account._asdict()["login"])
        self.assertEqual(len(account), 28)
        self.assertIsInstance(account, mt5.AccountInfo)
        self.assertIsInstance(account, tuple)
        self.assertFalse(hasattr(account, "_fields"))
        with self.assertRaises(AttributeError):
            account.note = 1
        self.assertEqual(pickle.loads(pickle.dumps(account)), account)
        self.assertTrue(repr(account).startswith("AccountInfo(login=100001, trade_mode=0, "))
        self.assertEqual(len(mt5.terminal_info()), 22)
        self.assertIsInstance(account.balance, float)

    def test_symbols(self):
        symbols = mt5.symbols_get()
        self.assertEqual(mt5.symbols_total(), len(symbols))
        euro = mt5.symbols_get(group="*EUR*,!*USD*")
        self.assertEqual({s.name for s in euro}, {s.name for s in symbols if "EUR" in s.name and "USD" not in s.name})
        info = mt5.symbol_info("EURUSD")
        self.assertEqual((len(info), info.digits, info.name), (96, 5, "EURUSD"))
        self.assertIsInstance(info.trade_contract_size, float)
        self.assertTrue(mt5.symbol_select("EURUSD", True))
        for name in ("NOSUCH", "", "..", "E/U?#", "\ud800", "E\0U"):
            self.assertIsNone(mt5.symbol_info(name))
            self.assertEqual(mt5.last_error(), (-4, "Terminal: Not found"))
        self.assertEqual(mt5.symbols_get("\ud800*"), ())
        self.assertFalse(mt5.symbol_select("EURUSD", False))
        self.assertEqual(mt5.last_error(), (-7, "Terminal: Unsupported function"))

    def test_the_market_depth(self):
        self.assertIsNone(mt5.market_book_get("EURUSD"))
        self.assertEqual(mt5.last_error(), (-1, "Terminal: Call failed"))
        self.assertIs(mt5.market_book_add("EURUSD"), True)
        book = mt5.market_book_get("EURUSD")
        self.assertIsInstance(book[0], mt5.BookInfo)
        self.assertEqual(book[0]._asdict().keys(), {"type", "price", "volume", "volume_dbl"})
        self.assertEqual([row.type for row in book], [mt5.BOOK_TYPE_SELL] * 5 + [mt5.BOOK_TYPE_BUY] * 5)
        prices = [row.price for row in book]
        self.assertEqual(prices, sorted(prices, reverse=True))
        self.assertEqual(len(book), mt5.symbol_info("EURUSD").ticks_bookdepth)
        self.assertIs(mt5.market_book_release("EURUSD"), True)
        self.assertIs(mt5.market_book_release("EURUSD"), False)
        self.assertIsNone(mt5.market_book_get("EURUSD"))
        self.assertIs(mt5.market_book_add("NOSUCH"), False)
        self.assertEqual(mt5.last_error(), (-4, "Terminal: Not found"))

    def test_bars(self):
        last = mt5.copy_rates_from_pos("EURUSD", mt5.TIMEFRAME_M5, 0, 500)
        self.assertEqual(last.dtype.names, ("time", "open", "high", "low", "close", "tick_volume", "spread", "real_volume"))
        self.assertEqual(
            [str(last.dtype[n]) for n in ("time", "open", "tick_volume", "spread")], ["int64", "float64", "uint64", "int32"]
        )
        self.assertEqual(len(last), 500)
        self.assertTrue((np.diff(last["time"]) > 0).all())
        last["close"][0] = 1.0
        upto = mt5.copy_rates_from("EURUSD", mt5.TIMEFRAME_M5, int(last["time"][-2]), 400)
        self.assertEqual(upto["time"].tolist(), last["time"][-401:-1].tolist())
        span = mt5.copy_rates_range("EURUSD", mt5.TIMEFRAME_M5, int(last["time"][100]), int(last["time"][200]))
        self.assertEqual(span["time"].tolist(), last["time"][100:201].tolist())
        aware = datetime.datetime.fromtimestamp(int(last["time"][200]), datetime.timezone.utc)
        naive = datetime.datetime.fromtimestamp(int(last["time"][200]))
        for date in (aware, naive):
            self.assertEqual(mt5.copy_rates_from("EURUSD", mt5.TIMEFRAME_M5, date, 1)["time"][0], last["time"][200])
        self.assertIsNone(mt5.copy_rates_from_pos("NOSUCH", mt5.TIMEFRAME_M5, 0, 5))
        self.assertEqual(mt5.last_error()[0], -4)
        for bad in ((7, 0, 5), (1, -1, 5), (1, 0, 0)):
            self.assertIsNone(mt5.copy_rates_from_pos("EURUSD", *bad))
            self.assertEqual(mt5.last_error()[0], -2)

    def test_more_bars_than_one_answer_has(self):
        with mock.patch.object(mt5._functions, "_page", 100):
            paged = mt5.copy_rates_from_pos("EURUSD", mt5.TIMEFRAME_M1, 5, 450)
            span = mt5.copy_rates_range("EURUSD", mt5.TIMEFRAME_M1, int(paged["time"][0]), int(paged["time"][-1]))
        self.assertEqual(len(paged), 450)
        whole = mt5.copy_rates_range("EURUSD", mt5.TIMEFRAME_M1, int(paged["time"][0]), int(paged["time"][-1]))
        self.assertEqual(paged.tolist(), whole.tolist())
        self.assertEqual(span.tolist(), whole.tolist())

    def test_ticks(self):
        end = mt5.symbol_info_tick("EURUSD").time
        span = mt5.copy_ticks_range("EURUSD", end - 600, end, mt5.COPY_TICKS_ALL)
        self.assertEqual(span.dtype.names, ("time", "bid", "ask", "last", "volume", "time_msc", "flags", "volume_real"))
        self.assertEqual([str(span.dtype[n]) for n in ("volume", "time_msc", "flags")], ["uint64", "int64", "uint32"])
        self.assertGreater(len(span), 20)
        self.assertTrue((span["time"] == span["time_msc"] // 1000).all())
        first = mt5.copy_ticks_from("EURUSD", end - 600, 20, mt5.COPY_TICKS_ALL)
        self.assertEqual(first.tolist(), span[:20].tolist())
        # Fewer than asked for: the search goes on until there can be none.
        rest = mt5.copy_ticks_from("EURUSD", end - 60, 100_000, mt5.COPY_TICKS_INFO)
        self.assertGreaterEqual(len(rest), len(mt5.copy_ticks_range("EURUSD", end - 60, end, mt5.COPY_TICKS_INFO)))
        with mock.patch.object(mt5._functions, "_days", 1):
            parts = mt5.copy_ticks_range("EURUSD", end - 2 * 86400 - 5, end, mt5.COPY_TICKS_ALL)
        with mock.patch.object(mt5._functions, "_days", None):
            whole = mt5.copy_ticks_range("EURUSD", end - 2 * 86400 - 5, end, mt5.COPY_TICKS_ALL)
        self.assertEqual(parts.tolist(), whole.tolist())
        # The ends of time cost no search.
        last = datetime.datetime(9999, 12, 31, tzinfo=datetime.timezone.utc)
        self.assertEqual(len(mt5.copy_rates_from("EURUSD", mt5.TIMEFRAME_M1, last, 5)), 5)
        self.assertGreater(len(mt5.copy_rates_range("EURUSD", mt5.TIMEFRAME_M1, end - 600, last)), 5)
        self.assertGreater(len(mt5.copy_ticks_range("EURUSD", end - 60, last, mt5.COPY_TICKS_ALL)), 2)
        self.assertIsNotNone(mt5.history_deals_get(0, last))
        self.assertIsNotNone(mt5.history_deals_total(0, last))
        self.assertEqual(len(mt5.copy_ticks_range("EURUSD", end + 9 * 86400, end + 10 * 86400, mt5.COPY_TICKS_ALL)), 0)

    def test_calculations(self):
        self.assertGreater(mt5.order_calc_margin(mt5.ORDER_TYPE_BUY, "EURUSD", 0.1, 1.1), 0)
        self.assertAlmostEqual(mt5.order_calc_profit(mt5.ORDER_TYPE_SELL, "EURUSD", 1.0, 1.1, 1.0), 10000.0)
        for bad in ((99, "EURUSD", 0.1, 1.1), (-1, "EURUSD", 0.1, 1.1), (0, "EURUSD", float("nan"), 1.1), (0, "EURUSD", 0.1, float("inf"))):
            self.assertIsNone(mt5.order_calc_margin(*bad))
            self.assertEqual(mt5.last_error()[0], -2)
        self.assertIsNone(mt5.order_calc_margin())
        self.assertEqual(mt5.last_error(), (-2, "Invalid arguments"))

    def test_another_account_never_answers(self):
        mt5._session.transport.expect(42)
        self.assertIsNone(mt5.positions_get())
        self.assertEqual(mt5.last_error(), (-6, "Terminal: Authorization failed"))
        self.assertIsNone(mt5.order_send(deal_request()))
        self.assertEqual(mt5.last_error(), (-6, "Terminal: Authorization failed"))


TEXTS = {"symbol": "", "comment": ""}


def deal_request():
    return {"action": 1, "symbol": "EURUSD", "volume": 0.1, "type": 0, "price": 1.0, "magic": 7}


class Trading(Session):
    def test_a_position_is_opened_protected_reduced_and_closed(self):
        opened = mt5.order_send(deal())
        self.assertEqual((opened.retcode, opened.volume), (mt5.TRADE_RETCODE_DONE, 0.1))
        self.assertGreater(opened.price, 0)
        self.assertEqual(opened.request.magic, 7)
        (position,) = mt5.positions_get(ticket=opened.order)
        self.assertEqual((position.magic, position.volume, mt5.positions_total()), (7, 0.1, 1))
        self.assertEqual(len(mt5.positions_get(group="*USD*,!GBP*")), 1)
        for symbol in ("GBPUSD", "NOSUCH"):
            self.assertEqual((mt5.positions_get(symbol=symbol), mt5.orders_get(symbol=symbol)), ((), ()))
            self.assertEqual(mt5.last_error(), (1, "Success"))
        levels = {"action": mt5.TRADE_ACTION_SLTP, "position": opened.order, "symbol": "EURUSD", "sl": 0.5}
        self.assertEqual(mt5.order_send(levels).retcode, mt5.TRADE_RETCODE_DONE)
        self.assertEqual(mt5.order_send(levels).retcode, mt5.TRADE_RETCODE_NO_CHANGES)
        self.assertEqual(mt5.positions_get(ticket=opened.order)[0].sl, 0.5)
        close = deal(type=mt5.ORDER_TYPE_SELL, position=opened.order)
        self.assertEqual(mt5.order_send({**close, "volume": 0.2}).retcode, mt5.TRADE_RETCODE_INVALID_CLOSE_VOLUME)
        self.assertEqual(mt5.order_send({**close, "type": 0}).retcode, mt5.TRADE_RETCODE_INVALID)
        self.assertEqual(
            mt5.order_send({**close, "type_filling": mt5.ORDER_FILLING_RETURN}).retcode, mt5.TRADE_RETCODE_INVALID_FILL
        )
        self.assertEqual(mt5.order_send({**close, "volume": 0.04}).volume, 0.04)
        self.assertEqual(mt5.order_send({**close, "volume": 0.06}).retcode, mt5.TRADE_RETCODE_DONE)
        self.assertEqual(mt5.order_send({**close, "volume": 0.06}).retcode, mt5.TRADE_RETCODE_POSITION_CLOSED)
        deals = mt5.history_deals_get(position=opened.order)
        self.assertEqual([(d.entry, d.volume) for d in deals], [(0, 0.1), (1, 0.04), (1, 0.06)])
        self.assertEqual(mt5.history_deals_get(ticket=opened.order), deals[:1])
        self.assertEqual(len(mt5.history_orders_get(position=opened.order)), 3)
        now = mt5.symbol_info_tick("EURUSD").time
        window = mt5.history_deals_get(now - 3600, now + 3600)
        self.assertEqual(window[-3:], deals)
        self.assertEqual(mt5.history_deals_total(now - 3600, now + 3600), len(window))
        self.assertEqual(mt5.history_deals_get(now - 3600, now + 3600, group="XAU*"), ())
        self.assertEqual(kept_keys(), [])

    def test_two_positions_are_closed_by_one_another(self):
        long = mt5.order_send(deal(volume=0.3))
        short = mt5.order_send(deal(type=mt5.ORDER_TYPE_SELL))
        by = {"action": mt5.TRADE_ACTION_CLOSE_BY, "position": long.order, "position_by": short.order}
        closed = mt5.order_send(by)
        self.assertEqual((closed.retcode, closed.volume), (mt5.TRADE_RETCODE_DONE, 0.1), closed.comment)
        self.assertEqual(closed.request, mt5.TradeRequest.of({**dict.fromkeys(closed.request._asdict(), 0), **by, **TEXTS}))
        self.assertEqual([(p.ticket, round(p.volume, 2)) for p in mt5.positions_get()], [(long.order, 0.2)])
        self.assertEqual(mt5.history_deals_get(position=short.order)[-1].entry, mt5.DEAL_ENTRY_OUT_BY)
        self.assertEqual(mt5.order_send(by).retcode, mt5.TRADE_RETCODE_POSITION_CLOSED)

    def test_a_pending_order_is_placed_changed_and_removed(self):
        expiration = mt5.symbol_info_tick("EURUSD").time + 200 * 86400
        pending = deal(action=mt5.TRADE_ACTION_PENDING, type=mt5.ORDER_TYPE_BUY_LIMIT, price=0.9)
        placed = mt5.order_send({**pending, "type_time": mt5.ORDER_TIME_SPECIFIED, "expiration": expiration})
        self.assertEqual(placed.retcode, mt5.TRADE_RETCODE_DONE)
        (order,) = mt5.orders_get(ticket=placed.order)
        self.assertEqual((order.price_open, order.time_expiration, mt5.orders_total()), (0.9, expiration, 1))
        changed = mt5.order_send({"action": mt5.TRADE_ACTION_MODIFY, "order": placed.order, "price": 0.91, "sl": 0.8})
        self.assertEqual(changed.retcode, mt5.TRADE_RETCODE_DONE)
        (order,) = mt5.orders_get(symbol="EURUSD")
        self.assertEqual((order.price_open, order.sl, order.time_expiration), (0.91, 0.8, 0))
        self.assertEqual(mt5.order_send({"action": mt5.TRADE_ACTION_REMOVE, "order": placed.order}).retcode, mt5.TRADE_RETCODE_DONE)
        self.assertEqual(
            mt5.order_send({"action": mt5.TRADE_ACTION_REMOVE, "order": placed.order}).retcode, mt5.TRADE_RETCODE_INVALID
        )
        self.assertEqual(mt5.history_orders_get(ticket=placed.order)[0].state, mt5.ORDER_STATE_CANCELED)
        stop_limit = {**pending, "type": mt5.ORDER_TYPE_BUY_STOP_LIMIT, "price": 1.2, "stoplimit": 1.19}
        placed = mt5.order_send(stop_limit)
        self.assertEqual(mt5.orders_get(ticket=placed.order)[0].price_stoplimit, 1.19)
        mt5.order_send({"action": mt5.TRADE_ACTION_REMOVE, "order": placed.order})

    def test_what_cannot_be_sent_has_the_retcode_that_the_server_has_for_it(self):
        pending = deal(action=mt5.TRADE_ACTION_PENDING, type=mt5.ORDER_TYPE_BUY_LIMIT, price=0.9)
        for request, retcode in (
            (deal(symbol="NOSUCH"), mt5.TRADE_RETCODE_INVALID),
            (deal(volume=0.0), mt5.TRADE_RETCODE_INVALID_VOLUME),
            (deal(volume=0.001), mt5.TRADE_RETCODE_INVALID_VOLUME),
            (deal(volume=1e9), mt5.TRADE_RETCODE_INVALID_VOLUME),
            (deal(sl=5.0), mt5.TRADE_RETCODE_INVALID_STOPS),
            (deal(type=2), mt5.TRADE_RETCODE_INVALID),
            (deal(type_filling=mt5.ORDER_FILLING_BOC), mt5.TRADE_RETCODE_INVALID_FILL),
            (deal(magic=2**53), mt5.TRADE_RETCODE_INVALID),
            (deal(action=2), mt5.TRADE_RETCODE_INVALID),
            ({"action": mt5.TRADE_ACTION_CLOSE_BY, "position": 1, "position_by": 2}, mt5.TRADE_RETCODE_POSITION_CLOSED),
            (deal(sl=float("nan")), mt5.TRADE_RETCODE_INVALID_STOPS),
            ({"action": mt5.TRADE_ACTION_SLTP, "position": 1, "sl": 1.0}, mt5.TRADE_RETCODE_POSITION_CLOSED),
            ({"action": mt5.TRADE_ACTION_SLTP, "symbol": "EURUSD", "sl": 1.0}, mt5.TRADE_RETCODE_INVALID),
            ({"action": mt5.TRADE_ACTION_MODIFY, "order": 1, "price": 1.0}, mt5.TRADE_RETCODE_INVALID),
            ({**pending, "price": 1.2}, mt5.TRADE_RETCODE_INVALID_PRICE),
            ({**pending, "price": 0.0}, mt5.TRADE_RETCODE_INVALID_PRICE),
            ({**pending, "type_time": mt5.ORDER_TIME_SPECIFIED_DAY}, mt5.TRADE_RETCODE_INVALID_EXPIRATION),
            ({**pending, "type_time": 2, "expiration": 5}, mt5.TRADE_RETCODE_INVALID_EXPIRATION),
            ({**pending, "type_time": 2, "expiration": 1_600_000_000}, mt5.TRADE_RETCODE_INVALID_EXPIRATION),
        ):
            with self.subTest(request):
                result = mt5.order_send(request)
                self.assertIsNotNone(result, mt5.last_error())
                self.assertEqual((result.retcode, result.order, result.deal), (retcode, 0, 0), result.comment)
                self.assertEqual(mt5.last_error(), (1, "Success"))
        self.assertEqual((mt5.positions_total(), mt5.orders_total()), (0, 0))

    def test_the_kill_switch_is_the_autotrading_button(self):
        call("/kill", method="POST")
        try:
            self.assertEqual(mt5.order_send(deal()).retcode, mt5.TRADE_RETCODE_CLIENT_DISABLES_AT)
        finally:
            call("/kill/release", method="POST")
        self.assertEqual(mt5.positions_total(), 0)

    def test_checks(self):
        checked = mt5.order_check(deal())
        self.assertEqual((checked.retcode, checked.comment, checked.request.volume), (0, "Done", 0.1))
        self.assertEqual(mt5.order_check(deal(volume=0.001)).retcode, mt5.TRADE_RETCODE_INVALID_VOLUME)
        self.assertEqual(mt5.positions_total(), 0)

    def test_checks_closes_and_changes(self):
        long = mt5.order_send(deal(volume=0.2)).order
        short = mt5.order_send(deal(type=mt5.ORDER_TYPE_SELL)).order
        price = round(mt5.symbol_info_tick("EURUSD").ask - 0.05, 5)
        pending = deal(action=mt5.TRADE_ACTION_PENDING, type=mt5.ORDER_TYPE_BUY_LIMIT, price=price)
        order = mt5.order_send(pending).order
        self.addCleanup(mt5.order_send, {"action": mt5.TRADE_ACTION_REMOVE, "order": order})
        margin = mt5.account_info().margin
        close = deal(type=mt5.ORDER_TYPE_SELL, position=long)
        self.assertLess(mt5.order_check(close).margin, margin)
        for request in (
            close,
            {**pending, "type_time": mt5.ORDER_TIME_DAY},
            {"action": mt5.TRADE_ACTION_SLTP, "position": long, "symbol": "EURUSD", "sl": price, "tp": 0.0},
            {"action": mt5.TRADE_ACTION_MODIFY, "order": order, "price": price - 0.01},
            {"action": mt5.TRADE_ACTION_REMOVE, "order": order},
            {"action": mt5.TRADE_ACTION_CLOSE_BY, "position": long, "position_by": short},
        ):
            checked = mt5.order_check(request)
            self.assertEqual((checked.retcode, checked.comment), (0, "Done"), request)
            self.assertEqual(checked.request.action, request["action"])
        for request, retcode in (
            ({**close, "volume": 5.0}, mt5.TRADE_RETCODE_INVALID_CLOSE_VOLUME),
            ({**close, "position": 5}, mt5.TRADE_RETCODE_POSITION_CLOSED),
            ({"action": mt5.TRADE_ACTION_SLTP, "position": long, "sl": 9.0}, mt5.TRADE_RETCODE_INVALID_STOPS),
        ):
            sent = mt5.order_send(request)
            self.assertEqual((mt5.order_check(request).retcode, sent.retcode), (retcode, retcode), request)
        self.assertEqual((mt5.positions_total(), mt5.orders_total()), (2, 1))

    def test_buy_sell_and_close(self):
        self.assertEqual(mt5.Buy("EURUSD", 0.1).retcode, mt5.TRADE_RETCODE_DONE)
        self.assertEqual(mt5.Sell("EURUSD", 0.2, comment="mine").retcode, mt5.TRADE_RETCODE_DONE)
        self.assertEqual([p.comment for p in mt5.positions_get() if p.volume == 0.2], ["mine"])
        self.assertIs(mt5.Close("EURUSD"), True)
        self.assertIs(mt5.Close("EURUSD"), False)
        self.assertEqual(mt5.positions_total(), 0)

    def test_an_answer_that_is_no_longer_kept_names_only_the_order_of_the_request(self):
        done = {"ok": True, "result": None, "ticket": 77, "original_response_expired": True}
        for request, order in (
            (deal(), 77),
            ({"action": mt5.TRADE_ACTION_REMOVE, "order": 77}, 77),
            (deal(position=77), 0),
            ({"action": mt5.TRADE_ACTION_SLTP, "position": 77}, 0),
            ({"action": mt5.TRADE_ACTION_CLOSE_BY, "position": 77, "position_by": 78}, 0),
        ):
            full = mt5._functions.full_request((request,), {})
            self.assertEqual(mt5._orders._executed(full, done)[:3], (mt5.TRADE_RETCODE_DONE, 0, order))

    def test_a_key_of_the_bots_own_is_sent_once(self):
        request = deal()
        first = mt5.order_send(request, key=f"own-{time.time_ns()}-a")
        key = f"own-{time.time_ns()}"
        second = mt5.order_send(request, key=key)
        self.assertEqual(mt5.order_send(request, key=key), second)
        self.assertNotEqual(first.order, second.order)
        self.assertEqual(mt5.positions_total(), 2)
        self.assertEqual(mt5.order_send({**request, "volume": 0.3}, key=key).retcode, mt5.TRADE_RETCODE_REJECT)
        for bad in ("", "..", "é", "x" * 129, 5):
            self.assertIsNone(mt5.order_send(request, key=bad))
            self.assertEqual(mt5.last_error(), (-2, 'Invalid "key" argument'))


class LostConnections(unittest.TestCase):
    def setUp(self):
        parts = urlsplit(URL)
        self.way = BrokenWay((parts.hostname, parts.port))
        self.addCleanup(self.way.close)
        with mock.patch.dict(os.environ, {"GATEWAY_URL": self.way.url}):
            self.assertTrue(mt5.initialize(timeout=1000), mt5.last_error())
        self.addCleanup(mt5.shutdown)
        self.addCleanup(call, "/close_all_positions", {})

    def test_an_order_whose_answers_are_lost_is_done_once(self):
        self.way.lose_answers = 3
        result = mt5.order_send(deal())
        self.assertEqual((self.way.lost, result.retcode), (3, mt5.TRADE_RETCODE_DONE))
        self.assertEqual([p.ticket for p in mt5.positions_get()], [result.order])

    def test_an_order_that_did_not_arrive_is_done_once(self):
        self.way.lose_requests = 2
        result = mt5.order_send(deal())
        self.assertEqual((self.way.lost, result.retcode), (2, mt5.TRADE_RETCODE_DONE))
        self.assertEqual([p.ticket for p in mt5.positions_get()], [result.order])

    def test_an_unknown_outcome_is_10012_and_the_same_request_gets_its_result(self):
        self.way.lose_answers = 1000
        request = deal()
        unknown = mt5.order_send(request)
        self.assertEqual((unknown.retcode, unknown.order), (mt5.TRADE_RETCODE_TIMEOUT, 0))
        # A retry has the price of its time.
        retry = {**request, "price": request["price"] + 0.0001, "sl": 0.5, "comment": "again"}
        self.assertEqual(mt5.order_send(retry).retcode, mt5.TRADE_RETCODE_TIMEOUT)
        self.assertEqual(len(kept_keys()), 1)
        self.way.lose_answers = 0
        settled = mt5.order_send(retry)
        self.assertEqual(settled.retcode, mt5.TRADE_RETCODE_DONE)
        self.assertEqual([p.ticket for p in mt5.positions_get()], [settled.order])
        self.assertEqual(kept_keys(), [])
        # Now it is a new order.
        self.assertNotEqual(mt5.order_send(request).order, settled.order)

    def test_a_pending_order_at_another_price_waits_for_the_first_one(self):
        pending = deal(action=mt5.TRADE_ACTION_PENDING, type=mt5.ORDER_TYPE_BUY_LIMIT, price=0.9)
        self.way.lose_answers = 1000
        self.assertEqual(mt5.order_send(pending).retcode, mt5.TRADE_RETCODE_TIMEOUT)
        self.assertEqual(mt5.order_send({**pending, "price": 0.91}).retcode, mt5.TRADE_RETCODE_TIMEOUT)
        self.way.lose_answers = 0
        self.assertEqual(mt5.order_send({**pending, "price": 0.91}).retcode, mt5.TRADE_RETCODE_DONE)
        self.assertEqual([o.price_open for o in mt5.orders_get()], [0.9, 0.91])
        for order in mt5.orders_get():
            mt5.order_send({"action": mt5.TRADE_ACTION_REMOVE, "order": order.ticket})

    def test_a_refusal_after_a_lost_attempt_is_final(self):
        """The lost attempt may still be on its way, so its key is made void before the refusal is reported."""
        self.way.lose_requests = 1
        call("/kill", method="POST")
        try:
            key = f"void-{time.time_ns()}"
            self.assertEqual(mt5.order_send(deal(), key=key).retcode, mt5.TRADE_RETCODE_CLIENT_DISABLES_AT)
        finally:
            call("/kill/release", method="POST")
        self.assertEqual(call(f"/trade_requests/{key}")["status"], "void")

    def killed_while_it_sends(self):
        """A bot that dies when its first attempt has failed."""
        program = (
            "import os, time, MetaTrader5 as mt5\n"
            "assert mt5.initialize()\n"
            "time.sleep = lambda seconds: os._exit(9)\n"
            f"mt5.order_send({deal()!r})\n"
        )
        env = {**os.environ, "GATEWAY_URL": self.way.url}
        self.assertEqual(subprocess.run([sys.executable, "-c", program], env=env, timeout=60).returncode, 9)
        (kept,) = kept_keys()
        return json.loads(kept.read_text())["key"]

    def started_again(self):
        with mock.patch.dict(os.environ, {"GATEWAY_URL": self.way.url}):
            self.assertTrue(mt5.initialize(), mt5.last_error())
        self.assertEqual(kept_keys(), [])

    def test_what_a_killed_bot_had_sent_is_seen_by_the_next_one(self):
        self.way.lose_answers = 1
        key = self.killed_while_it_sends()
        self.started_again()
        self.assertEqual(mt5.positions_total(), 1)
        self.assertEqual(call(f"/trade_requests/{key}")["status"], "completed")

    def test_what_a_killed_bot_had_not_sent_never_will_be(self):
        self.way.lose_requests = 1
        key = self.killed_while_it_sends()
        self.started_again()
        self.assertEqual(mt5.positions_total(), 0)
        self.assertEqual(call(f"/trade_requests/{key}")["status"], "void")

    def test_a_gateway_that_is_gone_got_nothing(self):
        self.way.close()
        mt5._session.transport._http.close()
        mt5._session.transport._http = type(mt5._session.transport._http)(timeout=5, trust_env=False)
        self.assertIsNone(mt5.order_send(deal_request()))
        self.assertEqual(mt5.last_error(), (-10004, "No IPC connection"))
        self.assertEqual(kept_keys(), [])

    def test_reads_survive_a_lost_connection_and_threads_share_a_session(self):
        results = []
        threads = [threading.Thread(target=lambda: results.append(mt5.symbol_info_tick("EURUSD"))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len([tick for tick in results if tick is not None]), 8)


if __name__ == "__main__":
    unittest.main()
