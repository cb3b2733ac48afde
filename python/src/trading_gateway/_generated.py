"""Written by scripts/generate.py from the OpenAPI document. Do not edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._errors import Refused


class ValidationError(Refused):
    error_type = "validation_error"


class AuthenticationError(Refused):
    error_type = "authentication_error"


class ReadOnlyKey(Refused):
    error_type = "read_only_key"


class Forbidden(Refused):
    error_type = "forbidden"


class NotFound(Refused):
    error_type = "not_found"


class MethodNotAllowed(Refused):
    error_type = "method_not_allowed"


class IdempotencyConflict(Refused):
    error_type = "idempotency_conflict"


class IdempotencyInProgress(Refused):
    error_type = "idempotency_in_progress"


class FenceConflict(Refused):
    error_type = "fence_conflict"


class RequestTimeout(Refused):
    error_type = "request_timeout"


class AccountMismatch(Refused):
    error_type = "account_mismatch"


class FencedOut(Refused):
    error_type = "fenced_out"


class FenceRequired(Refused):
    error_type = "fence_required"


class PayloadTooLarge(Refused):
    error_type = "payload_too_large"


class UnsupportedMediaType(Refused):
    error_type = "unsupported_media_type"


class SymbolNotAllowed(Refused):
    error_type = "symbol_not_allowed"


class VolumeLimitExceeded(Refused):
    error_type = "volume_limit_exceeded"


class PriceDeviationExceeded(Refused):
    error_type = "price_deviation_exceeded"


class OrderDeviationExceeded(Refused):
    error_type = "order_deviation_exceeded"


class QuoteTooOld(Refused):
    error_type = "quote_too_old"


class OrderRateExceeded(Refused):
    error_type = "order_rate_exceeded"


class OpenVolumeExceeded(Refused):
    error_type = "open_volume_exceeded"


class DailyLossExceeded(Refused):
    error_type = "daily_loss_exceeded"


class ServerTimeUnavailable(Refused):
    error_type = "server_time_unavailable"


class BrokerRejected(Refused):
    error_type = "broker_rejected"


class KeyVoid(Refused):
    error_type = "key_void"


class KillSwitchActive(Refused):
    error_type = "kill_switch_active"


class TooManyRequests(Refused):
    error_type = "too_many_requests"


class HeadersTooLarge(Refused):
    error_type = "headers_too_large"


class InternalError(Refused):
    error_type = "internal_error"


class TerminalUnavailable(Refused):
    error_type = "terminal_unavailable"


class AccountNotSynchronized(Refused):
    error_type = "account_not_synchronized"


class ReconnectCooldown(Refused):
    error_type = "reconnect_cooldown"


class NotReady(Refused):
    error_type = "not_ready"


class JournalUnavailable(Refused):
    error_type = "journal_unavailable"


class KillSwitchFileError(Refused):
    error_type = "kill_switch_file_error"


class JournalLost(Refused):
    error_type = "journal_lost"


class FencePending(Refused):
    error_type = "fence_pending"


#: The class of each `error_type`; `unknown_outcome` is UnknownOutcome.
ERRORS: dict[str, type[Refused]] = {
    "validation_error": ValidationError,
    "authentication_error": AuthenticationError,
    "read_only_key": ReadOnlyKey,
    "forbidden": Forbidden,
    "not_found": NotFound,
    "method_not_allowed": MethodNotAllowed,
    "idempotency_conflict": IdempotencyConflict,
    "idempotency_in_progress": IdempotencyInProgress,
    "fence_conflict": FenceConflict,
    "request_timeout": RequestTimeout,
    "account_mismatch": AccountMismatch,
    "fenced_out": FencedOut,
    "fence_required": FenceRequired,
    "payload_too_large": PayloadTooLarge,
    "unsupported_media_type": UnsupportedMediaType,
    "symbol_not_allowed": SymbolNotAllowed,
    "volume_limit_exceeded": VolumeLimitExceeded,
    "price_deviation_exceeded": PriceDeviationExceeded,
    "order_deviation_exceeded": OrderDeviationExceeded,
    "quote_too_old": QuoteTooOld,
    "order_rate_exceeded": OrderRateExceeded,
    "open_volume_exceeded": OpenVolumeExceeded,
    "daily_loss_exceeded": DailyLossExceeded,
    "server_time_unavailable": ServerTimeUnavailable,
    "broker_rejected": BrokerRejected,
    "key_void": KeyVoid,
    "kill_switch_active": KillSwitchActive,
    "too_many_requests": TooManyRequests,
    "headers_too_large": HeadersTooLarge,
    "internal_error": InternalError,
    "terminal_unavailable": TerminalUnavailable,
    "account_not_synchronized": AccountNotSynchronized,
    "reconnect_cooldown": ReconnectCooldown,
    "not_ready": NotReady,
    "journal_unavailable": JournalUnavailable,
    "kill_switch_file_error": KillSwitchFileError,
    "journal_lost": JournalLost,
    "fence_pending": FencePending,
}


@dataclass(frozen=True)
class LivenessResponse:
    status: str


@dataclass(frozen=True)
class ReadinessResponse:
    #: `not_ready` on the 503 answer.
    status: str
    #: `synchronizing`: connected, and the lists of the terminal are not explained yet; entries are refused.
    terminal_status: str
    kill_switch_active: bool
    #: `up`, `down` with its `reason`, or `unknown`: it cannot be judged without a session.
    checks: Any


@dataclass(frozen=True)
class HealthResponse:
    status: str
    #: `synchronizing`: connected, and the lists of the terminal are not explained yet; entries are refused.
    terminal_status: str
    kill_switch_active: bool
    #: Login of the account, or null.
    account: int | None
    #: What the key of this request permits. With `read_only`, every request that changes something answers 403.
    api_key: str
    uptime_seconds: int
    version: str
    kill_switch_file: KillSwitchFileFields
    audit: AuditFields
    #: Core settings that are not set and are needed to log in, by name.
    missing_settings: list[str]
    last_error: LastErrorFields | None
    connection: ConnectionFields
    #: What the account is, apart from its money: also while its money is not explained; null without an account.
    account_facts: AccountFactsFields | None
    account_evidence: AccountEvidenceFields
    #: What the account and the journal disagree on now, found without being asked: the first 100.
    differences: list[OpenDifferenceRow]
    server_time: ServerTimeFields
    journal: JournalFields
    #: Each limit on entries that is set, with its current value; a limit per symbol has one row for each symbol.
    limits: list[EntryLimitRow]
    #: Status of the terminal that the gateway runs (state, message, launches, retries); null if it runs none.
    terminal_host: Any
    #: The channels of NOTIFIER_FILE; empty without it. A failing channel changes no other state.
    notifications: list[NotificationChannelFields]
    #: The sources of SIGNALS_FILE; empty without it. A problem changes no other state.
    signals: list[SignalSourceFields]


@dataclass(frozen=True)
class KillSwitchFileFields:
    #: `unwritable`: it cannot be created or removed. `missing`: halted in memory, without the file.
    state: str
    #: Why the state is not ok.
    error: str | None


@dataclass(frozen=True)
class AuditFields:
    #: `unavailable`: lines cannot be written, and new risk is rejected with journal_unavailable.
    state: str
    #: Why the state is not ok.
    error: str | None
    #: Lines of the log that were removed. Until a restart, or as long as the journal knows of them.
    missing: str | None


@dataclass(frozen=True)
class LastErrorFields:
    #: The terminal's code; 1 is success.
    code: int
    message: str


@dataclass(frozen=True)
class ConnectionFields:
    driver: str
    #: Time of the last change of terminal_status, UTC.
    since: str
    #: Attempts of the running or last failed round.
    attempts: int
    cooldown_remaining_seconds: float
    #: Seconds since the last live probe.
    verified_age_seconds: float | None
    #: Logins in a row that the broker refused. From the third on, the next follows after an hour.
    login_refusals: int
    #: Why there is no session, or why the terminal takes no orders, and which settings to check. Null if orders can be placed.
    problem: str | None
    #: Build of the terminal that was verified last; null before the first one.
    terminal_build: int | None


@dataclass(frozen=True)
class AccountFactsFields:
    server: str
    #: Deposit currency.
    currency: str
    leverage: int
    #: 0 demo, 1 contest, 2 real.
    trade_mode: int
    #: 0 netting, 1 exchange, 2 hedging.
    margin_mode: int


@dataclass(frozen=True)
class AccountEvidenceFields:
    #: `unread`: no session, or no look at the account in it yet. `unexplained`: the terminal shows something that no deal explains.
    state: str
    #: Start of the state, UTC.
    since: str
    #: Last explained look of this session, UTC.
    explained_at: str | None
    #: What follows if the account stays unexplained.
    next_step: str | None
    #: What nothing explains: the first 100; empty if all is.
    unexplained: list[UnexplainedFields]


@dataclass(frozen=True)
class UnexplainedFields:
    kind: str
    #: Of the position, order or deal.
    ticket: int | None
    symbol: str | None
    message: str


@dataclass(frozen=True)
class OpenDifferenceRow:
    #: `undecided`: it may be the effect of a request in flight or of unknown outcome, or has the tag of a key.
    kind: str
    message: str
    #: Of the position or order.
    ticket: int | None
    symbol: str | None
    intent_id: str | None
    #: Field that differs: sl, tp or volume.
    field: str | None
    #: Value according to the journal.
    expected: float | None
    #: Value at the broker.
    actual: float | None
    #: When it was first seen, UTC.
    since: str


@dataclass(frozen=True)
class ServerTimeFields:
    #: Broker server time minus UTC.
    offset_seconds: int | None
    source: str | None
    #: Symbol of the quote that the offset was derived from.
    symbol: str | None
    derived_at: str | None
    age_seconds: float | None


@dataclass(frozen=True)
class JournalFields:
    #: Id of the trade journal; another id means another journal. Null while it cannot be written.
    id: str | None
    #: `unproven`: new, and the account has not been searched yet for traces of an earlier one, or its history may not be loaded; new risk is refused. `unavailable`: it cannot be written, and new risk is refused. `lost`: new risk is refused until an operator accepts it with POST /journal/accept.
    state: str
    #: Why the state is not ok.
    reason: str | None
    #: Sequence number of the last commit that is on disk.
    sequence: int


@dataclass(frozen=True)
class EntryLimitRow:
    setting: str
    #: Symbol of a limit per symbol; null for a limit on the whole account.
    symbol: str | None
    limit: float
    #: Entries, lots or account currency, like the setting; null while it cannot be read.
    value: float | None


@dataclass(frozen=True)
class NotificationChannelFields:
    name: str
    type: str
    #: `failing`: the last attempt to deliver failed.
    state: str
    #: Notifications waiting for delivery.
    waiting: int
    #: When the event of the oldest one happened, UTC.
    oldest_at: str | None
    #: Notifications set aside because the receiver refused them for a day.
    set_aside: int
    #: Failed attempts since the last delivery.
    failures: int
    #: Why the last attempt failed.
    last_error: str | None


@dataclass(frozen=True)
class SignalSourceFields:
    name: str
    #: Alerts that are on disk and have not ended.
    waiting: int
    #: Those of them with a request of unknown outcome.
    unknown: int
    #: Until a later alert of the symbol ends well.
    problem: str | None


@dataclass(frozen=True)
class KillResponse:
    message: str
    kill_switch_active: bool
    #: Null unless `flatten` is true.
    flatten: FlattenReport | None
    #: Whether the action was written to the audit log; false when it cannot be written.
    audited: bool


@dataclass(frozen=True)
class FlattenReport:
    cancelled: list[CancelledItem]
    closed: list[ClosedItem]
    failed: list[FailedItem]
    #: Sent, but the outcome is unknown: the broker may have executed them. GET /reconcile shows the result.
    unknown: list[FailedItem]
    #: Nothing is left: no pending order, no position, and no request whose outcome is unknown.
    complete: bool


@dataclass(frozen=True)
class CancelledItem:
    ticket: int
    symbol: str


@dataclass(frozen=True)
class ClosedItem:
    #: Ticket of the position.
    ticket: int
    symbol: str
    #: Lots closed.
    volume: float
    #: Null while it is not known.
    price: float | None
    deal: int | None
    #: Deposit currency; null while not seen.
    profit: float | None


@dataclass(frozen=True)
class FailedItem:
    kind: str
    #: Of the position or order; 0 if what may be open cannot be read, with the reason in `error`.
    ticket: int
    symbol: str
    error_type: str
    error: str


@dataclass(frozen=True)
class ReleaseResponse:
    message: str
    kill_switch_active: bool
    #: Whether the action was written to the audit log; false when it cannot be written.
    audited: bool


@dataclass(frozen=True)
class FencesResponse:
    data: list[FenceRow]
    total: int


@dataclass(frozen=True)
class FenceRow:
    strategy: str
    #: Highest token that was raised; while the fence is held, the token that a raise must exceed.
    token: int
    #: `held`: the trade journal was lost or restored since the raise. Every request of the fence is refused until it is raised again.
    state: str
    #: UTC; null if it was raised in a journal that was lost.
    raised_at: str | None
    #: Magic numbers that only requests of this fence may use.
    magics: list[int]


@dataclass(frozen=True)
class FenceResponse:
    strategy: str
    #: Highest token that was raised; while the fence is held, the token that a raise must exceed.
    token: int
    #: `held`: the trade journal was lost or restored since the raise. Every request of the fence is refused until it is raised again.
    state: str
    #: UTC; null if it was raised in a journal that was lost.
    raised_at: str | None
    #: Magic numbers that only requests of this fence may use.
    magics: list[int]


@dataclass(frozen=True)
class JournalAcceptedResponse:
    message: str
    #: Orders in 35 days of the account that have neither a request in the journal nor the tag of a key: their keys are not bound. Null if the account could not be read or its history does not add up, or nothing was accepted.
    orders_without_tag: int | None
    journal: JournalFields


@dataclass(frozen=True)
class AccountResponse:
    #: Account number.
    login: int
    #: 0 demo, 1 contest, 2 real.
    trade_mode: int
    leverage: int
    #: Maximum number of active pending orders; 0: no limit.
    limit_orders: int
    #: 0 stop-out levels in percent, 1 in money.
    margin_so_mode: int
    #: The account may trade at all.
    trade_allowed: bool
    #: The server allows automated trading.
    trade_expert: bool
    #: 0 netting, 1 exchange, 2 hedging.
    margin_mode: int
    #: Decimals of the deposit currency.
    currency_digits: int
    #: Only the oldest position of a symbol may be closed.
    fifo_close: bool
    #: Deposit currency.
    balance: float
    credit: float
    #: Floating result of the open positions, swap included.
    profit: float
    #: balance + credit + profit.
    equity: float
    margin: float
    #: equity - margin.
    margin_free: float
    #: Percent; 0 while no margin is used.
    margin_level: float
    #: Margin call level.
    margin_so_call: float
    #: Stop-out level.
    margin_so_so: float
    margin_initial: float
    margin_maintenance: float
    assets: float
    liabilities: float
    commission_blocked: float
    #: The client's name.
    name: str
    server: str
    #: Deposit currency.
    currency: str
    company: str


@dataclass(frozen=True)
class EquityResponse:
    #: Value of `since` for the next page; null: there are no more rows.
    next_since: str | None
    #: Why the newest reading is not on disk; null if nothing is wrong.
    problem: str | None
    data: list[EquityReadingResponse]
    #: Rows of this answer.
    total: int


@dataclass(frozen=True)
class EquityReadingResponse:
    #: When they were read, UTC.
    at: str
    #: Deposit currency.
    balance: float
    #: Deposit currency.
    equity: float


@dataclass(frozen=True)
class TerminalInfoResponse:
    community_account: bool
    community_connection: bool
    #: The terminal is connected to the trade server.
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
    #: Microseconds.
    ping_last: int
    community_balance: float
    #: Percent.
    retransmission: float
    company: str
    name: str
    language: str
    path: str
    data_path: str
    commondata_path: str


@dataclass(frozen=True)
class AccountAcceptedResponse:
    message: str
    account_evidence: AccountEvidenceFields


@dataclass(frozen=True)
class SymbolsResponse:
    data: list[SymbolRow]
    total: int


@dataclass(frozen=True)
class SymbolRow:
    name: str
    description: str
    #: Place in the broker's tree of symbols.
    path: str
    #: Shown in Market Watch.
    visible: bool
    currency_base: str
    currency_profit: str
    #: Decimals of its prices.
    digits: int
    #: 0 disabled, 1 long only, 2 short only, 3 close only, 4 full.
    trade_mode: int


@dataclass(frozen=True)
class SymbolRecordsResponse:
    data: list[SymbolRecord]
    total: int


@dataclass(frozen=True)
class SymbolRecord:
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
    #: Broker server time of the last quote as an epoch, in seconds; not UTC.
    time: int
    digits: int
    #: Points.
    spread: int
    spread_float: bool
    ticks_bookdepth: int
    trade_calc_mode: int
    #: 0 disabled, 1 long only, 2 short only, 3 close only, 4 full.
    trade_mode: int
    start_time: int
    expiration_time: int
    #: Least distance of stops from the market, in points.
    trade_stops_level: int
    #: Distance from the market within which nothing can be changed, in points.
    trade_freeze_level: int
    #: 0 request, 1 instant, 2 market, 3 exchange.
    trade_exemode: int
    swap_mode: int
    #: Day of the triple swap; 0 is Sunday.
    swap_rollover3days: int
    margin_hedged_use_leg: bool
    #: Flag word: 1 GTC, 2 DAY, 4 SPECIFIED, 8 SPECIFIED_DAY.
    expiration_mode: int
    #: Flag word: 1 FOK, 2 IOC, 4 BOC.
    filling_mode: int
    #: Flag word: 1 market, 2 limit, 4 stop, 8 stop-limit, 16 sl, 32 tp, 64 close-by.
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
    #: Value of one tick of one lot in the deposit currency.
    trade_tick_value: float
    trade_tick_value_profit: float
    trade_tick_value_loss: float
    trade_tick_size: float
    #: Units of the base in one lot.
    trade_contract_size: float
    trade_accrued_interest: float
    trade_face_value: float
    trade_liquidity_rate: float
    #: Lots.
    volume_min: float
    #: Lots.
    volume_max: float
    #: Lots.
    volume_step: float
    #: Maximum lots in one direction; 0: no limit.
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
    #: The time of the last quote in UTC; null while the server offset is unknown.
    time_utc: str | None


@dataclass(frozen=True)
class SymbolInfoResponse:
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
    #: Broker server time of the last quote as an epoch, in seconds; not UTC.
    time: int
    digits: int
    #: Points.
    spread: int
    spread_float: bool
    ticks_bookdepth: int
    trade_calc_mode: int
    #: 0 disabled, 1 long only, 2 short only, 3 close only, 4 full.
    trade_mode: int
    start_time: int
    expiration_time: int
    #: Least distance of stops from the market, in points.
    trade_stops_level: int
    #: Distance from the market within which nothing can be changed, in points.
    trade_freeze_level: int
    #: 0 request, 1 instant, 2 market, 3 exchange.
    trade_exemode: int
    swap_mode: int
    #: Day of the triple swap; 0 is Sunday.
    swap_rollover3days: int
    margin_hedged_use_leg: bool
    #: Flag word: 1 GTC, 2 DAY, 4 SPECIFIED, 8 SPECIFIED_DAY.
    expiration_mode: int
    #: Flag word: 1 FOK, 2 IOC, 4 BOC.
    filling_mode: int
    #: Flag word: 1 market, 2 limit, 4 stop, 8 stop-limit, 16 sl, 32 tp, 64 close-by.
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
    #: Value of one tick of one lot in the deposit currency.
    trade_tick_value: float
    trade_tick_value_profit: float
    trade_tick_value_loss: float
    trade_tick_size: float
    #: Units of the base in one lot.
    trade_contract_size: float
    trade_accrued_interest: float
    trade_face_value: float
    trade_liquidity_rate: float
    #: Lots.
    volume_min: float
    #: Lots.
    volume_max: float
    #: Lots.
    volume_step: float
    #: Maximum lots in one direction; 0: no limit.
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
    #: The time of the last quote in UTC; null while the server offset is unknown.
    time_utc: str | None


@dataclass(frozen=True)
class MarketBookResponse:
    data: list[BookRow]
    total: int


@dataclass(frozen=True)
class BookRow:
    #: SELL 1, BUY 2, SELL_MARKET 3, BUY_MARKET 4.
    type: int
    price: float
    #: Lots, whole.
    volume: int
    #: Lots.
    volume_dbl: float


@dataclass(frozen=True)
class TickResponse:
    #: Broker server time as an epoch, in seconds; not UTC.
    time: int
    bid: float
    ask: float
    #: Last deal price; 0 where the symbol has none.
    last: float
    volume: int
    #: Broker server time as an epoch, in milliseconds; not UTC.
    time_msc: int
    #: What changed: 2 bid, 4 ask, 8 last, 16 volume.
    flags: int
    volume_real: float
    #: The same instant in UTC; null while the server offset is unknown.
    time_utc: str | None
    #: Age of the quote, at most, by when the gateway saw it change; null before that.
    age_seconds: float | None


@dataclass(frozen=True)
class BarsResponse:
    #: `utc`, or `server` while the offset of the broker server's clock is not known.
    time_basis: str
    #: Ascending by time.
    data: list[BarRow]
    total: int


@dataclass(frozen=True)
class BarRow:
    #: The bar's open. Ends in Z while `time_basis` is `utc`; else it is the server's clock, without a zone.
    time: str
    #: The bar's open on the broker server's clock, in seconds, as the terminal reports it. It orders and identifies bars even if the offset of that clock is unknown.
    time_server: int
    open: float
    high: float
    low: float
    close: float
    #: Number of price changes.
    tick_volume: int
    #: Points.
    spread: int
    #: Traded volume, where the symbol has one.
    real_volume: int


@dataclass(frozen=True)
class TicksResponse:
    #: Time basis of the range: `server` while the offset of the broker server is not known.
    time_basis: str
    #: Ascending by time.
    data: list[TickRow]
    total: int


@dataclass(frozen=True)
class TickRow:
    #: Broker server time as an epoch, in seconds; not UTC.
    time: int
    bid: float
    ask: float
    #: Last deal price; 0 where the symbol has none.
    last: float
    volume: int
    #: Broker server time as an epoch, in milliseconds; not UTC.
    time_msc: int
    #: What changed: 2 bid, 4 ask, 8 last, 16 volume.
    flags: int
    volume_real: float
    #: The same instant in UTC; null while the server offset is unknown.
    time_utc: str | None


@dataclass(frozen=True)
class ServerTimeResponse:
    utc: str
    #: The server's clock as an epoch, in seconds.
    server_epoch: int
    #: The server's clock minus UTC at that time.
    offset_seconds: int
    #: Where the offset is from. `zone`: it is that of the time. `env` (TERMINAL_SERVER_UTC_OFFSET_SECONDS) and `derived` (from quotes) are one offset for all times: a time on the other side of a daylight change may be an hour off.
    source: str


@dataclass(frozen=True)
class DealsResponse:
    data: list[KeyedDealRow]
    #: Rows of this answer.
    total: int
    #: Value of `cursor` for the next page; null: there are no more rows.
    next_cursor: str | None


@dataclass(frozen=True)
class KeyedDealRow:
    ticket: int
    #: Ticket of the order that made it; 0 for balance operations.
    order: int
    #: Broker server time as an epoch, in seconds; not UTC.
    time: int
    #: Broker server time as an epoch, in milliseconds; not UTC.
    time_msc: int
    time_utc: str | None
    #: 0 buy, 1 sell, 2 balance; higher numbers are not trades.
    type: int
    type_str: str
    #: 0 in, 1 out, 2 in/out, 3 out by.
    entry: int
    entry_str: str
    magic: int
    #: The position's identifier; 0 when it belongs to none.
    position_id: int
    #: 0 client, 1 mobile, 2 web, 3 expert, 4 sl, 5 tp, 6 stop out, 7 rollover.
    reason: int
    #: Lots.
    volume: float
    price: float
    commission: float
    swap: float
    #: In the deposit currency, without commission, swap and fee.
    profit: float
    fee: float
    symbol: str
    comment: str
    external_id: str
    #: Idempotency key of the request whose order made it, if this gateway sent it under one; kept for 100 days.
    client_order_id: str | None


@dataclass(frozen=True)
class HistoryOrdersResponse:
    data: list[KeyedOrderRow]
    #: Rows of this answer.
    total: int
    #: Value of `cursor` for the next page; null: there are no more rows.
    next_cursor: str | None


@dataclass(frozen=True)
class KeyedOrderRow:
    ticket: int
    #: Broker server time as an epoch, in seconds; not UTC.
    time_setup: int
    time_setup_msc: int
    time_setup_utc: str | None
    #: 0 while it is not done.
    time_done: int
    time_done_msc: int
    time_done_utc: str | None
    #: Broker server time as an epoch; 0 without an expiration.
    time_expiration: int
    time_expiration_utc: str | None
    #: 0 buy, 1 sell, 2 buy limit, 3 sell limit, 4 buy stop, 5 sell stop ...
    type: int
    type_str: str
    #: 0 GTC, 1 day, 2 specified, 3 specified day.
    type_time: int
    #: 0 FOK, 1 IOC, 2 RETURN, 3 BOC.
    type_filling: int
    #: 1 placed, 2 canceled, 3 partial, 4 filled, 5 rejected, 6 expired.
    state: int
    state_str: str
    magic: int
    position_id: int
    position_by_id: int
    #: 0 client, 1 mobile, 2 web, 3 expert, 4 sl, 5 tp, 6 stop out.
    reason: int
    #: Lots.
    volume_initial: float
    #: Lots that are not filled.
    volume_current: float
    price_open: float
    sl: float
    tp: float
    price_current: float
    price_stoplimit: float
    symbol: str
    comment: str
    external_id: str
    #: Idempotency key of the request that placed it, if this gateway sent it under one; kept for 100 days.
    client_order_id: str | None


@dataclass(frozen=True)
class HistoryTotalResponse:
    total: int


@dataclass(frozen=True)
class PositionSummaryResponse:
    #: The requested ticket.
    ticket: int
    symbol: str
    #: The side it was opened on: 0 buy, 1 sell.
    type: int
    type_str: str
    magic: int
    #: Lots.
    volume_opened: float
    #: Lots.
    volume_closed: float
    #: True only when the whole opened volume has been closed.
    closed: bool
    #: Volume-weighted.
    price_open: float | None
    #: Volume-weighted; null until volume has been closed.
    price_close: float | None
    #: Sum over its deals, in the deposit currency.
    profit: float
    commission: float
    swap: float
    fee: float
    #: Broker server time as an epoch, in seconds; not UTC.
    time_open: int
    time_open_msc: int
    time_open_utc: str | None
    time_close: int | None
    time_close_msc: int | None
    time_close_utc: str | None
    #: Number of deals added up.
    deals: int
    #: Of the last deal that closed volume, or of the opening one.
    comment: str
    #: The same as `volume_opened`.
    volume: float
    #: The same as `price_open`.
    open_price: float | None
    #: The same as `price_close`.
    close_price: float | None
    #: The same as `time_open_utc`.
    open_time: str | None
    #: The same as `time_close_utc`.
    close_time: str | None
    #: Oldest first. One, unless a netting account reversed the position. Commission and fee of the deal that reverses are shared by volume.
    legs: list[PositionLeg]


@dataclass(frozen=True)
class PositionLeg:
    #: Of the order that opened it; the ticket of the position while this leg was open.
    ticket: int
    symbol: str
    #: The side it was opened on: 0 buy, 1 sell.
    type: int
    type_str: str
    magic: int
    #: Lots.
    volume_opened: float
    #: Lots.
    volume_closed: float
    #: True only when the whole opened volume has been closed.
    closed: bool
    #: Volume-weighted.
    price_open: float | None
    #: Volume-weighted; null until volume has been closed.
    price_close: float | None
    #: Sum over its deals, in the deposit currency.
    profit: float
    commission: float
    swap: float
    fee: float
    #: Broker server time as an epoch, in seconds; not UTC.
    time_open: int
    time_open_msc: int
    time_open_utc: str | None
    time_close: int | None
    time_close_msc: int | None
    time_close_utc: str | None
    #: Number of deals added up.
    deals: int
    #: Of the last deal that closed volume, or of the opening one.
    comment: str


@dataclass(frozen=True)
class OrderFromTicketResponse:
    ticket: int
    #: Broker server time as an epoch, in seconds; not UTC.
    time_setup: int
    time_setup_msc: int
    time_setup_utc: str | None
    #: 0 while it is not done.
    time_done: int
    time_done_msc: int
    time_done_utc: str | None
    #: Broker server time as an epoch; 0 without an expiration.
    time_expiration: int
    time_expiration_utc: str | None
    #: 0 buy, 1 sell, 2 buy limit, 3 sell limit, 4 buy stop, 5 sell stop ...
    type: int
    type_str: str
    #: 0 GTC, 1 day, 2 specified, 3 specified day.
    type_time: int
    #: 0 FOK, 1 IOC, 2 RETURN, 3 BOC.
    type_filling: int
    #: 1 placed, 2 canceled, 3 partial, 4 filled, 5 rejected, 6 expired.
    state: int
    state_str: str
    magic: int
    position_id: int
    position_by_id: int
    #: 0 client, 1 mobile, 2 web, 3 expert, 4 sl, 5 tp, 6 stop out.
    reason: int
    #: Lots.
    volume_initial: float
    #: Lots that are not filled.
    volume_current: float
    price_open: float
    sl: float
    tp: float
    price_current: float
    price_stoplimit: float
    symbol: str
    comment: str
    external_id: str
    #: Idempotency key of the request that placed it, if this gateway sent it under one; kept for 100 days.
    client_order_id: str | None


@dataclass(frozen=True)
class LastErrorResponse:
    #: The terminal's code; 1 is success.
    code: int
    message: str
    #: The same as `code`.
    error_code: int
    #: The same as `message`.
    error_message: str


@dataclass(frozen=True)
class LastErrorTextResponse:
    message: str
    #: The same as `message`.
    error_message: str


@dataclass(frozen=True)
class OrderResponse:
    """If `original_response_expired` is present, this is the replay of a request whose own answer is no longer kept (IDEMPOTENCY_TTL_SECONDS): only the required members, `ticket`, `recovered` and `original_status` are there, and of `result` at most `order`."""

    #: Human-readable result.
    message: str
    #: Null for a request other than POST /order.
    result: SendResultResponse | None
    #: The idempotency key of the request; null without one.
    client_order_id: str | None
    #: Ticket that the request acted on.
    ticket: int | None = None
    #: Present and true if the outcome was unknown at first and was then looked up.
    recovered: bool | None = None
    #: Marks this answer: it is not the original one.
    original_response_expired: bool | None = None
    #: Status of the original answer; 207: a part of it failed.
    original_status: int | None = None
    #: Present and false if neither the trade journal nor the audit log could be written before the send: if the gateway is restarted before they can be written, a request repeated with the same idempotency key is sent again.
    remembered: bool | None = None
    #: `placed`: accepted and waiting, as a pending order does, or a market order whose fill is not seen yet.
    state: str | None = None
    #: Less than the requested volume was executed.
    partial_fill: bool | None = None
    #: Lots of the request that are not executed.
    remaining_volume: float | None = None
    #: Where the price was read; `unresolved` while it is not known, null for a pending order.
    fill_price_source: str | None = None
    #: Ticket of the position, which may be closed since; null if not read.
    position: int | None = None
    #: The stop loss was read back from the position or order; null when none was requested or none could be read.
    sl_confirmed: bool | None = None
    tp_confirmed: bool | None = None


@dataclass(frozen=True)
class SendResultResponse:
    #: Ticket of the order.
    order: int | None
    #: The trade server's return code.
    retcode: int | None = None
    retcode_name: str | None = None
    #: Ticket of the deal.
    deal: int | None = None
    #: Executed volume in lots.
    volume: float | None = None
    #: Price of the deal; null while it is not known, never 0.
    price: float | None = None
    bid: float | None = None
    ask: float | None = None
    comment: str | None = None
    request_id: int | None = None
    #: The exchange's or bridge's own code.
    retcode_external: int | None = None


@dataclass(frozen=True)
class OrdersResponse:
    data: list[KeyedOrderRow]
    total: int


@dataclass(frozen=True)
class OrderModifiedResponse:
    """If `original_response_expired` is present, this is the replay of a request whose own answer is no longer kept (IDEMPOTENCY_TTL_SECONDS): only the required members, `ticket`, `recovered` and `original_status` are there, and of `result` at most `order`."""

    #: Human-readable result.
    message: str
    #: Null for a request other than POST /order.
    result: SendResultResponse | None
    ticket: int | None
    #: The idempotency key of the request; null without one.
    client_order_id: str | None
    #: Present and true if the outcome was unknown at first and was then looked up.
    recovered: bool | None = None
    #: Marks this answer: it is not the original one.
    original_response_expired: bool | None = None
    #: Status of the original answer; 207: a part of it failed.
    original_status: int | None = None
    #: Present and false if neither the trade journal nor the audit log could be written before the send: if the gateway is restarted before they can be written, a request repeated with the same idempotency key is sent again.
    remembered: bool | None = None
    #: Price now in force.
    price: float | None = None
    #: Limit price of a stop-limit order.
    stoplimit: float | None = None
    #: Stop loss now in force; null: none.
    sl: float | None = None
    #: Take profit now in force; null: none.
    tp: float | None = None
    #: UTC; null without an expiration, or while the server offset is unknown.
    time_expiration_utc: str | None = None
    #: Read back; null if it could not be.
    sl_confirmed: bool | None = None
    tp_confirmed: bool | None = None
    #: The order was already as requested (10025).
    no_changes: bool | None = None


@dataclass(frozen=True)
class OrderCancelledResponse:
    """If `original_response_expired` is present, this is the replay of a request whose own answer is no longer kept (IDEMPOTENCY_TTL_SECONDS): only the required members, `ticket`, `recovered` and `original_status` are there, and of `result` at most `order`."""

    #: Human-readable result.
    message: str
    #: Null for a request other than POST /order.
    result: SendResultResponse | None
    ticket: int | None
    #: The idempotency key of the request; null without one.
    client_order_id: str | None
    #: Present and true if the outcome was unknown at first and was then looked up.
    recovered: bool | None = None
    #: Marks this answer: it is not the original one.
    original_response_expired: bool | None = None
    #: Status of the original answer; 207: a part of it failed.
    original_status: int | None = None
    #: Present and false if neither the trade journal nor the audit log could be written before the send: if the gateway is restarted before they can be written, a request repeated with the same idempotency key is sent again.
    remembered: bool | None = None
    state: str | None = None


@dataclass(frozen=True)
class OrderCheckResponse:
    #: The terminal accepts the order; this does not guarantee a fill.
    valid: bool
    #: 0 when it passed, else the return code of the rejection.
    retcode: int
    #: DONE when it passed.
    retcode_name: str
    comment: str
    #: After the order, as the other amounts; deposit currency.
    balance: float
    equity: float
    profit: float
    #: Of the whole account, not of the order alone.
    margin: float
    margin_free: float
    #: Percent.
    margin_level: float


@dataclass(frozen=True)
class CalcMarginResponse:
    #: Deposit currency; of this order alone.
    margin: float


@dataclass(frozen=True)
class CalcProfitResponse:
    #: Deposit currency.
    profit: float


@dataclass(frozen=True)
class PositionsResponse:
    data: list[PositionRow]
    total: int


@dataclass(frozen=True)
class PositionRow:
    ticket: int
    #: When it was opened: broker server seconds, not UTC.
    time: int
    #: Broker server milliseconds, not UTC.
    time_msc: int
    time_update: int
    time_update_msc: int
    #: 0 buy, 1 sell.
    type: int
    magic: int
    #: Stays the same for the life of the position.
    identifier: int
    #: 0 desktop, 1 mobile, 2 web, 3 expert or API.
    reason: int
    #: Lots.
    volume: float
    price_open: float
    #: 0: none.
    sl: float
    #: 0: none.
    tp: float
    price_current: float
    swap: float
    #: Floating result in the deposit currency, without swap and commission.
    profit: float
    symbol: str
    comment: str
    external_id: str
    type_str: str
    #: When it was opened, UTC; null while the server offset is unknown.
    time_utc: str | None
    #: Idempotency key of the order it came from, if this gateway placed it under one.
    client_order_id: str | None


@dataclass(frozen=True)
class PositionsTotalResponse:
    #: Number of open positions.
    total: int


@dataclass(frozen=True)
class ModifyLevelsResponse:
    """If `original_response_expired` is present, this is the replay of a request whose own answer is no longer kept (IDEMPOTENCY_TTL_SECONDS): only the required members, `ticket`, `recovered` and `original_status` are there, and of `result` at most `order`."""

    #: Human-readable result.
    message: str
    #: Null for a request other than POST /order.
    result: SendResultResponse | None
    #: The idempotency key of the request; null without one.
    client_order_id: str | None
    #: Ticket that the request acted on.
    ticket: int | None = None
    #: Present and true if the outcome was unknown at first and was then looked up.
    recovered: bool | None = None
    #: Marks this answer: it is not the original one.
    original_response_expired: bool | None = None
    #: Status of the original answer; 207: a part of it failed.
    original_status: int | None = None
    #: Present and false if neither the trade journal nor the audit log could be written before the send: if the gateway is restarted before they can be written, a request repeated with the same idempotency key is sent again.
    remembered: bool | None = None
    position: int | None = None
    #: Stop loss now in force; null: none.
    sl: float | None = None
    #: Take profit now in force; null: none.
    tp: float | None = None
    #: Read back; null if it could not be.
    sl_confirmed: bool | None = None
    tp_confirmed: bool | None = None
    #: The levels were already as requested (10025).
    no_changes: bool | None = None


@dataclass(frozen=True)
class PositionClosedResponse:
    """If `original_response_expired` is present, this is the replay of a request whose own answer is no longer kept (IDEMPOTENCY_TTL_SECONDS): only the required members, `ticket`, `recovered` and `original_status` are there, and of `result` at most `order`."""

    #: Human-readable result.
    message: str
    #: Null for a request other than POST /order.
    result: SendResultResponse | None
    #: The idempotency key of the request; null without one.
    client_order_id: str | None
    #: Ticket that the request acted on.
    ticket: int | None = None
    #: Present and true if the outcome was unknown at first and was then looked up.
    recovered: bool | None = None
    #: Marks this answer: it is not the original one.
    original_response_expired: bool | None = None
    #: Status of the original answer; 207: a part of it failed.
    original_status: int | None = None
    #: Present and false if neither the trade journal nor the audit log could be written before the send: if the gateway is restarted before they can be written, a request repeated with the same idempotency key is sent again.
    remembered: bool | None = None
    #: placed: the broker accepted the close (10008), and no fill was seen yet, or it has nothing to close (10036), and the list still shows the position. It may still be open.
    state: str | None = None
    #: Ticket of the position.
    position: int | None = None
    #: Lots that this request closed.
    closed_volume: float | None = None
    #: Lots of the position that remain open, by a read after the close.
    remaining_volume: float | None = None
    fill_price_source: str | None = None
    #: Result of the closing deals with swap, commission and fee, deposit currency; null while not seen.
    profit: float | None = None
    #: The broker says that the position was already closed (10036); it had nothing left to close.
    already_closed: bool | None = None


@dataclass(frozen=True)
class CloseAllResponse:
    """If `original_response_expired` is present, this is the replay of a request whose own answer is no longer kept (IDEMPOTENCY_TTL_SECONDS): only the required members, `ticket`, `recovered` and `original_status` are there, and of `result` at most `order`."""

    #: Human-readable result.
    message: str
    #: Null for a request other than POST /order.
    result: CloseAllResult | None
    #: The idempotency key of the request; null without one.
    client_order_id: str | None
    #: Ticket that the request acted on.
    ticket: int | None = None
    #: The gateway was interrupted: the lists contain what was looked up, and the request may have covered more.
    recovered: bool | None = None
    #: Marks this answer: it is not the original one.
    original_response_expired: bool | None = None
    #: Status of the original answer; 207: a part of it failed.
    original_status: int | None = None
    closed: list[ClosedItem] | None = None
    failed: list[FailedItem] | None = None
    #: Present and false if neither the trade journal nor the audit log could be written before the send: if the gateway is restarted before they can be written, a request repeated with the same idempotency key is sent again.
    remembered: bool | None = None


@dataclass(frozen=True)
class CloseAllResult:
    #: Positions that matched the filters.
    positions: int
    #: Positions that were closed, wholly or in part.
    closed: int
    failed: int
    #: Lots closed, of all symbols.
    closed_volume: float
    #: Deposit currency; null while the profit of one of them is not known.
    profit: float | None


@dataclass(frozen=True)
class OrderSendResponse:
    """If `original_response_expired` is present, this is the replay of a request whose own answer is no longer kept (IDEMPOTENCY_TTL_SECONDS): only the required members, `ticket`, `recovered` and `original_status` are there, and of `result` at most `order`."""

    #: Human-readable result.
    message: str
    #: Null for a request other than POST /order.
    result: TerminalResultResponse | None
    #: The idempotency key of the request; null without one.
    client_order_id: str | None
    #: Ticket that the request acted on.
    ticket: int | None = None
    #: Present and true if the outcome was unknown at first and was then looked up.
    recovered: bool | None = None
    #: Marks this answer: it is not the original one.
    original_response_expired: bool | None = None
    #: Status of the original answer; 207: a part of it failed.
    original_status: int | None = None
    #: Present and false if neither the trade journal nor the audit log could be written before the send: if the gateway is restarted before they can be written, a request repeated with the same idempotency key is sent again.
    remembered: bool | None = None
    #: What became of the order or position. `placed`: accepted and waiting, or no fill was seen yet.
    state: str | None = None
    #: Ticket of the position that was opened, changed or closed; null for an order, or if not read.
    position: int | None = None
    #: Lots: of an entry those that are not executed, of a close those of the position that remain open.
    remaining_volume: float | None = None
    #: Close by: lots of `position_by` that remain open.
    remaining_volume_by: float | None = None
    #: Of a close, as of POST /close_position; null while not seen.
    profit: float | None = None


@dataclass(frozen=True)
class TerminalResultResponse:
    #: Ticket of the order.
    order: int
    #: The trade server's return code.
    retcode: int | None = None
    retcode_name: str | None = None
    #: Ticket of the deal.
    deal: int | None = None
    #: Executed volume in lots.
    volume: float | None = None
    #: Price of the deal.
    price: float | None = None
    bid: float | None = None
    ask: float | None = None
    comment: str | None = None
    request_id: int | None = None
    #: The exchange's or bridge's own code.
    retcode_external: int | None = None
    #: The request as the terminal received it.
    request: TerminalRequestResponse | None = None


@dataclass(frozen=True)
class TerminalRequestResponse:
    #: DEAL 1, PENDING 5, SLTP 6, MODIFY 7, REMOVE 8, CLOSE_BY 10.
    action: int
    magic: int
    #: Ticket of the pending order.
    order: int
    symbol: str
    #: Lots.
    volume: float
    price: float
    stoplimit: float
    sl: float
    tp: float
    #: Points.
    deviation: int
    #: The number of an order type: BUY 0 to SELL_STOP_LIMIT 7.
    type: int
    #: FOK 0, IOC 1, RETURN 2, BOC 3.
    type_filling: int
    #: GTC 0, DAY 1, SPECIFIED 2, SPECIFIED_DAY 3.
    type_time: int
    #: Seconds of the broker server's clock.
    expiration: int
    comment: str
    #: Ticket of the position.
    position: int
    #: Ticket of the opposite position.
    position_by: int


@dataclass(frozen=True)
class ReconcileResponse:
    #: When the broker was read, UTC.
    as_of: str
    #: The filter; null: all.
    magic: int | None
    positions: list[PositionRow]
    orders: list[KeyedOrderRow]
    deals: list[KeyedDealRow]
    #: Trade requests whose outcome is still unknown.
    unresolved: list[UnresolvedRequest]
    #: Differences between the broker and the journal.
    differences: list[Difference]
    #: The same as `differences`.
    discrepancies: list[Difference]


@dataclass(frozen=True)
class UnresolvedRequest:
    client_order_id: str | None
    #: Id in the journal. It names a request without a key in PUT /trade_requests/{key}/accept.
    id: str
    request_id: str
    route: str
    created_at: str
    sends: list[UnresolvedSend]


@dataclass(frozen=True)
class UnresolvedSend:
    intent_id: str
    purpose: str
    symbol: str
    #: Lots; 0 where the request has none.
    volume: float
    #: Position that is closed or modified.
    position: int | None
    #: Pending order that is changed.
    order: int | None
    magic: int
    comment: str
    #: Why the outcome is not known.
    reason: str
    #: True when it is no longer looked up: the evidence of the outcome has been overwritten or removed.
    undecidable: bool


@dataclass(frozen=True)
class Difference:
    #: `undecided`: it may be the effect of a request in flight or of unknown outcome, or has the tag of a key.
    kind: str
    message: str
    #: Of the position or order.
    ticket: int | None
    symbol: str | None
    intent_id: str | None
    #: Field that differs: sl, tp or volume.
    field: str | None
    #: Value according to the journal.
    expected: float | None
    #: Value at the broker.
    actual: float | None


@dataclass(frozen=True)
class RecentRequestsResponse:
    #: Whether these are all that match. If not, there are older ones: beyond `limit`, or before the newest 4 MiB of the audit log.
    complete: bool
    #: Newest first.
    data: list[RecentRequest]
    total: int


@dataclass(frozen=True)
class RecentRequest:
    #: Its idempotency key; null if it came without one.
    key: str | None
    #: Of its first line in the log.
    request_id: str
    #: Time of its first line in the log, UTC.
    created_at: str
    route: str
    #: `in_part`: some of its sends were not executed. `rejected`: by the broker. `refused`: by the gateway. `absent`: looked up, and nothing was done. `void`: never sent, and nothing is ever sent under its key. `unknown`: the broker may have acted. `accepted`: it stays unknown, which an operator accepted.
    outcome: str
    #: Sends to the broker. With several, the members below have what all of them share.
    sends: int
    #: Why it was not done.
    error_type: str | None
    #: Setting whose limit it exceeds.
    setting: str | None
    retcode_name: str | None
    login: int | None
    symbol: str | None
    side: str | None
    order_type: str | None
    #: Lots.
    volume_requested: float | None
    #: Lots.
    volume_filled: float | None
    price_requested: float | None
    price_filled: float | None
    sl: float | None
    tp: float | None
    magic: int | None
    #: Of the order.
    ticket: int | None
    #: That it closes or changes.
    position: int | None


@dataclass(frozen=True)
class TradeRequestResponse:
    key: str
    #: Route of the first use; null when it is no longer known.
    route: str | None
    #: `unknown`: being looked up. `recovered`: looked up and found. `absent`: looked up, and nothing was done. `accepted`: it cannot be determined, and an operator accepted that. `void`: never sent, and nothing is ever sent under this key.
    status: str
    #: W3C trace of the first use; null when it is no longer known.
    trace_id: str | None
    #: First use, UTC; null when it is no longer known.
    created_at: str | None
    #: HTTP status of a replay; null while the request is in progress.
    response_status: int | None
    #: Body of a replay. After IDEMPOTENCY_TTL_SECONDS, a short form: `original_response_expired`.
    response: Any


@dataclass(frozen=True)
class KeyedAuditResponse:
    key: str
    #: Whether the log was read from its line 1 on. If not, older lines of the key may exist: the newest 4 MiB of the log and of its rotated files are read.
    complete: bool
    #: The lines as they appear in the log, oldest first.
    lines: list[Any]


@dataclass(frozen=True)
class AuditVerificationResponse:
    #: When the check began, UTC.
    verified_at: str
    #: Whether no problem was found.
    consistent: bool
    #: Complete lines of the current file. Rotated files are not read.
    lines: int
    #: Number of its first line; above 1 after a rotation. Null without lines.
    first_sequence: int | None
    last_sequence: int | None
    #: Sends to the broker.
    intents: int
    #: Intents without an outcome whose request is still in progress.
    in_flight: int
    #: Sends whose outcome was unknown.
    unknown: int
    #: Those of them whose outcome is still unknown.
    unresolved: int
    #: Lines that a crash or a full disk cut short before they were acknowledged; they are harmless.
    torn: int
    problem_count: int
    #: Missing, reordered and repeated lines, and intents without an outcome: the first 100.
    problems: list[str]


@dataclass(frozen=True)
class EventsResponse:
    #: The oldest event that is kept.
    first_seq: int
    #: The newest event.
    last_seq: int
    #: Value of `since` for the next page.
    next_since: int
    #: True if events after `since` are no longer kept, or if `since` belongs to another log: read positions and orders again.
    resync: bool
    data: list[TradeEventResponse]
    total: int


@dataclass(frozen=True)
class TradeEventResponse:
    #: Consecutive: the next event has the next number.
    seq: int
    event: str
    #: Of a `signal`: the state of the alert.
    action: str
    #: Time at which the gateway detected the event, UTC.
    recorded_at: str
    login: int
    server: str
    #: Ticket of the position, order or deal; a signal has none.
    ticket: int | None = None
    symbol: str | None = None
    #: Magic of the position, order, deal or source of signals.
    magic: int | None = None
    #: Fields that changed.
    changed: list[str] | None = None
    #: False if a position or order is gone and the history does not show why.
    complete: bool | None = None
    #: Current or last known position; null if it was opened and closed between two snapshots.
    position: Any = None
    order: OrderRowResponse | None = None
    deal: DealRowResponse | None = None
    #: Deals that reduced the volume of the position.
    deals: list[DealRowResponse] | None = None
    #: The alert, as GET /signals has it.
    signal: SignalEntry | None = None


@dataclass(frozen=True)
class OrderRowResponse:
    ticket: int
    #: Broker server time as an epoch, in seconds; not UTC.
    time_setup: int
    time_setup_msc: int
    time_setup_utc: str | None
    #: 0 while it is not done.
    time_done: int
    time_done_msc: int
    time_done_utc: str | None
    #: Broker server time as an epoch; 0 without an expiration.
    time_expiration: int
    time_expiration_utc: str | None
    #: 0 buy, 1 sell, 2 buy limit, 3 sell limit, 4 buy stop, 5 sell stop ...
    type: int
    type_str: str
    #: 0 GTC, 1 day, 2 specified, 3 specified day.
    type_time: int
    #: 0 FOK, 1 IOC, 2 RETURN, 3 BOC.
    type_filling: int
    #: 1 placed, 2 canceled, 3 partial, 4 filled, 5 rejected, 6 expired.
    state: int
    state_str: str
    magic: int
    position_id: int
    position_by_id: int
    #: 0 client, 1 mobile, 2 web, 3 expert, 4 sl, 5 tp, 6 stop out.
    reason: int
    #: Lots.
    volume_initial: float
    #: Lots that are not filled.
    volume_current: float
    price_open: float
    sl: float
    tp: float
    price_current: float
    price_stoplimit: float
    symbol: str
    comment: str
    external_id: str


@dataclass(frozen=True)
class DealRowResponse:
    ticket: int
    #: Ticket of the order that made it; 0 for balance operations.
    order: int
    #: Broker server time as an epoch, in seconds; not UTC.
    time: int
    #: Broker server time as an epoch, in milliseconds; not UTC.
    time_msc: int
    time_utc: str | None
    #: 0 buy, 1 sell, 2 balance; higher numbers are not trades.
    type: int
    type_str: str
    #: 0 in, 1 out, 2 in/out, 3 out by.
    entry: int
    entry_str: str
    magic: int
    #: The position's identifier; 0 when it belongs to none.
    position_id: int
    #: 0 client, 1 mobile, 2 web, 3 expert, 4 sl, 5 tp, 6 stop out, 7 rollover.
    reason: int
    #: Lots.
    volume: float
    price: float
    commission: float
    swap: float
    #: In the deposit currency, without commission, swap and fee.
    profit: float
    fee: float
    symbol: str
    comment: str
    external_id: str


@dataclass(frozen=True)
class SignalEntry:
    #: In the order in which they came.
    number: int
    source: str
    #: The same for every delivery of the alert. The keys of its requests are `signal-<id>-1` and so on.
    id: str
    #: UTC.
    received_at: str
    #: What came, without the secret.
    alert: str
    #: The account's symbol; empty if the alert was not understood.
    symbol: str
    #: `accepted`: on disk, nothing is sent yet. `working`: its requests are decided. `done`: all of them are carried out. `placed`: the broker accepted them, and a pending order waits or a fill is not seen yet. `nothing_to_do`: the account is already so. `partly_done`: `reason` has what is left. `rejected`: by the broker. `refused`: by the gateway. `expired`: it could not be executed in time. `unknown`: the broker may have acted; it is looked up under its key until it is known, or an operator accepts that it is not.
    state: str
    #: Why it is in this state, or what it waits for.
    reason: str | None
    gap: str | None
    #: UTC; null until then.
    ended_at: str | None
    #: Its requests, in order.
    requests: list[SignalStep]


@dataclass(frozen=True)
class SignalStep:
    #: Its idempotency key, as in GET /trade_requests/{key}.
    key: str
    request: str
    #: Null until it was tried.
    state: str | None
    text: str | None
    #: Ticket of the order.
    order: int | None


@dataclass(frozen=True)
class SetAsideResponse:
    data: list[SetAsideRow]
    total: int


@dataclass(frozen=True)
class SetAsideRow:
    #: Channel, or recipient of an e-mail channel, as in GET /health.
    channel: str
    #: The same on every channel.
    id: str
    #: The rule, in the singular, or `events_missed`.
    type: str
    #: When it happened, UTC.
    at: str
    #: Login; null if none was known.
    account: int | None
    text: str
    #: The last answer of the receiver.
    reason: str
    #: When it was set aside, UTC.
    refused_at: str


@dataclass(frozen=True)
class SetAsideChangeResponse:
    message: str
    channel: str
    #: Ids that were changed.
    ids: list[str]
    #: Ids that are not, or no longer, set aside on this channel. Nothing was done for them.
    not_set_aside: list[str]


@dataclass(frozen=True)
class SignalsResponse:
    data: list[SignalEntry]
    total: int


@dataclass(frozen=True)
class StrategiesResponse:
    #: `none`: CONSOLE_DAEMON_URL is not set.
    daemon: str
    #: Why the daemon is unreachable.
    error: str | None
    #: The daemon's answer to GET /status; null if there is none.
    strategies: list[Any] | None


@dataclass(frozen=True)
class StrategyLogResponse:
    #: `none`: CONSOLE_DAEMON_URL is not set.
    daemon: str
    #: Why the daemon is unreachable.
    error: str | None
    #: Oldest first: time, level and text of each; null if the daemon gave none.
    lines: list[str] | None


@dataclass(frozen=True)
class StrategyResultsResponse:
    #: `none`: CONSOLE_DAEMON_URL is not set.
    daemon: str
    #: Why the daemon is unreachable.
    error: str | None
    #: The daemon's answer to GET /equity/NAME; null if it gave none.
    equity: Any
    #: The daemon's answer to GET /backtest/NAME; null if it gave none.
    backtest: Any
