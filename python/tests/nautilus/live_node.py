"""A live node on the gateway of GATEWAY_URL, and a strategy that a test drives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from nautilus_trader.common import Cache, Environment, LoggerConfig, LogLevel
from nautilus_trader.live import InstrumentProviderConfig, LiveNode, LiveNodeConfig
from nautilus_trader.model import InstrumentId, StrategyId, TraderId
from nautilus_trader.trading import Strategy, StrategyConfig
from trading_gateway.nautilus import (
    GatewayDataClientConfig,
    GatewayDataClientFactory,
    GatewayExecutionClientFactory,
    execution_client_config,
    execution_engine_config,
)

EURUSD = InstrumentId.from_str("EURUSD.MT5")
STRATEGY = StrategyId("TEST-001")


CONFIG = StrategyConfig(strategy_id=STRATEGY, use_uuid_client_order_ids=True, log_events=False)


class Driven(Strategy):
    """Keeps what it receives."""

    def __new__(cls) -> Driven:
        # Its order factory has only the configuration that arrives here.
        return super().__new__(cls, CONFIG)

    def __init__(self) -> None:
        super().__init__(CONFIG)
        self.quotes: list[Any] = []
        self.bars: list[Any] = []
        self.history: dict[str, list[Any]] = {"quotes": [], "bars": []}
        self.events: list[Any] = []

    def on_start(self) -> None:
        self.subscribe_quotes(EURUSD)

    def on_quote(self, quote: Any) -> None:
        self.quotes.append(quote)

    def on_bar(self, bar: Any) -> None:
        self.bars.append(bar)

    def on_historical_quotes(self, quotes: Any) -> None:
        self.history["quotes"] += quotes

    def on_historical_bars(self, bars: Any) -> None:
        self.history["bars"] += bars

    def on_order_event(self, event: Any) -> None:
        self.events.append(event)

    def names(self, order: Any) -> list[str]:
        """What happened to an order."""
        return [type(event).__name__ for event in self.events if event.client_order_id == order.client_order_id]


def built(
    url: str | None = None, stop_seconds: float = 0.3, execution_factory: Any = None, brackets: str = "denied", **engine: Any
) -> LiveNode:
    """`url` is the way that the clients take; `stop_seconds` is the time that the strategies have when they are stopped."""
    provider = InstrumentProviderConfig(load_ids=[str(EURUSD)])
    execution = execution_client_config(instrument_provider=provider, brackets=brackets)
    execution.url = url
    config = LiveNodeConfig(
        environment=Environment.LIVE,
        trader_id=TraderId("TESTER-001"),
        logging=LoggerConfig(stdout_level=LogLevel.OFF),
        exec_engine=execution_engine_config(**engine),
        timeout_disconnection_secs=2,
        delay_post_stop_secs=stop_seconds,
        timeout_shutdown_secs=1,
        data_clients={"MT5": GatewayDataClientConfig(url=url, instrument_provider=provider, poll_seconds=0.2)},
        exec_clients={"MT5": execution},
    )
    factories = {"MT5": GatewayDataClientFactory()}, {"MT5": execution_factory or GatewayExecutionClientFactory()}
    return LiveNode.build("TEST", config, data_factories=factories[0], exec_factories=factories[1])


@asynccontextmanager
async def running(node: LiveNode) -> AsyncIterator[Cache]:
    cache, handle = node.cache, node.handle()
    run = asyncio.ensure_future(node.run_async())
    try:
        await until(lambda: run.done() or handle.is_running)
        yield cache
    finally:
        handle.stop()
        await run


async def until(holds: Callable[[], Any]) -> Any:
    """Waits until something holds; the time limit of the suite is the only other end."""
    while True:
        value = holds()
        if value:
            return value
        await asyncio.sleep(0.02)
