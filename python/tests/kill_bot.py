"""A bot that is killed: it buys once for each number, and remembers in a file what it began and what it got.

    python -m kill_bot NOTES STOP

Ends when the file STOP is there.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import MetaTrader5 as mt5


def main(notes: Path, stop: Path) -> None:
    begun, got = remembered(notes)
    while not mt5.initialize(timeout=60_000):
        print("waits for the gateway", mt5.last_error(), flush=True)
        time.sleep(0.1)
    with notes.open("a") as file:

        def note(*words: object) -> None:
            file.write(" ".join(str(word) for word in words) + "\n")
            file.flush()
            print(*words, flush=True)

        number = begun
        if begun and begun not in got:
            # Killed while it bought: the account says what became of it.
            found = deals_of(begun)
            if found:
                note("got", begun, found[0])
            else:
                number -= 1
        while not stop.exists():
            number += 1
            note("begin", number)
            note("got", number, buy(number))


def buy(number: int) -> int:
    """As bots do, it tries until it has its order."""
    request = {
        "action": mt5.TRADE_ACTION_DEAL,
        "symbol": "EURUSD",
        "volume": 0.01,
        "type": mt5.ORDER_TYPE_BUY,
        "magic": number,
        "type_filling": mt5.ORDER_FILLING_FOK,
    }
    while True:
        result = mt5.order_send(request)
        if result is not None and result.retcode == mt5.TRADE_RETCODE_DONE:
            return result.order
        print("again", number, result and (result.retcode, result.comment), mt5.last_error(), flush=True)
        time.sleep(0.05)


def deals_of(number: int) -> list[int]:
    """The tickets of its positions, as the account shows them."""
    while True:
        deals = mt5.history_deals_get(1_600_000_000, 2_000_000_000)
        if deals is not None:
            return [deal.position_id for deal in deals if deal.magic == number]
        time.sleep(0.1)


def remembered(notes: Path) -> tuple[int, set[int]]:
    lines = [line.split() for line in notes.read_text().splitlines()] if notes.exists() else []
    begun = max((int(words[1]) for words in lines if words[0] == "begin"), default=0)
    return begun, {int(words[1]) for words in lines if words[0] == "got"}


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
