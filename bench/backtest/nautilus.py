"""The EMA cross of the bench in NautilusTrader 2: four quotes for each bar of bid and ask, and the bar with the first quote after it.

Usage: nautilus.py CAPITAL BID.csv,ASK.csv[,BID.csv,ASK.csv...]
"""

import sys
from decimal import Decimal

from ema_cross import UNITS, Cross, read, report, sides
from nautilus_trader.backtest import BacktestEngine, BacktestEngineConfig
from nautilus_trader.common import LoggerConfig
from nautilus_trader.execution import MakerTakerFeeModel
from nautilus_trader.model import (
    AccountType,
    Bar,
    BarType,
    Currency,
    CurrencyPair,
    InstrumentId,
    Money,
    OmsType,
    OrderSide,
    Price,
    Quantity,
    QuoteTick,
    Symbol,
    Venue,
)
from nautilus_trader.trading import Strategy

# Seconds from the open of a bar to its four quotes.
MOMENTS = (0, 20, 40, 59)
SECOND = 1_000_000_000

capital, (bids, asks) = float(sys.argv[1]), map(read, sides(sys.argv[2]))
usd = Currency.from_str("USD")
instrument_id = InstrumentId.from_str("GBP/USD.SIM")
instrument = CurrencyPair(
    instrument_id=instrument_id,
    raw_symbol=Symbol("GBP/USD"),
    base_currency=Currency.from_str("GBP"),
    quote_currency=usd,
    price_precision=5,
    size_precision=0,
    price_increment=Price.from_str("0.00001"),
    size_increment=Quantity.from_int(1),
    ts_event=0,
    ts_init=0,
)
bar_type = BarType.from_str(f"{instrument_id}-1-MINUTE-BID-EXTERNAL")


class EmaCross(Strategy):
    def __init__(self):
        super().__init__()
        self.cross = Cross()
        self.fills = 0

    def on_start(self):
        self.subscribe_bars(bar_type)

    def on_bar(self, bar):
        signal = self.cross.add(bar.close.as_double())
        if signal == 0:
            return
        side = OrderSide.BUY if signal > 0 else OrderSide.SELL
        units = UNITS if self.fills == 0 else 2 * UNITS
        self.submit_order(self.order_factory.market(instrument_id, side, Quantity.from_int(units)))

    def on_order_filled(self, _event):
        self.fills += 1


def price(value):
    return Price(value, 5)


def events():
    size = Quantity.from_int(1_000_000)
    for index, (bid, ask) in enumerate(zip(bids, asks, strict=True)):
        for moment, bid_price, ask_price in zip(MOMENTS, bid[1:], ask[1:], strict=True):
            at = bid[0] + moment * SECOND
            yield QuoteTick(instrument_id, price(bid_price), price(ask_price), size, size, at, at)
            if moment == 0 and index > 0:
                _, *prices = bids[index - 1]
                yield Bar(bar_type, *map(price, prices), size, at + 1, at + 1)


engine = BacktestEngine(BacktestEngineConfig(logging=LoggerConfig(bypass_logging=True), run_analysis=False))
engine.add_venue(
    venue=Venue("SIM"),
    oms_type=OmsType.NETTING,
    account_type=AccountType.MARGIN,
    base_currency=usd,
    starting_balances=[Money(capital, usd)],
    fee_model=MakerTakerFeeModel(Decimal(0), Decimal(0)),
    bar_execution=False,
)
engine.add_instrument(instrument)
engine.add_data(list(events()))
strategy = EmaCross()
engine.add_strategy(strategy)
engine.run()
balance = engine.portfolio.account(Venue("SIM")).balance_total(usd).as_double()
(position,) = engine.cache.positions_open()
floating = (bids[-1][4] - position.avg_px_open) if position.is_long else (position.avg_px_open - asks[-1][4])
report(len(bids), strategy.fills - 1, balance - capital, balance + floating * UNITS)
