"""The records of the package: tuples whose members have names, in its order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any, ClassVar, TypeVar

import numpy as np

_Kind = TypeVar("_Kind", bound="Record")


class Record(tuple[Any, ...]):
    """A struct sequence as the package has it: members by name and `_asdict`, but neither `_fields` nor `_replace`."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    n_fields: ClassVar[int]
    n_sequence_fields: ClassVar[int]
    n_unnamed_fields: ClassVar[int] = 0

    def __new__(cls: type[_Kind], sequence: Iterable[Any], dict: Mapping[str, Any] | None = None) -> _Kind:
        made = super().__new__(cls, sequence)
        if len(made) != len(cls.__match_args__):
            raise TypeError(f"MetaTrader5.{cls.__name__}() takes a {len(cls.__match_args__)}-sequence ({len(made)}-sequence given)")
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r} that can be set")

    def __init_subclass__(cls) -> None:
        names = [name for name in cls.__annotations__ if not name.startswith("_")]
        cls.__match_args__ = tuple(names)  # type: ignore[misc]
        cls.n_fields = cls.n_sequence_fields = len(names)
        for place, name in enumerate(names):
            setattr(cls, name, property(itemgetter(place)))

    @classmethod
    def of(cls: type[_Kind], row: Mapping[str, Any], **more: Any) -> _Kind:
        """From a row of the gateway; what it has beyond the record is left out. A member that is missing is an error."""
        values = {**row, **more}
        kinds = cls.__annotations__
        return cls(float(values[name]) if kinds[name] == "float" else values[name] for name in cls.__match_args__)

    def _asdict(self) -> dict[str, Any]:
        """Convert named tuple object to dictionary"""
        return dict(zip(self.__match_args__, self))

    def __repr__(self) -> str:
        members = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{type(self).__name__}({members})"

    def __reduce__(self) -> Any:
        return type(self), (tuple(self),)


class AccountInfo(Record):
    """The account. Money in the deposit currency."""

    login: int
    trade_mode: int
    leverage: int
    limit_orders: int
    margin_so_mode: int
    trade_allowed: bool
    trade_expert: bool
    margin_mode: int
    currency_digits: int
    fifo_close: bool
    balance: float
    credit: float
    profit: float
    equity: float
    margin: float
    margin_free: float
    margin_level: float
    margin_so_call: float
    margin_so_so: float
    margin_initial: float
    margin_maintenance: float
    assets: float
    liabilities: float
    commission_blocked: float
    name: str
    server: str
    currency: str
    company: str


class TerminalInfo(Record):
    """The terminal. `ping_last` in microseconds."""

    community_account: bool
    community_connection: bool
    connected: bool
    dlls_allowed: bool
    trade_allowed: bool
    tradeapi_disabled: bool
    email_enabled: bool
    ftp_enabled: bool
    notifications_enabled: bool
    mqid: bool
    build: int
    maxbars: int
    codepage: int
    ping_last: int
    community_balance: float
    retransmission: float
    company: str
    name: str
    language: str
    path: str
    data_path: str
    commondata_path: str


class SymbolInfo(Record):
    """A symbol, with its last quote. `time` is the server's clock."""

    custom: bool
    chart_mode: int
    select: bool
    visible: bool
    session_deals: int
    session_buy_orders: int
    session_sell_orders: int
    volume: int
    volumehigh: int
    volumelow: int
    time: int
    digits: int
    spread: int
    spread_float: bool
    ticks_bookdepth: int
    trade_calc_mode: int
    trade_mode: int
    start_time: int
    expiration_time: int
    trade_stops_level: int
    trade_freeze_level: int
    trade_exemode: int
    swap_mode: int
    swap_rollover3days: int
    margin_hedged_use_leg: bool
    expiration_mode: int
    filling_mode: int
    order_mode: int
    order_gtc_mode: int
    option_mode: int
    option_right: int
    bid: float
    bidhigh: float
    bidlow: float
    ask: float
    askhigh: float
    asklow: float
    last: float
    lasthigh: float
    lastlow: float
    volume_real: float
    volumehigh_real: float
    volumelow_real: float
    option_strike: float
    point: float
    trade_tick_value: float
    trade_tick_value_profit: float
    trade_tick_value_loss: float
    trade_tick_size: float
    trade_contract_size: float
    trade_accrued_interest: float
    trade_face_value: float
    trade_liquidity_rate: float
    volume_min: float
    volume_max: float
    volume_step: float
    volume_limit: float
    swap_long: float
    swap_short: float
    margin_initial: float
    margin_maintenance: float
    session_volume: float
    session_turnover: float
    session_interest: float
    session_buy_orders_volume: float
    session_sell_orders_volume: float
    session_open: float
    session_close: float
    session_aw: float
    session_price_settlement: float
    session_price_limit_min: float
    session_price_limit_max: float
    margin_hedged: float
    price_change: float
    price_volatility: float
    price_theoretical: float
    price_greeks_delta: float
    price_greeks_theta: float
    price_greeks_gamma: float
    price_greeks_vega: float
    price_greeks_rho: float
    price_greeks_omega: float
    price_sensitivity: float
    basis: str
    category: str
    currency_base: str
    currency_profit: str
    currency_margin: str
    bank: str
    description: str
    exchange: str
    formula: str
    isin: str
    name: str
    page: str
    path: str


class Tick(Record):
    """A quote. `time` (s) and `time_msc` (ms) are the server's clock."""

    time: int
    bid: float
    ask: float
    last: float
    volume: int
    time_msc: int
    flags: int
    volume_real: float


class BookInfo(Record):
    """A row of the market depth."""

    type: int
    price: float
    volume: int
    volume_dbl: float


class TradePosition(Record):
    """An open position. Volume in lots; times are the server's clock."""

    ticket: int
    time: int
    time_msc: int
    time_update: int
    time_update_msc: int
    type: int
    magic: int
    identifier: int
    reason: int
    volume: float
    price_open: float
    sl: float
    tp: float
    price_current: float
    swap: float
    profit: float
    symbol: str
    comment: str
    external_id: str


class TradeOrder(Record):
    """An order, pending or done. Volume in lots; times are the server's clock."""

    ticket: int
    time_setup: int
    time_setup_msc: int
    time_done: int
    time_done_msc: int
    time_expiration: int
    type: int
    type_time: int
    type_filling: int
    state: int
    magic: int
    position_id: int
    position_by_id: int
    reason: int
    volume_initial: float
    volume_current: float
    price_open: float
    sl: float
    tp: float
    price_current: float
    price_stoplimit: float
    symbol: str
    comment: str
    external_id: str


class TradeDeal(Record):
    """A deal. Volume in lots, money in the deposit currency; times are the server's clock."""

    ticket: int
    order: int
    time: int
    time_msc: int
    type: int
    entry: int
    magic: int
    position_id: int
    reason: int
    volume: float
    price: float
    commission: float
    swap: float
    profit: float
    fee: float
    symbol: str
    comment: str
    external_id: str


class TradeRequest(Record):
    """A trade request as it was given, each missing field 0 or empty."""

    action: int
    magic: int
    order: int
    symbol: str
    volume: float
    price: float
    stoplimit: float
    sl: float
    tp: float
    deviation: int
    type: int
    type_filling: int
    type_time: int
    expiration: int
    comment: str
    position: int
    position_by: int


class OrderCheckResult(Record):
    """The answer of `order_check`; `retcode` 0 is "passed"."""

    retcode: int
    balance: float
    equity: float
    profit: float
    margin: float
    margin_free: float
    margin_level: float
    comment: str
    request: TradeRequest


class OrderSendResult(Record):
    """The answer of `order_send`. A price, deal or order of 0 means that the server did not state it."""

    retcode: int
    deal: int
    order: int
    volume: float
    price: float
    bid: float
    ask: float
    comment: str
    request_id: int
    retcode_external: int
    request: TradeRequest


#: Of `copy_rates_*`. `time` is the bar's open on the server's clock, in seconds.
RATES = np.dtype(
    [
        ("time", "<i8"),
        ("open", "<f8"),
        ("high", "<f8"),
        ("low", "<f8"),
        ("close", "<f8"),
        ("tick_volume", "<u8"),
        ("spread", "<i4"),
        ("real_volume", "<u8"),
    ]
)

#: Of `copy_ticks_*`.
TICKS = np.dtype(
    [
        ("time", "<i8"),
        ("bid", "<f8"),
        ("ask", "<f8"),
        ("last", "<f8"),
        ("volume", "<u8"),
        ("time_msc", "<i8"),
        ("flags", "<u4"),
        ("volume_real", "<f8"),
    ]
)
