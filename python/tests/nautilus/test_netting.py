"""The clients for NautilusTrader on a netting account: the platform nets each strategy; together they are the account's position."""

from __future__ import annotations

import gc
import unittest
from decimal import Decimal
from typing import Any

from live_node import EURUSD, STRATEGY, Driven, built, running, until
from nautilus_trader.model import OrderSide, OrderStatus, Quantity
from trading_gateway import AsyncGateway


def net_of(cache: Any, **which: Any) -> Decimal:
    """Units, above 0 for a long position."""
    positions = cache.positions_open(**which)
    return sum((p.quantity.as_decimal() * (1 if p.side.name == "LONG" else -1) for p in positions), Decimal(0))


class TestNetting(unittest.IsolatedAsyncioTestCase):
    async def test_turns_reduces_and_starts_again(self) -> None:
        async with AsyncGateway() as gateway:

            async def of_account() -> Decimal:
                rows = await gateway.positions()
                return sum((Decimal(str(row.volume)) * 100_000 * (1 if row.type == 0 else -1) for row in rows), Decimal(0))

            node, strategy = built(), Driven()
            node.add_strategy(strategy)
            async with running(node) as cache:
                await until(lambda: strategy.quotes)
                for side, size, reduces, net in (
                    (OrderSide.BUY, 20_000, False, 20_000),
                    (OrderSide.SELL, 50_000, False, -30_000),
                    (OrderSide.SELL, 5_000, True, None),
                    (OrderSide.BUY, 40_000, True, None),
                    (OrderSide.BUY, 5_000, True, -25_000),
                ):
                    order = strategy.order_factory.market(EURUSD, side, Quantity.from_int(size), reduce_only=reduces)
                    strategy.submit_order(order)
                    await until(lambda: cache.order(order.client_order_id).is_closed)
                    if net is None:
                        # One of its side, or one that is larger, would not reduce it: neither is sent.
                        self.assertNotEqual(OrderStatus.FILLED, cache.order(order.client_order_id).status)
                    else:
                        await until(lambda: net_of(cache, strategy_id=STRATEGY) == net)
                        self.assertEqual(net, await of_account())
                await gateway.order("EURUSD", 0.1, "BUY")
                await until(lambda: net_of(cache) == -15_000)
                self.assertEqual(-25_000, net_of(cache, strategy_id=STRATEGY))
            # A thread has one node at a time.
            del node, strategy, cache, order
            gc.collect()
            node, strategy = built(), Driven()
            node.add_strategy(strategy)
            async with running(node) as cache:
                await until(lambda: strategy.quotes)
                self.assertEqual(await of_account(), net_of(cache))


if __name__ == "__main__":
    unittest.main()
