"""mt5-order-handle and the command doubo from PyPI, unmodified, on the MetaTrader5 package of python/."""

import subprocess
import sys
from pathlib import Path

import MetaTrader5 as mt5
from mt5_order_handle.mt5order import OrderHandle

assert mt5.initialize()
handle = OrderHandle(mt5)
ticket = handle.open_position("EURUSD", "BUY", 0.2)
low = mt5.symbol_info_tick("EURUSD").bid - 0.01
assert handle.modify_position("EURUSD", ticket, nw_sl=low) is True
assert handle.delete_pending(handle.open_position("EURUSD", "BUYLIMIT", 0.2, op_price=low))
subprocess.run([str(Path(sys.executable).with_name("doubo")), "place", "EURUSD", "0.1", "--sl", "500"], check=True)
assert sorted(handle.get_all_position("EURUSD").volume) == [0.1, 0.1, 0.2]
for position in mt5.positions_get():
    assert mt5.Close("EURUSD", ticket=position.ticket) is True
print("mt5-order-handle and doubo: done")
