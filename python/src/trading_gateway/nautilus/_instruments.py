"""Symbols of the account as instruments. Quantities are units: lots times the contract size."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import Any

from nautilus_trader.common import Logger
from nautilus_trader.live import InstrumentProvider, InstrumentProviderConfig
from nautilus_trader.model import (
    AssetClass,
    Cfd,
    Currency,
    CurrencyPair,
    CurrencyType,
    InstrumentId,
    Price,
    Quantity,
    Symbol,
    Venue,
)

from .._gateway_async import AsyncGateway
from .._generated import SymbolRecord
from ._config import VENUE

#: Calculation modes of the terminal in which profit is the change of the price times the units. In the others it depends on the
#: value of a tick, on a face value or on accrued interest, and every figure of a portfolio would be wrong.
_CURRENCY_MODES = frozenset({0, 5})
_UNIT_MODES = _CURRENCY_MODES | {2, 3, 4, 32, 36}
_ASSETS = {0: AssetClass.FX, 3: AssetClass.INDEX, 5: AssetClass.FX, 32: AssetClass.EQUITY, 36: AssetClass.EQUITY}


class Unsupported(ValueError):
    """A symbol that cannot be an instrument; the text says why."""


class GatewayInstrumentProvider(InstrumentProvider):
    """Loads the symbols of a gateway. The filter `group` is a mask such as `*USD*,!EUR*`."""

    def __init__(self, config: InstrumentProviderConfig | None = None) -> None:
        super().__init__(config)
        self._gateway: AsyncGateway | None = None
        self._notes = Logger(type(self).__name__)

    def use(self, gateway: AsyncGateway) -> None:
        self._gateway = gateway

    async def load_all_async(self, filters: dict[str, Any] | None = None) -> None:
        """Raises NotReached or Refused if the symbols cannot be read."""
        for record in await self._records((filters or {}).get("group")):
            try:
                self.add(instrument_of(record))
            except Unsupported as problem:
                self._notes.warning(str(problem))

    async def load_ids_async(self, instrument_ids: list[InstrumentId], filters: dict[str, Any] | None = None) -> None:
        """Raises ValueError naming the ids that the account does not have or that cannot be traded, NotReached or Refused."""
        wanted = {str(instrument_id.symbol): instrument_id for instrument_id in instrument_ids}
        foreign = [str(instrument_id) for instrument_id in instrument_ids if str(instrument_id.venue) != VENUE]
        if foreign:
            raise ValueError(f"{', '.join(foreign)}: the venue of this client is {VENUE}, as in EURUSD.{VENUE}")
        records = {record.name: record for record in await self._records(None) if record.name in wanted}
        absent = sorted(wanted.keys() - records.keys())
        if absent:
            raise ValueError(f"{', '.join(absent)}: the account has no such symbol; GET /symbols_get lists those that it has")
        for record in records.values():
            self.add(instrument_of(record))

    async def found(self, instrument_id: InstrumentId) -> CurrencyPair | Cfd:
        """The instrument, loaded if it is not yet. Raises as `load_ids_async`."""
        if self.find(instrument_id) is None:
            await self.load_ids_async([instrument_id])
        instrument: Any = self.find(instrument_id)
        return instrument  # type: ignore[no-any-return]

    async def _records(self, group: str | None) -> list[SymbolRecord]:
        if self._gateway is None:
            raise ValueError("the provider has no gateway yet: it loads when its client connects")
        return await self._gateway.symbols(group)


def id_of(symbol: str) -> InstrumentId:
    return InstrumentId(Symbol(symbol), Venue(VENUE))


def instrument_of(record: SymbolRecord) -> CurrencyPair | Cfd:
    """Raises Unsupported."""
    if record.trade_calc_mode not in _UNIT_MODES:
        raise Unsupported(
            f"{record.name} is not offered: its profit is calculated in mode {record.trade_calc_mode} of the terminal, which "
            "is not the change of the price times the units"
        )
    contract, step = _decimal(record.trade_contract_size), _decimal(record.volume_step)
    if contract <= 0 or step <= 0:
        raise Unsupported(f"{record.name} is not offered: its contract size or volume step is 0")
    increment = contract * step
    places = max(0, -_exponent(increment))
    tick = _decimal(record.trade_tick_size) if record.trade_tick_size > 0 else _decimal(record.point)
    quote = currency_of(record.currency_profit)
    both: dict[str, Any] = {
        "instrument_id": id_of(record.name),
        "raw_symbol": Symbol(record.name),
        "quote_currency": quote,
        "base_currency": currency_of(record.currency_base),
        "price_precision": record.digits,
        "size_precision": places,
        "price_increment": Price.from_decimal_dp(tick, record.digits),
        "size_increment": Quantity.from_decimal_dp(increment, places),
        "lot_size": Quantity.from_decimal_dp(contract, places),
        "min_quantity": Quantity.from_decimal_dp(_decimal(record.volume_min) * contract, places),
        "max_quantity": Quantity.from_decimal_dp(_decimal(record.volume_max) * contract, places),
        "ts_event": time.time_ns(),
        "ts_init": time.time_ns(),
        "info": {"contract_size": str(contract), "volume_step": str(step), "path": record.path, "description": record.description},
    }
    if record.trade_calc_mode in _CURRENCY_MODES:
        return CurrencyPair(**both)
    if record.currency_base == record.currency_profit:
        both["base_currency"] = None
    return Cfd(asset_class=_ASSETS.get(record.trade_calc_mode, AssetClass.COMMODITY), **both)


def lots_of(instrument: CurrencyPair | Cfd, quantity: Quantity) -> float:
    """Lots of so many units. Raises ValueError for what is no multiple of the volume step, above the most or below the least."""
    units, contract, step = quantity.as_decimal(), contract_of(instrument), Decimal(instrument.info["volume_step"])
    lots = units / contract
    if lots % step != 0:
        raise ValueError(
            f"quantity is {units} units, {lots} lots; it must be a multiple of {instrument.size_increment} units, "
            f"the volume step of {step} lots: instrument.make_qty rounds to it"
        )
    least, most = instrument.min_quantity, instrument.max_quantity
    if least is not None and units < least.as_decimal():
        raise ValueError(f"quantity is {units} units; it must be at least {least} units for {instrument.id}")
    if most is not None and units > most.as_decimal():
        raise ValueError(f"quantity is {units} units; it must be at most {most} units for {instrument.id}")
    return float(lots)


def units_of(instrument: CurrencyPair | Cfd, lots: float) -> Quantity:
    """Units of so many lots, as the terminal counts them."""
    return Quantity.from_decimal_dp(_decimal(lots) * contract_of(instrument), instrument.size_precision)


def price_of(instrument: CurrencyPair | Cfd, price: float) -> Price:
    return Price(price, instrument.price_precision)


def contract_of(instrument: CurrencyPair | Cfd) -> Decimal:
    return Decimal(instrument.info["contract_size"])


def currency_of(code: str) -> Currency:
    """A currency of the account; one that the platform does not know is registered with 8 decimals."""
    try:
        return Currency.from_str(code, strict=True)
    except ValueError:
        made = Currency(code, 8, 0, code, CurrencyType.FIAT)
        Currency.register(made, overwrite=False)
        return made


def _decimal(number: float) -> Decimal:
    """What the terminal means by a double: 0.1 and not its nearest binary fraction, without its noise beyond 10 digits."""
    return Decimal(repr(round(number, 10))).normalize()


def _exponent(number: Decimal) -> int:
    exponent = number.normalize().as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0
