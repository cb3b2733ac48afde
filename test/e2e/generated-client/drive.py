"""Drives a gateway with the client that was generated from its OpenAPI document.

usage: drive.py <folder of the package gateway_api> <base URL> <API key>

Every operation is called and every answer parsed by the generated code, which raises on an undocumented status, on a
null or an enumeration value that the document does not allow, and on a missing field.
"""

import importlib
import pkgutil
import sys
from datetime import datetime, timedelta, timezone

folder, base_url, key = sys.argv[1:]
sys.path.insert(0, folder)

import gateway_api.api  # noqa: E402
from gateway_api import AuthenticatedClient, models  # noqa: E402

# An endless answer: the generated code waits for its end.
STREAMS = {"data.streams_stream_ticks", "data.streams_stream_trades"}

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

call("health.health_live")
call("health.health_ready")
health = call("health.health_health")
assert health.last_error is None
call("control.journal_accept", body=models.AcceptJournalRequest(journal_id=health.journal.id))
call("account.account_accept", body=models.AcceptAccountRequest(since=health.account_evidence.since))
assert "terminal_connected" in call("health.metrics_metrics")
login = call("account.account_account").login

call("symbol.symbols_list", search="*EUR*")
call("symbol.symbols_info", symbol="EURUSD")
bid = call("symbol.symbols_tick", symbol="EURUSD").bid
call("symbol.symbols_tick", status=404, symbol="NOSUCH")
call("data.bars_fetch_data_pos", symbol="EURUSD", timeframe=models.BarsFetchDataPosTimeframe.M1, num_bars=5)
call("data.bars_fetch_data_range", symbol="EURUSD", timeframe=models.BarsFetchDataRangeTimeframe.M1, start=since, end=now)
call("data.ticks_copy_ticks_range", symbol="EURUSD", from_date=since, to_date=now)

call("order.calculators_check", body=order(type_=BUY))
call("order.calculators_margin", body=models.CalcMarginRequest("EURUSD", 0.1, models.CalcMarginRequestType.BUY))
call(
    "order.calculators_profit",
    body=models.CalcProfitRequest("EURUSD", 0.1, models.CalcProfitRequestType.BUY, price_open=1.1, price_close=1.2),
)

# A position: opened, protected, reduced, closed.
opened = trade("order.place_order_place", body=order(type_=BUY, magic=7), x_expect_login=login)
position = opened.position
assert opened.fill_price_source.value == "order_send" and opened.sl_confirmed is None
trade("position.change_positions_modify", body=models.ModifyLevelsRequest(position=position, sl=round(bid / 2, 5)))
trade("position.change_positions_close_part", body=models.ClosePartialRequest(ticket=position, volume=0.04))
assert len(call("position.positions_list", magic=7).data) == 1
assert call("position.positions_total").total == 1
assert trade("position.change_positions_close", body=models.ClosePositionRequest(position=position)).profit is not None
trade("position.change_positions_close", status=404, body=models.ClosePositionRequest(position=1))

# A pending order: its fill price has no source, which is null. Placed, changed, cancelled.
pending = trade("order.place_order_place", body=order(type_=BUY_LIMIT, price=round(bid - 0.01, 5)))
assert pending.state.value == "placed" and pending.fill_price_source is None
ticket = pending.result.order
assert call("order.orders_list", ticket=ticket).data[0].time_done_utc is None
lower = models.ModifyOrderRequest(price=round(bid - 0.02, 5))
trade("order.orders_modify", ticket=ticket, body=lower)
trade("order.orders_cancel", ticket=ticket)

# What is past.
deals = call("history.history_history_deals_get", from_date=since, limit=2)
call("history.history_history_deals_get", from_date=since, limit=2, cursor=deals.next_cursor)
call("history.history_history_deals_range", magic=7)
call("history.history_history_orders_get", from_date=datetime(2000, 1, 1, tzinfo=timezone.utc))
call("history.history_get_deal_from_ticket", ticket=position)
call("history.history_get_order_from_ticket", ticket=ticket)
call("history.last_error_last_error")
call("history.last_error_last_error_str")
call("data.streams_events")
call("control.reconciliation_reconcile", magic=7)
call("order.reconciliation_trade_request", key=opened.client_order_id)
call("order.reconciliation_trade_request", status=404, key="no-such-key")
assert call("order.reconciliation_audit_lines", key=opened.client_order_id).complete
assert call("control.reconciliation_verify_audit").problems == []
assert call("control.notifications_set_aside").total == 0
refused = models.SetAsideRequest(channel="ops", ids=["trade-1-1"])
assert call("control.notifications_retry", body=refused).not_set_aside == ["trade-1-1"]
assert call("control.notifications_drop", body=refused).ids == []
call("order.reconciliation_void_trade_request", key="never-sent")
call("order.reconciliation_accept_outcome", key=opened.client_order_id)
assert call("control.fences_raise", strategy="trend", body=models.RaiseFenceRequest(token=7, magics=[7001])).token == 7
call("control.fences_raise", status=409, strategy="trend", body=models.RaiseFenceRequest(token=6))
assert call("control.fences_one", strategy="trend").state == "raised"
assert call("control.fences_list").total == 1
assert call("control.strategies_strategies").daemon == "none"
trade("order.place_order_place", status=412, body=order(type_=BUY, magic=7001), x_fence="trend;6")

# All that is open, and the switch.
trade("order.place_order_place", body=order(type_=BUY))
trade("position.close_all_close", body=models.CloseAllRequest())
trade("order.place_order_place", body=order(type_=BUY))
killed = call("control.control_kill", flatten=True)
assert killed.kill_switch_active and killed.flatten.complete
assert call("control.control_kill").flatten is None
trade("order.place_order_place", status=423, body=order(type_=BUY))
assert call("health.health_ready", status=503).checks is not None
call("control.control_release")
trade("order.place_order_place", status=400, body=order(type_=BUY, price=-1.0))

operations = {
    "%s.%s" % (group.name, module.name)
    for group in pkgutil.iter_modules(gateway_api.api.__path__)
    for module in pkgutil.iter_modules([gateway_api.api.__path__[0] + "/" + group.name])
}
missing = operations - called - STREAMS
assert not missing, "operations that were not called: %s" % sorted(missing)
print("%d operations" % len(called))
