"""Times reads of the MetaTrader5 package for Python on a gateway that GATEWAY_URL and API_KEY name.

    python bench/python.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import MetaTrader5 as mt5


def timed(name: str, rounds: int, call: Callable[[], object]) -> None:
    """Prints the least, the median and the worst of the rounds, in milliseconds."""
    took = []
    for _ in range(rounds):
        began = time.perf_counter()
        if call() is None:
            raise SystemExit(f"{name}: {mt5.last_error()}")
        took.append((time.perf_counter() - began) * 1000)
    print(f"{name}: {min(took):.2f} ms at least, {statistics.median(took):.2f} in the middle, {max(took):.2f} at most", flush=True)


def main() -> None:
    if not mt5.initialize():
        raise SystemExit(str(mt5.last_error()))
    timed("10,000 bars", 30, lambda: mt5.copy_rates_from_pos("EURUSD", mt5.TIMEFRAME_M1, 0, 10_000))
    timed("a quote", 300, lambda: mt5.symbol_info_tick("EURUSD"))
    timed("the account", 200, mt5.account_info)
    timed("the positions", 200, mt5.positions_get)
    mt5.shutdown()


if __name__ == "__main__":
    main()
