"""The EMA cross of the bench in backtesting.py: on bid bars, with the mean spread of the files.

Usage: backtesting_py.py CAPITAL BID.csv,ASK.csv[,BID.csv,ASK.csv...]
"""

import sys
import warnings

import pandas as pd
from backtesting import Backtest, Strategy
from backtesting.lib import crossover
from engine_usage import report

warnings.simplefilter("ignore")


def ema(values, span):
    return pd.Series(values).ewm(span=span, adjust=False).mean()


class EmaCross(Strategy):
    def init(self):
        self.fast = self.I(ema, self.data.Close, 12, plot=False)
        self.slow = self.I(ema, self.data.Close, 26, plot=False)

    def next(self):
        if crossover(self.fast, self.slow):
            self.position.close()
            self.buy(size=10_000)
        elif crossover(self.slow, self.fast):
            self.position.close()
            self.sell(size=10_000)


def read(paths):
    rows = pd.concat(pd.read_csv(path, index_col="timestamp", parse_dates=True) for path in paths)
    return rows.rename(columns=str.capitalize)


capital, files = float(sys.argv[1]), sys.argv[2].split(",")
bid = read([path for path in files if "ask" not in path])
ask = read([path for path in files if "ask" in path])
spread = float(((ask["Close"] - bid["Close"]) / bid["Close"]).mean())
result = Backtest(bid, EmaCross, cash=capital, spread=spread, margin=1 / 30, finalize_trades=True).run()
report(int(result["# Trades"]), len(bid))
