"""The EMA cross of the bench in NautilusTrader: four quotes for each bar of bid and ask, and bars that it makes of them.

Usage: nautilus.py CAPITAL BID.csv,ASK.csv[,BID.csv,ASK.csv...]
"""

import sys
from decimal import Decimal

import pandas as pd
from engine_usage import report
from nautilus_trader.backtest.engine import BacktestEngine, BacktestEngineConfig
from nautilus_trader.config import LoggingConfig
from nautilus_trader.examples.strategies.ema_cross import EMACross, EMACrossConfig
from nautilus_trader.model.currencies import USD
from nautilus_trader.model.data import BarType
from nautilus_trader.model.enums import AccountType, OmsType
from nautilus_trader.model.identifiers import Venue
from nautilus_trader.model.objects import Money
from nautilus_trader.persistence.wranglers import QuoteTickDataWrangler
from nautilus_trader.test_kit.providers import TestInstrumentProvider


def read(paths):
    return pd.concat(pd.read_csv(path, index_col="timestamp", parse_dates=True) for path in paths)


capital, files = float(sys.argv[1]), sys.argv[2].split(",")
bid = read([path for path in files if "ask" not in path])
ask = read([path for path in files if "ask" in path])
venue = Venue("SIM")
instrument = TestInstrumentProvider.default_fx_ccy("GBP/USD", venue=venue)
engine = BacktestEngine(BacktestEngineConfig(logging=LoggingConfig(bypass_logging=True)))
engine.add_venue(
    venue=venue,
    oms_type=OmsType.HEDGING,
    account_type=AccountType.MARGIN,
    base_currency=USD,
    starting_balances=[Money(capital, USD)],
)
engine.add_instrument(instrument)
engine.add_data(QuoteTickDataWrangler(instrument).process_bar_data(bid, ask))
engine.add_strategy(
    EMACross(
        EMACrossConfig(
            instrument_id=instrument.id,
            bar_type=BarType.from_str(f"{instrument.id}-1-MINUTE-BID-INTERNAL"),
            trade_size=Decimal(10_000),
            fast_ema_period=12,
            slow_ema_period=26,
        )
    )
)
engine.run()
report(len(engine.trader.generate_positions_report()), len(bid))
