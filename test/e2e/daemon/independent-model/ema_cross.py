"""An independent model of strategies/ema-cross.ts and of the broker's fills, in pandas.

Written from docs/strategies.md alone: it shares no code, no language and no indicator library with the product.

Usage: ema_cross.py BID.csv ASK.csv PARAMS..., where PARAMS is JSON: fast, slow, volume, stopAtr, targetAtr, limitFill.
Prints a JSON list with one entry for each PARAMS: its closed trades in order, each with side, times (ms UTC; the minute of
an exit inside a bar), prices, the reason of the exit, profit and swap in USD; then the trade that is open at the end, or
null; then the number of entries that the broker refuses, because the price has passed a level already.
"""

import json
import sys

import pandas as pd

POINT = 0.00001
DIGITS = 5
CONTRACT = 100_000
SWAP_POINTS = {"buy": -2.4, "sell": -1.9}
SERVER_ZONE = "Europe/Athens"
WEDNESDAY = 2
ATR_BARS = 14
WARMUP_SLOW_AVERAGES = 3


def read(path: str) -> pd.DataFrame:
    rows = pd.read_csv(path, parse_dates=["timestamp"], index_col="timestamp")
    return rows[["open", "high", "low", "close"]]


def crosses(bars: pd.DataFrame, fast: int, slow: int) -> pd.Series:
    """1 on a bar whose close brings the fast average above the slow one, -1 below it, else 0."""
    gap = bars["close"].ewm(span=fast, adjust=False).mean() - bars["close"].ewm(span=slow, adjust=False).mean()
    gap[: slow - 1] = 0
    side = gap.apply(lambda x: (x > 0) - (x < 0)).replace(0, pd.NA).ffill()
    before = side.shift()
    return side.where(before.notna() & (side != before), 0).fillna(0).astype(int)


def average_range(bars: pd.DataFrame) -> pd.Series:
    """Wilder's average true range: the mean of the first true ranges, then smoothed."""
    before = bars["close"].shift()
    true = pd.concat([bars["high"] - bars["low"], (bars["high"] - before).abs(), (bars["low"] - before).abs()], axis=1)
    ranges = true.max(axis=1)
    seeded = ranges.copy()
    seeded.iloc[: ATR_BARS - 1] = float("nan")
    seeded.iloc[ATR_BARS - 1] = ranges.iloc[:ATR_BARS].mean()
    return seeded.ewm(alpha=1 / ATR_BARS, adjust=False).mean()


def nights(opened: pd.Timestamp, closed: pd.Timestamp) -> int:
    """Server midnights between the two, weekdays only; the one that ends Wednesday counts three times."""
    first = opened.tz_convert(SERVER_ZONE).normalize()
    last = closed.tz_convert(SERVER_ZONE).normalize()
    days = pd.date_range(first, last - pd.Timedelta(days=1), freq="D") if last > first else []
    return sum(3 if day.weekday() == WEDNESDAY else 1 for day in days if day.weekday() < 5)


def exit_at_open(position: dict, bid: dict, ask: dict, needed: int):
    """Between two bars the price jumps: the first quote fills a level that it has passed. Prices in points."""
    sign, quotes = (1, bid) if position["side"] == "buy" else (-1, ask)
    stop, target, price = position["sl"], position["tp"], quotes["open"]
    if stop is not None and sign * (price - stop) <= 0:
        return price, "sl"
    if target is not None and sign * (price - target) >= needed:
        return price, "tp"
    return None


def exit_inside(position: dict, bid: dict, ask: dict, needed: int):
    """Price and reason of a fill of the stop or the target on the path of one bar, or None. Prices in points."""
    sign, quotes = (1, bid) if position["side"] == "buy" else (-1, ask)
    stop, target = position["sl"], position["tp"]
    low_first = bid["open"] - bid["low"] + bid["high"] - bid["close"]
    high_first = bid["high"] - bid["open"] + bid["close"] - bid["low"]
    middle = ["low", "high"] if low_first <= high_first else ["high", "low"]
    for point in [quotes[name] for name in [*middle, "close"]]:
        if stop is not None and sign * (point - stop) <= 0:
            return stop, "sl"
        if target is not None and sign * (point - target) >= needed:
            return target, "tp"
    return None


def simulate(bid: pd.DataFrame, ask: pd.DataFrame, params: dict) -> dict:
    signals = crosses(bid, params["fast"], params["slow"])
    signals.iloc[: params["slow"] * WARMUP_SLOW_AVERAGES] = 0
    ranges = average_range(bid)
    points = [frame.div(POINT).round().astype(int).to_dict("records") for frame in (bid, ask)]
    closes = bid["close"]
    needed = 0 if params.get("limitFill") == "touch" else 1
    trades, position, refused = [], None, 0

    def close(index: int, price: int, reason: str) -> None:
        sign = 1 if position["side"] == "buy" else -1
        money = sign * (price - position["price"]) * POINT * CONTRACT * params["volume"]
        swap = SWAP_POINTS[position["side"]] * POINT * CONTRACT * params["volume"]
        night = nights(bid.index[position["index"]], bid.index[index])
        trades.append(row(position, index, price, reason, round(money, 2), night * round(swap, 2)))

    def row(of, index, price, reason, profit, swap):
        return {
            "side": of["side"],
            "openedMs": int(bid.index[of["index"]].timestamp() * 1000),
            "entryPrice": round(of["price"] * POINT, DIGITS),
            "closedMs": None if index is None else int(bid.index[index].timestamp() * 1000),
            "exitPrice": None if price is None else round(price * POINT, DIGITS),
            "exitReason": reason,
            "profit": None if profit is None else round(profit + swap, 2) + 0.0,
            "swap": None if swap is None else round(swap, 2) + 0.0,
        }

    for index in range(1, len(bid)):
        bid_bar, ask_bar = points[0][index], points[1][index]
        signal = int(signals.iloc[index - 1])
        left = position and exit_at_open(position, bid_bar, ask_bar, needed)
        if position and signal and not left:
            left = (bid_bar if position["side"] == "buy" else ask_bar)["open"], "strategy"
        if left:
            close(index, *left)
            position = None
        if signal:
            position = entry(index, signal, closes.iloc[index - 1], ranges.iloc[index - 1], bid_bar, ask_bar, params)
            refused += position is None
        left = position and exit_inside(position, bid_bar, ask_bar, needed)
        if left:
            close(index, *left)
            position = None
    return {
        "trades": trades,
        "open": position and row(position, None, None, None, None, None),
        "refused": refused,
    }


def entry(index, signal, close, average, bid_bar, ask_bar, params):
    """A position at the first quote of the bar; None where the quote has passed a level already."""
    price, other = (ask_bar["open"], bid_bar["open"]) if signal == 1 else (bid_bar["open"], ask_bar["open"])

    def level(of, sign):
        return None if of not in params else round((close + sign * signal * params[of] * average) / POINT)

    stop, target = level("stopAtr", -1), level("targetAtr", 1)
    if stop is not None and signal * (other - stop) <= 0:
        return None
    if target is not None and signal * (target - other) <= 0:
        return None
    return {"side": "buy" if signal == 1 else "sell", "index": index, "price": price, "sl": stop, "tp": target}


if __name__ == "__main__":
    bid, ask, *sets = sys.argv[1:]
    files = read(bid), read(ask)
    print(json.dumps([simulate(*files, json.loads(params)) for params in sets]))
