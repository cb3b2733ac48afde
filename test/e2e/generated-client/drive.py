"""Drives a gateway with the client that was generated from its OpenAPI document.

usage: drive.py <folder of the package gateway_api> <base URL> <API key>

Every operation is called and every answer parsed by the generated code, which raises on an undocumented status, on a
null or an enumeration value that the document does not allow, and on a missing field.
"""

import importlib
import pkgutil
import sys
import time
from datetime import datetime, timedelta, timezone

folder, base_url, key = sys.argv[1:]
sys.path.insert(0, folder)

import gateway_api.api  # noqa: E402
from gateway_api import AuthenticatedClient, models  # noqa: E402

# An endless answer: the generated code waits for its end.
STREAMS = {"data.stream_ticks", "data.stream_trades"}

client = AuthenticatedClient(base_url=base_url, token=key, raise_on_unexpected_status=True)
called = set()
keys = iter(range(1_000_000))


def call(operation, status=200, **arguments):
    """The parsed answer of an operation, which must have the status."""
    called.add(operation)
    module = importlib.import_module("gateway_api.api." + operation)
    response = module.sync_detailed(client=client, **arguments)
    assert response.status_code == status, (operation, response.status_code, response.content)
    assert response.parsed is not None, (operation, response.content)
    assert (status >= 400) == hasattr(response.parsed, "error_type"), (operation, response.parsed)
    return response.parsed


def trade(operation, status=200, **arguments):
    return call(operation, status, idempotency_key="generated-%d" % next(keys), **arguments)


def order(**fields):
    return models.OrderRequest(symbol="EURUSD", volume=0.1, **fields)


BUY, BUY_LIMIT = models.OrderRequestType.BUY, models.OrderRequestType.BUY_LIMIT
now = datetime.now(timezone.utc)
since = now - timedelta(hours=1)

call("health.get_liveness")
call("health.get_readiness")
health = call("health.get_health")
assert health.last_error is None
call("control.accept_journal", body=models.AcceptJournalRequest(journal_id=health.journal.id))
call("account.accept_account", body=models.AcceptAccountRequest(since=health.account_evidence.since))
assert "terminal_connected" in call("health.get_metrics")
login = call("account.get_account").login
assert call("account.list_equity").problem is None

call("symbol.list_symbols", search="*EUR*")
call("symbol.get_symbol", symbol="EURUSD")
bid = call("symbol.get_tick", symbol="EURUSD").bid
call("symbol.get_tick", status=404, symbol="NOSUCH")
call("data.fetch_data_pos", symbol="EURUSD", timeframe=models.FetchDataPosTimeframe.M1, num_bars=5)
call("data.fetch_data_range", symbol="EURUSD", timeframe=models.FetchDataRangeTimeframe.M1, start=since, end=now)
call("data.copy_ticks_range", symbol="EURUSD", from_date=since, to_date=now)
call("data.copy_rates_from", symbol="EURUSD", timeframe=models.CopyRatesFromTimeframe.M1, date=now, num_bars=5)
call("data.copy_ticks_from", symbol="EURUSD", from_date=since, num_ticks=5)
# The offset of its clock is known once quotes of several symbols have come.
deadline = time.monotonic() + 90
while call("health.get_health").server_time.offset_seconds is None and time.monotonic() < deadline:
    time.sleep(0.2)
assert call("data.get_server_time", date=now, clock=models.GetServerTimeClock.SERVER).offset_seconds is not None
assert call("account.get_terminal").connected
assert [row.digits for row in call("symbol.list_records", group="EURUSD").data] == [5]

call("order.check_order", body=order(type_=BUY))
call("order.calculate_margin", body=models.CalcMarginRequest("EURUSD", 0.1, models.CalcMarginRequestType.BUY))
call(
    "order.calculate_profit",
    body=models.CalcProfitRequest("EURUSD", 0.1, models.CalcProfitRequestType.BUY, price_open=1.1, price_close=1.2),
)

# A position: opened, protected, reduced, closed.
opened = trade("order.place_order", body=order(type_=BUY, magic=20260001), x_expect_login=login)
position = opened.position
assert opened.fill_price_source.value == "order_send" and opened.sl_confirmed is None
trade("position.modify_position", body=models.ModifyLevelsRequest(position=position, sl=round(bid / 2, 5)))
trade("position.close_position_partial", body=models.ClosePartialRequest(ticket=position, volume=0.04))
assert [row.magic for row in call("position.list_positions", magic=20260001).data] == [20260001]
assert call("position.count_positions").total == 1
assert trade("position.close_position", body=models.ClosePositionRequest(position=position)).profit is not None
trade("position.close_position", status=404, body=models.ClosePositionRequest(position=1))

# The same in the terminal's own form.
DEAL = models.OrderSendRequestAction.VALUE_1
deal = models.OrderSendRequest(action=DEAL, symbol="EURUSD", volume=0.1, type_filling=1)
assert call("order.check_trade_request", body=deal).valid
sent = trade("order.send_trade_request", body=deal)
assert sent.result.retcode == 10009 and sent.result.request.volume == 0.1
trade("order.send_trade_request", status=400, body=models.OrderSendRequest(action=DEAL))
assert len(call("symbol.get_market_book", symbol="EURUSD").data) > 0
assert call("control.list_signals").total == 0
# Without SIGNALS_FILE, no source has a secret.
call("control.deliver_signal", status=401, name="trend", secret="none", body="close EURUSD id=1")

# A pending order: its fill price has no source, which is null. Placed, changed, cancelled.
pending = trade("order.place_order", body=order(type_=BUY_LIMIT, price=round(bid - 0.01, 5)))
assert pending.state.value == "placed" and pending.fill_price_source is None
ticket = pending.result.order
assert call("order.list_orders", ticket=ticket).data[0].time_done_utc is None
lower = models.ModifyOrderRequest(price=round(bid - 0.02, 5))
trade("order.modify_order", ticket=ticket, body=lower)
trade("order.cancel_order", ticket=ticket)
assert call("order.list_trade_requests", limit=1).data[0].outcome.value == "done"

# What is past.
deals = call("history.list_deals", from_date=since, limit=2)
call("history.list_deals", from_date=since, limit=2, cursor=deals.next_cursor)
call("history.list_deals_of_magic", magic=7)
assert call("history.count_deals", from_date=since).total >= 3
assert call("history.count_history_orders", from_date=since).total >= 3
call("history.list_history_orders", from_date=datetime(2000, 1, 1, tzinfo=timezone.utc))
call("history.get_deal_from_ticket", ticket=position)
call("history.get_order_from_ticket", ticket=ticket)
call("history.get_last_error")
call("history.get_last_error_text")
call("data.list_events")
call("control.reconcile_account", magic=7)
call("order.get_trade_request", key=opened.client_order_id)
call("order.get_trade_request", status=404, key="no-such-key")
assert call("order.get_trade_request_audit", key=opened.client_order_id).complete
assert call("control.verify_audit").problems == []
assert call("control.list_set_aside_notifications").total == 0
refused = models.SetAsideRequest(channel="ops", ids=["trade-1-1"])
assert call("control.retry_notifications", body=refused).not_set_aside == ["trade-1-1"]
assert call("control.drop_notifications", body=refused).ids == []
call("order.void_trade_request", key="never-sent")
call("order.accept_trade_request", key=opened.client_order_id)
assert call("control.raise_fence", strategy="trend", body=models.RaiseFenceRequest(token=7, magics=[7001])).token == 7
call("control.raise_fence", status=409, strategy="trend", body=models.RaiseFenceRequest(token=6))
assert call("control.get_fence", strategy="trend").state == "raised"
assert call("control.list_fences").total == 1
assert call("control.list_strategies").daemon == "none"
assert call("control.read_strategy_log", name="trend").lines is None
assert call("control.read_strategy_results", name="trend").equity is None
trade("order.place_order", status=412, body=order(type_=BUY, magic=7001), x_fence="trend;6")

# All that is open, and the switch.
trade("order.place_order", body=order(type_=BUY))
trade("position.close_all_positions", body=models.CloseAllRequest())
trade("order.place_order", body=order(type_=BUY))
killed = call("control.engage_kill_switch", flatten=True)
assert killed.kill_switch_active and killed.flatten.complete
assert call("control.engage_kill_switch").flatten is None
trade("order.place_order", status=423, body=order(type_=BUY))
assert call("health.get_readiness", status=503).checks is not None
call("control.release_kill_switch")
trade("order.place_order", status=400, body=order(type_=BUY, price=-1.0))

operations = {
    "%s.%s" % (group.name, module.name)
    for group in pkgutil.iter_modules(gateway_api.api.__path__)
    for module in pkgutil.iter_modules([gateway_api.api.__path__[0] + "/" + group.name])
}
missing = operations - called - STREAMS
assert not missing, "operations that were not called: %s" % sorted(missing)
print("%d operations" % len(called))
