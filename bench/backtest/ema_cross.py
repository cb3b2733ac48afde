"""The EMA cross that the bench runs in every engine, and the report of what a run cost and came to.

Long from a cross of the fast average above the slow one on, short from one below it on, each time at the first quote after the bar.
"""

import csv
import json
import resource
from datetime import datetime

FAST, SLOW = 12, 26
# Units of each position: a tenth of a lot.
UNITS = 10_000
# Bars before the first one that is traded, as the strategy of the daemon asks for.
WARMUP = 3 * SLOW


def sides(files):
    """The files of bids, and those of asks."""
    paths = files.split(",")
    return [path for path in paths if "ask" not in path], [path for path in paths if "ask" in path]


def read(paths):
    """Rows of open, high, low and close with the time of the open in nanoseconds."""
    rows = []
    for path in paths:
        with open(path, newline="") as file:
            for row in list(csv.reader(file))[1:]:
                seconds = int(datetime.fromisoformat(row[0]).timestamp())
                rows.append((seconds * 1_000_000_000, *map(float, row[1:5])))
    return rows


class Cross:
    """The signal of each bar: 1 for a cross upwards, -1 for one downwards, 0 for none."""

    def __init__(self):
        self.fast = self.slow = self.above = None
        self.bars = 0

    def add(self, close):
        self.fast = averaged(self.fast, close, FAST)
        self.slow = averaged(self.slow, close, SLOW)
        self.bars += 1
        if self.bars < SLOW or self.fast == self.slow:
            return 0
        before, self.above = self.above, self.fast > self.slow
        if before is None or before == self.above or self.bars <= WARMUP:
            return 0
        return 1 if self.above else -1


def averaged(before, price, span):
    weight = 2 / (span + 1)
    return price * weight + (price if before is None else before) * (1 - weight)


def report(bars, trades, profit, equity):
    """Prints what the process cost from its start on. `trades` and `profit` are of closed positions."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cost = {"cpuSeconds": usage.ru_utime + usage.ru_stime, "residentMib": usage.ru_maxrss / 1024}
    print(json.dumps({**cost, "bars": bars, "trades": int(trades), "profit": float(profit), "equity": float(equity)}))
