"""From a trade request of the package to a request of the gateway's routes. What they cannot say is refused with the return code
that the trade server has for it: nothing is guessed.

Pure but for the reads of a `Market`, and the only place that knows the routes of trades.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from . import _constants as mt5


@dataclass(frozen=True)
class Call:
    """A request of the gateway."""

    method: str
    path: str
    body: dict[str, Any] | None


@dataclass(frozen=True)
class Refusal:
    """Nothing is sent."""

    retcode: int
    comment: str


class Market(Protocol):
    """What a plan may read. Each raises GatewayError if it cannot be read."""

    def is_hedging(self) -> bool: ...
    def positions(self, *, ticket: int | None = None, symbol: str | None = None) -> list[dict[str, Any]]: ...
    def symbol(self, name: str) -> dict[str, Any] | None: ...
    def utc_of(self, server_seconds: int) -> str | None: ...


_PENDING = {
    mt5.ORDER_TYPE_BUY_LIMIT: "BUY_LIMIT",
    mt5.ORDER_TYPE_SELL_LIMIT: "SELL_LIMIT",
    mt5.ORDER_TYPE_BUY_STOP: "BUY_STOP",
    mt5.ORDER_TYPE_SELL_STOP: "SELL_STOP",
    mt5.ORDER_TYPE_BUY_STOP_LIMIT: "BUY_STOP_LIMIT",
    mt5.ORDER_TYPE_SELL_STOP_LIMIT: "SELL_STOP_LIMIT",
}
_SIDES = {mt5.ORDER_TYPE_BUY: "BUY", mt5.ORDER_TYPE_SELL: "SELL"}
ORDER_TYPES = {**_SIDES, **_PENDING}
#: The largest number that JSON holds exactly.
_LARGEST = 2**53 - 1


def plan(request: Mapping[str, Any], market: Market) -> Call | Refusal:
    """What to send for a full request of 17 fields."""
    too_large = next((name for name in ("magic", "order", "position", "deviation") if request[name] > _LARGEST), None)
    if too_large is not None:
        return Refusal(mt5.TRADE_RETCODE_INVALID, f"{too_large} above 2^53-1 cannot be sent")
    planner = _PLANNERS.get(request["action"])
    if planner is None:
        return Refusal(mt5.TRADE_RETCODE_INVALID, f"action {request['action']} is unknown")
    return planner(request, market)


def check_body(request: Mapping[str, Any], market: Market) -> dict[str, Any] | Refusal:
    """The body of an order that is only checked."""
    planned = plan(request, market)
    if isinstance(planned, Refusal):
        return planned
    if planned.path != "/order" or planned.body is None:
        return Refusal(mt5.TRADE_RETCODE_INVALID, "only new orders can be checked")
    return planned.body


def _deal(request: Mapping[str, Any], market: Market) -> Call | Refusal:
    if request["type"] not in _SIDES:
        return Refusal(mt5.TRADE_RETCODE_INVALID, "a deal is of type BUY or SELL")
    if request["position"]:
        return _close(request, market)
    body = _order(request, _SIDES[request["type"]])
    return body if isinstance(body, Refusal) else Call("POST", "/order", body)


def _pending(request: Mapping[str, Any], market: Market) -> Call | Refusal:
    if request["type"] not in _PENDING:
        return Refusal(mt5.TRADE_RETCODE_INVALID, "a pending order has a pending type")
    if request["price"] <= 0:
        return Refusal(mt5.TRADE_RETCODE_INVALID_PRICE, "a pending order has a price")
    body = _order(request, _PENDING[request["type"]])
    if isinstance(body, Refusal):
        return body
    if request["type"] in (mt5.ORDER_TYPE_BUY_STOP_LIMIT, mt5.ORDER_TYPE_SELL_STOP_LIMIT):
        body["stoplimit"] = request["stoplimit"]
    expiration = _expiration(request, market)
    if isinstance(expiration, Refusal):
        return expiration
    if expiration is not None:
        body["expiration"] = expiration
    return Call("POST", "/order", body)


def _order(request: Mapping[str, Any], word: str) -> dict[str, Any] | Refusal:
    filling = request["type_filling"]
    if filling not in (mt5.ORDER_FILLING_FOK, mt5.ORDER_FILLING_IOC, mt5.ORDER_FILLING_RETURN):
        return Refusal(mt5.TRADE_RETCODE_INVALID_FILL, "this filling cannot be sent")
    if request["volume"] <= 0:
        return Refusal(mt5.TRADE_RETCODE_INVALID_VOLUME, "the volume is not positive")
    if min(request["price"], request["sl"], request["tp"]) < 0:
        return Refusal(mt5.TRADE_RETCODE_INVALID_PRICE, "a price is negative")
    body: dict[str, Any] = {
        "symbol": request["symbol"],
        "volume": request["volume"],
        "type": word,
        "sl": request["sl"],
        "tp": request["tp"],
        "deviation": request["deviation"],
        "magic": request["magic"],
        "type_filling": filling,
    }
    if request["price"] > 0:
        body["price"] = request["price"]
    # Without a comment the gateway writes a tag of the key, by which it finds an order again.
    if request["comment"]:
        body["comment"] = request["comment"]
    return body


def _close(request: Mapping[str, Any], market: Market) -> Call | Refusal:
    found = market.positions(ticket=request["position"])
    if not found:
        return Refusal(mt5.TRADE_RETCODE_POSITION_CLOSED, "the position is not open")
    position = found[0]
    if request["symbol"] and request["symbol"] != position["symbol"]:
        return Refusal(mt5.TRADE_RETCODE_INVALID, "the position is of another symbol")
    if request["type"] == position["type"]:
        return Refusal(mt5.TRADE_RETCODE_INVALID, "a close has the type opposite to its position")
    volume = request["volume"]
    if volume <= 0:
        return Refusal(mt5.TRADE_RETCODE_INVALID_VOLUME, "the volume is not positive")
    # In units of a billionth of a lot, as 0.1 + 0.2 is more than 0.3.
    if round(volume * 1e9) > round(position["volume"] * 1e9):
        return Refusal(mt5.TRADE_RETCODE_INVALID_CLOSE_VOLUME, "more than the volume of the position")
    refusal = _close_terms(request, market, position)
    if refusal is not None:
        return refusal
    body: dict[str, Any] = {
        "position": {"ticket": position["ticket"], "volume": volume},
        "deviation": request["deviation"],
    }
    if request["comment"]:
        body["comment"] = request["comment"]
    return Call("POST", "/close_position", body)


def _close_terms(request: Mapping[str, Any], market: Market, position: Mapping[str, Any]) -> Refusal | None:
    """The route closes with a filling that the symbol permits, at the current quote. It is used only where the request permits that."""
    info = market.symbol(position["symbol"])
    if info is None:
        return Refusal(mt5.TRADE_RETCODE_PRICE_OFF, "the symbol has no quote")
    execution, flags, filling = info["trade_exemode"], info["filling_mode"], request["type_filling"]
    by_flag = {mt5.ORDER_FILLING_FOK: 1, mt5.ORDER_FILLING_IOC: 2}.get(filling, 0)
    if execution == mt5.SYMBOL_TRADE_EXECUTION_MARKET:
        permitted = flags & by_flag or (flags & 3 == 0 and by_flag)
    elif execution == mt5.SYMBOL_TRADE_EXECUTION_EXCHANGE:
        permitted = filling == mt5.ORDER_FILLING_RETURN or flags & by_flag
    else:
        permitted = filling in (mt5.ORDER_FILLING_FOK, mt5.ORDER_FILLING_IOC, mt5.ORDER_FILLING_RETURN)
    if not permitted:
        return Refusal(mt5.TRADE_RETCODE_INVALID_FILL, "the symbol does not permit this filling")
    # With Request and Instant execution the price of the request counts: the current one must be within its deviation.
    if execution in (mt5.SYMBOL_TRADE_EXECUTION_REQUEST, mt5.SYMBOL_TRADE_EXECUTION_INSTANT):
        if request["price"] <= 0:
            return Refusal(mt5.TRADE_RETCODE_INVALID_PRICE, "a close of this symbol has a price")
        current = info["bid"] if position["type"] == mt5.POSITION_TYPE_BUY else info["ask"]
        if round(abs(current - request["price"]) / info["point"]) > request["deviation"]:
            return Refusal(mt5.TRADE_RETCODE_REQUOTE, "the price has moved by more than the deviation")
    return None


def _levels(request: Mapping[str, Any]) -> dict[str, Any]:
    """Both levels; a level of 0 is removed."""
    body: dict[str, Any] = {}
    for level in ("sl", "tp"):
        if request[level] > 0:
            body[level] = request[level]
        else:
            body[f"clear_{level}"] = True
    return body


def _sltp(request: Mapping[str, Any], market: Market) -> Call | Refusal:
    if min(request["sl"], request["tp"]) < 0:
        return Refusal(mt5.TRADE_RETCODE_INVALID_STOPS, "a level is negative")
    if request["position"]:
        found = market.positions(ticket=request["position"])
    elif market.is_hedging():
        return Refusal(mt5.TRADE_RETCODE_INVALID, "on a hedging account the position has to be named")
    else:
        found = market.positions(symbol=request["symbol"])
    if not found:
        return Refusal(mt5.TRADE_RETCODE_POSITION_CLOSED, "the position is not open")
    if request["symbol"] and request["symbol"] != found[0]["symbol"]:
        return Refusal(mt5.TRADE_RETCODE_INVALID, "the position is of another symbol")
    return Call("POST", "/modify_sl_tp", {"position": found[0]["ticket"], **_levels(request)})


def _modify(request: Mapping[str, Any], market: Market) -> Call | Refusal:
    if not request["order"]:
        return Refusal(mt5.TRADE_RETCODE_INVALID, "the order has to be named")
    if request["price"] <= 0:
        return Refusal(mt5.TRADE_RETCODE_INVALID_PRICE, "the order has to have a price")
    if min(request["sl"], request["tp"]) < 0:
        return Refusal(mt5.TRADE_RETCODE_INVALID_STOPS, "a level is negative")
    body: dict[str, Any] = {"price": request["price"], **_levels(request)}
    if request["stoplimit"] > 0:
        body["stoplimit"] = request["stoplimit"]
    expiration = _expiration(request, market)
    if isinstance(expiration, Refusal):
        return expiration
    body.update({"clear_expiration": True} if expiration is None else {"expiration": expiration})
    return Call("PUT", f"/orders/{request['order']}", body)


def _remove(request: Mapping[str, Any], _market: Market) -> Call | Refusal:
    if not request["order"]:
        return Refusal(mt5.TRADE_RETCODE_INVALID, "the order has to be named")
    return Call("DELETE", f"/orders/{request['order']}", None)


def _close_by(_request: Mapping[str, Any], _market: Market) -> Call | Refusal:
    return Refusal(mt5.TRADE_RETCODE_INVALID_ORDER, "close-by is not available here")


def _expiration(request: Mapping[str, Any], market: Market) -> str | None | Refusal:
    """The UTC time of an expiration, which the package has on the server's clock; None for an order without one."""
    if request["type_time"] == mt5.ORDER_TIME_GTC:
        return None
    if request["type_time"] != mt5.ORDER_TIME_SPECIFIED:
        return Refusal(mt5.TRADE_RETCODE_INVALID_EXPIRATION, "this type_time cannot be sent")
    utc = market.utc_of(request["expiration"])
    if utc is None:
        return Refusal(mt5.TRADE_RETCODE_INVALID_EXPIRATION, "the expiration is no time, or the server's offset is not known")
    return utc


_PLANNERS = {
    mt5.TRADE_ACTION_DEAL: _deal,
    mt5.TRADE_ACTION_PENDING: _pending,
    mt5.TRADE_ACTION_SLTP: _sltp,
    mt5.TRADE_ACTION_MODIFY: _modify,
    mt5.TRADE_ACTION_REMOVE: _remove,
    mt5.TRADE_ACTION_CLOSE_BY: _close_by,
}

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
    "type_filling": mt5.TRADE_RETCODE_INVALID_FILL,
}


def retcode_of(error_type: str, details: Any, request: Mapping[str, Any]) -> int:
    """The return code of an error for which the trade server gave none."""
    if error_type == "validation_error" and isinstance(details, list):
        named = (_OF_FIELDS.get(str(item.get("field"))) for item in details if isinstance(item, dict))
        return next((code for code in named if code is not None), mt5.TRADE_RETCODE_INVALID)
    if error_type == "not_found" and request["position"]:
        return mt5.TRADE_RETCODE_POSITION_CLOSED
    return _RETCODES.get(error_type, mt5.TRADE_RETCODE_INVALID)
