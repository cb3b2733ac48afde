"""The EMA cross of the bench in backtesting.py: on bid bars, with the mean spread of the files.

Usage: backtesting_py.py CAPITAL BID.csv,ASK.csv[,BID.csv,ASK.csv...]
"""

import sys
import warnings

import pandas as pd
from backtesting import Backtest, Strategy
from ema_cross import UNITS, Cross, report, sides

warnings.simplefilter("ignore")


class EmaCross(Strategy):
    def init(self):
        cross = Cross()
        self.signals = [cross.add(close) for close in self.data.Close]

    def next(self):
        signal = self.signals[len(self.data) - 1]
        if signal == 0:
            return
        self.position.close()
        if signal > 0:
            self.buy(size=UNITS)
        else:
            self.sell(size=UNITS)


def read(paths):
    rows = pd.concat(pd.read_csv(path, index_col="timestamp", parse_dates=True) for path in paths)
    return rows.rename(columns=str.capitalize)


capital, (bid, ask) = float(sys.argv[1]), map(read, sides(sys.argv[2]))
spread = float(((ask["Close"] - bid["Close"]) / bid["Close"]).mean())
result = Backtest(bid, EmaCross, cash=capital, spread=spread, margin=1 / 30).run()
trades = result["_trades"]
report(len(bid), len(trades), trades["PnL"].sum(), result["Equity Final [$]"])
