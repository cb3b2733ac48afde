"""What the gateway is asked for: `POST /order_send` takes the request in the package's own form. What JSON or that route cannot
hold is refused with the return code that the trade server has for it: nothing is guessed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import _constants as mt5


@dataclass(frozen=True)
class Refusal:
    """Nothing is sent."""

    retcode: int
    comment: str


ORDER_TYPES = {
    mt5.ORDER_TYPE_BUY: "BUY",
    mt5.ORDER_TYPE_SELL: "SELL",
    mt5.ORDER_TYPE_BUY_LIMIT: "BUY_LIMIT",
    mt5.ORDER_TYPE_SELL_LIMIT: "SELL_LIMIT",
    mt5.ORDER_TYPE_BUY_STOP: "BUY_STOP",
    mt5.ORDER_TYPE_SELL_STOP: "SELL_STOP",
    mt5.ORDER_TYPE_BUY_STOP_LIMIT: "BUY_STOP_LIMIT",
    mt5.ORDER_TYPE_SELL_STOP_LIMIT: "SELL_STOP_LIMIT",
}
#: The largest number that JSON holds exactly.
_LARGEST = 2**53 - 1


def send_body(request: Mapping[str, Any]) -> dict[str, Any] | Refusal:
    """The body of `POST /order_send` for a full request of 17 fields: a field that is 0 or empty is one that is omitted."""
    for name, value in request.items():
        if isinstance(value, int) and value > _LARGEST:
            return Refusal(mt5.TRADE_RETCODE_INVALID, f"{name} above 2^53-1 cannot be sent")
        if isinstance(value, float) and not math.isfinite(value):
            return Refusal(_OF_FIELDS.get(name, mt5.TRADE_RETCODE_INVALID), f"{name} is no number")
    return {"action": request["action"], **{name: value for name, value in request.items() if value}}


#: Return codes of errors that the gateway itself decides, by `error_type`. Nothing was done.
_RETCODES = {
    "symbol_not_allowed": mt5.TRADE_RETCODE_TRADE_DISABLED,
    "volume_limit_exceeded": mt5.TRADE_RETCODE_INVALID_VOLUME,
    "price_deviation_exceeded": mt5.TRADE_RETCODE_INVALID_PRICE,
    "order_deviation_exceeded": mt5.TRADE_RETCODE_INVALID,
    "quote_too_old": mt5.TRADE_RETCODE_PRICE_OFF,
    "order_rate_exceeded": mt5.TRADE_RETCODE_TOO_MANY_REQUESTS,
    "too_many_requests": mt5.TRADE_RETCODE_TOO_MANY_REQUESTS,
    "open_volume_exceeded": mt5.TRADE_RETCODE_LIMIT_VOLUME,
    "daily_loss_exceeded": mt5.TRADE_RETCODE_TRADE_DISABLED,
    "server_time_unavailable": mt5.TRADE_RETCODE_INVALID_EXPIRATION,
    "kill_switch_active": mt5.TRADE_RETCODE_CLIENT_DISABLES_AT,
    "read_only_key": mt5.TRADE_RETCODE_TRADE_DISABLED,
    "fenced_out": mt5.TRADE_RETCODE_TRADE_DISABLED,
    "fence_required": mt5.TRADE_RETCODE_TRADE_DISABLED,
    "journal_unavailable": mt5.TRADE_RETCODE_TRADE_DISABLED,
    "journal_lost": mt5.TRADE_RETCODE_TRADE_DISABLED,
    "terminal_unavailable": mt5.TRADE_RETCODE_CONNECTION,
    "reconnect_cooldown": mt5.TRADE_RETCODE_CONNECTION,
    "account_not_synchronized": mt5.TRADE_RETCODE_CONNECTION,
    "not_ready": mt5.TRADE_RETCODE_CONNECTION,
    "broker_rejected": mt5.TRADE_RETCODE_REJECT,
    "key_void": mt5.TRADE_RETCODE_REJECT,
    "idempotency_conflict": mt5.TRADE_RETCODE_REJECT,
}
_OF_FIELDS = {
    "volume": mt5.TRADE_RETCODE_INVALID_VOLUME,
    "price": mt5.TRADE_RETCODE_INVALID_PRICE,
    "sl": mt5.TRADE_RETCODE_INVALID_STOPS,
    "tp": mt5.TRADE_RETCODE_INVALID_STOPS,
    "stoplimit": mt5.TRADE_RETCODE_INVALID_PRICE,
    "expiration": mt5.TRADE_RETCODE_INVALID_EXPIRATION,
    "type_time": mt5.TRADE_RETCODE_INVALID_EXPIRATION,
    "type_filling": mt5.TRADE_RETCODE_INVALID_FILL,
}


def retcode_of(error_type: str, details: Any, request: Mapping[str, Any]) -> int:
    """The return code of an error for which the trade server gave none."""
    if error_type == "validation_error" and isinstance(details, list):
        items = [item for item in details if isinstance(item, dict)]
        limits = [item.get("limit") for item in items if item.get("field") == "volume" and request["position"]]
        if any(isinstance(limit, (int, float)) and request["volume"] > limit for limit in limits):
            return mt5.TRADE_RETCODE_INVALID_CLOSE_VOLUME
        named = (_OF_FIELDS.get(str(item.get("field"))) for item in items)
        return next((code for code in named if code is not None), mt5.TRADE_RETCODE_INVALID)
    if error_type == "not_found" and (request["position"] or request["action"] == mt5.TRADE_ACTION_SLTP):
        return mt5.TRADE_RETCODE_POSITION_CLOSED
    return _RETCODES.get(error_type, mt5.TRADE_RETCODE_INVALID)
