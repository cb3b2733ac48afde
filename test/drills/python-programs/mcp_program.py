"""The client of metatrader-mcp-server from PyPI, unmodified, on the MetaTrader5 package of python/."""

from metatrader_client import MT5Client

client = MT5Client({"login": 100001, "password": "simulator", "server": "Simulator-Demo"})
assert client.connect()
assert client.market.get_symbol_price("EURUSD")["ask"] > 0
assert len(client.market.get_candles_latest("EURUSD", "M5", 20)) == 20
assert not client.order.place_market_order(type="BUY", symbol="EURUSD", volume=0.1)["error"]
positions = client.order.get_all_positions()
assert len(positions) == 1
ticket = int(positions.iloc[0]["id"])
assert not client.order.modify_position(ticket, stop_loss=0.9)["error"]
assert not client.order.close_position(ticket)["error"]
assert not client.order.place_pending_order(type="BUY", symbol="EURUSD", volume=0.1, price=0.95)["error"]
assert len(client.order.get_all_pending_orders()) == 1
assert not client.order.cancel_all_pending_orders()["error"]
assert len(client.order.get_all_positions()) == 0
assert client.disconnect()
print("metatrader-mcp-server: done")
