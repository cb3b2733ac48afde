"""Configuration of the clients."""

from __future__ import annotations

from typing import Any, Self, TypeVar

from nautilus_trader.live import (
    DataClientConfig,
    ExecutionClientConfig,
    InstrumentProviderConfig,
    LiveExecutionEngineConfig,
    RoutingConfig,
    SubmissionRecoveryPolicy,
)

from .._config import address_of
from .._gateway import Gateway

_Number = TypeVar("_Number", int, float)

#: The venue of every instrument, as in `EURUSD.MT5`.
VENUE = "MT5"

#: What the gateway of a client does not say by itself; each is checked when the client connects.
_MODES = {0: "netting", 1: "netting", 2: "hedging"}


class GatewayDataClientConfig(DataClientConfig):
    """Of the data client.

    `url` and `api_key` come from GATEWAY_URL and API_KEY if they are not given; leave the key out of what you store. `login` is the
    account that the gateway must have. `poll_seconds` is how often closed bars are read.
    """

    url: str | None
    api_key: str | None
    login: int | None
    poll_seconds: float

    def __new__(
        cls,
        *,
        url: str | None = None,
        api_key: str | None = None,
        login: int | None = None,
        poll_seconds: float = 1.0,
        instrument_provider: InstrumentProviderConfig | None = None,
        routing: RoutingConfig | None = None,
        **others: Any,
    ) -> Self:
        """Raises ValueError naming the field."""
        others = {"handle_revised_bars": others.pop("handle_revised_bars", None), **others}
        config = super().__new__(cls, instrument_provider=instrument_provider, routing=routing, **others)
        config.url, config.api_key = url, api_key
        config.login = None if login is None else _positive("login", login)
        config.poll_seconds = _positive("poll_seconds", poll_seconds)
        return config


class GatewayExecutionClientConfig(ExecutionClientConfig):
    """Of the execution client. `execution_client_config` makes one from the account itself.

    `login`, `mode` (`hedging` or `netting`) and `currency` (the deposit currency) are those of the account. The client does not
    connect if the account has others. `magic` marks its orders. `lookback_minutes` is how far back a mass status reads the history;
    open positions are complete whatever their age. `account_seconds` is how often the balance is read. `brackets` is what becomes of a
    bracket: `denied`, or `levels` for an entry with the stop loss and take profit of its orders, which are cancelled.
    """

    url: str | None
    api_key: str | None
    login: int
    mode: str
    currency: str
    magic: int | None
    lookback_minutes: int
    account_seconds: float
    brackets: str

    def __new__(
        cls,
        *,
        login: int,
        mode: str,
        currency: str,
        url: str | None = None,
        api_key: str | None = None,
        magic: int | None = None,
        lookback_minutes: int = 1440,
        account_seconds: float = 10.0,
        brackets: str = "denied",
        instrument_provider: InstrumentProviderConfig | None = None,
        routing: RoutingConfig | None = None,
    ) -> Self:
        """Raises ValueError naming the field."""
        if mode not in _MODES.values():
            raise ValueError(f"mode is {mode!r}; it must be 'hedging' or 'netting', as the account is")
        if not currency:
            raise ValueError("currency is empty; it must be the deposit currency of the account, such as 'USD'")
        if brackets not in ("denied", "levels"):
            raise ValueError(f"brackets is {brackets!r}; it must be 'denied' or 'levels'")
        config = super().__new__(cls, instrument_provider=instrument_provider, routing=routing)
        config.url, config.api_key, config.mode, config.currency, config.magic = url, api_key, mode, currency, magic
        config.brackets = brackets
        config.login = _positive("login", login)
        config.lookback_minutes = _positive("lookback_minutes", lookback_minutes)
        config.account_seconds = _positive("account_seconds", account_seconds)
        return config


def execution_client_config(
    url: str | None = None,
    api_key: str | None = None,
    *,
    instrument_provider: InstrumentProviderConfig | None = None,
    routing: RoutingConfig | None = None,
    **others: Any,
) -> GatewayExecutionClientConfig:
    """The configuration for the account that the gateway has now: its login, mode and currency are read.

    Raises NotReached or Refused if the account cannot be read, and ValueError naming a field.
    """
    with Gateway(url, api_key) as gateway:
        account = gateway.account()
    return GatewayExecutionClientConfig(
        **{"url": url, "api_key": api_key, "login": account.login, "mode": mode_of(account.margin_mode), **others},
        currency=account.currency,
        instrument_provider=instrument_provider,
        routing=routing,
    )


def execution_engine_config(**others: Any) -> LiveExecutionEngineConfig:
    """The configuration of the node's execution engine that this client needs: an order whose outcome is not known stays in flight.

    With the engine's own default it would be reported as rejected after some queries, and could have been filled. Raises ValueError
    for another `submission_recovery_policy`.
    """
    policy = others.setdefault("submission_recovery_policy", SubmissionRecoveryPolicy.RETAIN_UNRESOLVED)
    if policy != SubmissionRecoveryPolicy.RETAIN_UNRESOLVED:
        raise ValueError(
            "submission_recovery_policy must be RETAIN_UNRESOLVED, which is the default here: "
            "any other reports an order of unknown outcome as rejected"
        )
    return LiveExecutionEngineConfig(**others)


def mode_of(margin_mode: int) -> str:
    return _MODES.get(margin_mode, "netting")


def address(config: GatewayDataClientConfig | GatewayExecutionClientConfig) -> tuple[str, str]:
    """URL and key of the configuration, or else of the environment."""
    found = address_of(config.login, url=config.url, api_key=config.api_key)
    return found.url, found.api_key


def _positive(field: str, value: _Number) -> _Number:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise ValueError(f"{field} is {value!r}; it must be a number above 0")
    return value
