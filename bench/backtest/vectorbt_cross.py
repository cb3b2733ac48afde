"""The EMA cross of the bench in vectorbt with its Rust engine: an order at the open of the bar after each cross, on its own side.

Usage: vectorbt_cross.py CAPITAL BID.csv,ASK.csv[,BID.csv,ASK.csv...]
"""

import sys
import warnings

import numpy as np
import pandas as pd
import vectorbt as vbt
from ema_cross import FAST, SLOW, UNITS, WARMUP, report, sides

warnings.simplefilter("ignore")


def read(paths):
    return pd.concat(pd.read_csv(path, index_col="timestamp", parse_dates=True) for path in paths)


def signals(closes):
    """1 and -1 where the averages have crossed since the bar before, 0 elsewhere."""
    fast, slow = (closes.ewm(span=span, adjust=False).mean() for span in (FAST, SLOW))
    above = np.sign(fast - slow).replace(0, np.nan).ffill()
    crossed = above.where(above.ne(above.shift()), 0)
    crossed[:WARMUP] = 0
    return crossed


capital, (bid, ask) = float(sys.argv[1]), map(read, sides(sys.argv[2]))
signal = signals(bid["close"]).shift(fill_value=0)
portfolio = vbt.Portfolio.from_orders(
    bid["close"],
    size=(signal * UNITS).where(signal != 0),
    size_type="targetamount",
    price=ask["open"].where(signal > 0, bid["open"]),
    init_cash=capital,
    freq="1min",
    engine="rust",
)
closed = portfolio.exit_trades.closed
held = portfolio.assets().iloc[-1]
last = (bid if held > 0 else ask)["close"].iloc[-1]
report(len(bid), closed.count(), closed.pnl.sum(), portfolio.cash().iloc[-1] + held * last)
