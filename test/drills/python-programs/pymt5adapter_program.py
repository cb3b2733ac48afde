"""pymt5adapter from PyPI, unmodified, on the MetaTrader5 package of python/."""

import pymt5adapter as adapter
from pymt5adapter.const import TIMEFRAME
from pymt5adapter.order import Order

with adapter.connected(login=100001, server="Simulator-Demo", raise_on_errors=True) as connection:
    assert connection.ping().trade_server > 0
    assert adapter.terminal_info().connected
    assert {symbol.name for symbol in adapter.symbols_get(function=lambda symbol: symbol.visible)} >= {"EURUSD"}
    assert len(adapter.copy_rates("EURUSD", TIMEFRAME.M1, count=20)) == 20
    opened = Order.as_buy(symbol="EURUSD", volume=0.3, comment="adapter").send()
    positions = adapter.positions_get(function=lambda position: position.comment == "adapter")
    assert [position.ticket for position in positions] == [opened.order]
    Order.as_sell(symbol="EURUSD", volume=0.3, position=opened.order).send()
    try:
        adapter.symbol_info("NOPE")
        raise AssertionError("a symbol that does not exist")
    except adapter.MT5Error as error:
        assert "Not found" in str(error)
print("pymt5adapter: done")
