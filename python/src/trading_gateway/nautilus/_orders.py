"""What an order becomes at the gateway."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nautilus_trader.model import Cfd, CurrencyPair, OrderSide, OrderType, PositionId, TimeInForce, TriggerType

from .._rows import given
from .._wire import TradeRequest
from ._instruments import lots_of
from ._times import iso

_TYPES: dict[Any, str] = {
    OrderType.MARKET: "",
    OrderType.LIMIT: "_LIMIT",
    OrderType.STOP_MARKET: "_STOP",
    OrderType.STOP_LIMIT: "_STOP_LIMIT",
}
_TRIGGERS = (None, TriggerType.DEFAULT, TriggerType.NO_TRIGGER, TriggerType.BID_ASK)
#: `params` of a submission that the gateway takes.
_PARAMS = ("sl", "tp", "deviation", "comment")


class Denied(ValueError):
    """The order cannot be one of this account. Nothing was sent."""


@dataclass(frozen=True)
class Close:
    """An order that reduces a position. `ticket` is None on a netting account: that of its symbol then."""

    ticket: int | None
    symbol: str
    lots: float


def plan_of(
    order: Any,
    instrument: CurrencyPair | Cfd,
    position_id: PositionId | None,
    params: dict[str, Any] | None,
    mode: str,
    magic: int | None,
) -> dict[str, Any] | Close:
    """The body of POST /order, or the close of a position. Raises Denied with field, problem and remedy."""
    suffix = _TYPES.get(order.order_type)
    if suffix is None:
        raise Denied(
            f"order_type is {order.order_type.name}; the account takes MARKET, LIMIT, STOP_MARKET and STOP_LIMIT: use one of those, or "
            "give emulation_trigger, so that the node triggers the order"
        )
    _require_plain(order)
    unknown = sorted((params or {}).keys() - set(_PARAMS))
    if unknown:
        raise Denied(f"params has {', '.join(unknown)}; it may have {', '.join(_PARAMS)}")
    try:
        lots = lots_of(instrument, order.quantity)
    except ValueError as problem:
        raise Denied(str(problem)) from problem
    symbol = str(order.instrument_id.symbol)
    filling = _filling_of(order)
    if order.is_reduce_only or (mode == "hedging" and position_id is not None):
        if suffix:
            raise Denied("reduce_only, or a position_id, is set on a pending order; only a MARKET order can reduce a position")
        if mode == "hedging" and position_id is None:
            raise Denied("reduce_only is set without a position_id; on a hedging account, give the position that the order reduces")
        if params:
            raise Denied("params is set on an order that reduces a position; it takes none")
        return Close(None if mode == "netting" else _ticket_of(position_id), symbol, lots)
    side = "BUY" if order.side == OrderSide.BUY else "SELL"
    price, trigger = getattr(order, "price", None), getattr(order, "trigger_price", None)
    return given(
        symbol=symbol,
        volume=lots,
        type=side + suffix,
        # The terminal's `price` is the one that triggers.
        price=_number(trigger if trigger is not None else price),
        stoplimit=_number(price) if order.order_type == OrderType.STOP_LIMIT else None,
        type_filling=filling,
        expiration=iso(order.expire_time) if order.time_in_force == TimeInForce.GTD else None,
        magic=magic,
        **(params or {}),
    )


def request_of(body: dict[str, Any], key: str) -> TradeRequest:
    return TradeRequest("POST", "/order", body, key)


def close_of(ticket: int, lots: float, key: str) -> TradeRequest:
    return TradeRequest("POST", "/close_position", {"ticket": ticket, "volume": lots}, key)


def _require_plain(order: Any) -> None:
    if getattr(order, "is_post_only", False):
        raise Denied("post_only is set; the terminal has no such order: clear it")
    if getattr(order, "display_qty", None) is not None:
        raise Denied("display_qty is set; the terminal has no hidden orders: clear it")
    if getattr(order, "is_quote_quantity", False):
        raise Denied("quote_quantity is set; quantities are units of the base: give those")
    if getattr(order, "trigger_type", None) not in _TRIGGERS:
        raise Denied(f"trigger_type is {order.trigger_type.name}; the terminal triggers on the quote: use DEFAULT or BID_ASK")


def _filling_of(order: Any) -> str | None:
    tif = order.time_in_force
    if order.order_type == OrderType.MARKET:
        if tif in (TimeInForce.IOC, TimeInForce.FOK):
            return "IOC" if tif == TimeInForce.IOC else "FOK"
        if tif == TimeInForce.GTC:
            return None
        raise Denied(f"time_in_force is {tif.name}; a MARKET order takes GTC (the filling of the symbol), IOC or FOK")
    if tif not in (TimeInForce.GTC, TimeInForce.GTD):
        raise Denied(f"time_in_force is {tif.name}; a pending order takes GTC, or GTD with an expire_time")
    return None


def _ticket_of(position_id: PositionId | None) -> int:
    try:
        return int(str(position_id))
    except ValueError:
        raise Denied(f"position_id is {position_id}; the positions of this account are named by their tickets") from None


def _number(price: Any) -> float | None:
    return None if price is None else float(price.as_double())
