"""A node that is killed: it opens and closes, and notes the key of each order before it submits it, and what became of it.

    python -m kill_node NOTES STOP

When the file STOP is there, it starts once more and writes what a new node has to NOTES.books.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from pathlib import Path
from typing import Any

from live_node import EURUSD, Driven, built, running, until
from nautilus_trader.model import OrderSide, OrderStatus, Price, Quantity

#: From the price, in its units.
FAR = 0.5


async def trade(notes: Path, stop: Path) -> None:
    node, strategy = built(brackets="levels"), Driven()
    node.add_strategy(strategy)
    async with running(node) as cache:
        await until(lambda: strategy.quotes)
        while not stop.exists():
            # Positions of an earlier life are closed as well: they are those of the account.
            for position in cache.positions_open()[:1]:
                await done(strategy, cache, notes, OrderSide.SELL, position)
            await done(strategy, cache, notes, OrderSide.BUY, None)
            await done(strategy, cache, notes, OrderSide.BUY, None, has_levels=True)


async def done(strategy: Driven, cache: Any, notes: Path, side: OrderSide, position: Any, has_levels: bool = False) -> None:
    """`has_levels`: as a bracket. Its levels are so far away that none is hit."""
    make = strategy.order_factory
    if has_levels:
        price = strategy.quotes[-1].bid_price.as_double()
        levels = {"sl_trigger_price": Price(price - FAR, 5), "tp_price": Price(price + FAR, 5)}
        bracket = make.bracket(EURUSD, side, Quantity.from_int(1_000), **levels)
        order = bracket[0]
        note(notes, "submitted", order.client_order_id, "with levels")
        strategy.submit_order_list(bracket)
    else:
        size = Quantity.from_int(1_000) if position is None else position.quantity
        order = make.market(EURUSD, side, size, reduce_only=position is not None)
        note(notes, "submitted", order.client_order_id)
        strategy.submit_order(order, position_id=None if position is None else position.id)
    await until(lambda: cache.order(order.client_order_id).is_closed)
    status = cache.order(order.client_order_id).status
    note(notes, "closed", order.client_order_id, status.name)
    if status != OrderStatus.FILLED:
        # While the gateway starts it refuses, or is not there.
        await asyncio.sleep(0.1)


def note(notes: Path, *words: object) -> None:
    with notes.open("a") as file:
        print(*words, file=file)
    print(*words, flush=True)


async def write_books(notes: Path) -> None:
    node, strategy = built(), Driven()
    node.add_strategy(strategy)
    async with running(node) as cache:
        await until(lambda: strategy.quotes)
        books = [(str(p.id), p.side.name, int(p.quantity.as_decimal())) for p in cache.positions_open()]
    Path(f"{notes}.books").write_text(json.dumps(books))


def main(notes: Path, stop: Path) -> None:
    asyncio.run(trade(notes, stop))
    gc.collect()
    asyncio.run(write_books(notes))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
