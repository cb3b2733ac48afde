"""A live node on a gateway: it opens a position of 1,000 euros, and closes it at the next quote. End it with Ctrl+C."""

import asyncio
import signal

from nautilus_trader.common import Environment, LoggerConfig, LogLevel
from nautilus_trader.live import InstrumentProviderConfig, LiveNode, LiveNodeConfig
from nautilus_trader.model import InstrumentId, OrderSide, Quantity, StrategyId, TraderId
from nautilus_trader.trading import Strategy, StrategyConfig
from trading_gateway.nautilus import (
    GatewayDataClientConfig,
    GatewayDataClientFactory,
    GatewayExecutionClientFactory,
    execution_client_config,
    execution_engine_config,
)

EURUSD = InstrumentId.from_str("EURUSD.MT5")
TURNAROUND = StrategyId("TURN-001")


class Turnaround(Strategy):
    def __init__(self, config):
        super().__init__(config)
        self.entry = None

    def on_start(self):
        self.subscribe_quotes(EURUSD)

    def on_quote(self, quote):
        if self.entry is None:
            self.entry = self.order_factory.market(EURUSD, OrderSide.BUY, Quantity.from_int(1_000))
            self.submit_order(self.entry)
            return
        for position in self.cache.positions_open(strategy_id=TURNAROUND):
            if not self.cache.orders_inflight(strategy_id=TURNAROUND):
                self.close_position(position)

    def on_position_closed(self, event):
        print("PositionClosed", self.cache.position(event.position_id).realized_pnl, flush=True)


async def main():
    symbols = InstrumentProviderConfig(load_ids=[str(EURUSD)])
    config = LiveNodeConfig(
        environment=Environment.LIVE,
        trader_id=TraderId("TRADER-001"),
        logging=LoggerConfig(stdout_level=LogLevel.WARNING),
        exec_engine=execution_engine_config(),
        delay_post_stop_secs=1,
        data_clients={"MT5": GatewayDataClientConfig(instrument_provider=symbols)},
        # The gateway is asked for the account's login, mode and currency.
        exec_clients={"MT5": execution_client_config(instrument_provider=symbols)},
    )
    node = LiveNode.build(
        "GATEWAY",
        config,
        data_factories={"MT5": GatewayDataClientFactory()},
        exec_factories={"MT5": GatewayExecutionClientFactory()},
    )
    node.add_strategy(Turnaround(StrategyConfig(strategy_id=TURNAROUND, use_uuid_client_order_ids=True)))
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, node.handle().stop)
    await node.run_async()


asyncio.run(main())
