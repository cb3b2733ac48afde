"""What an order becomes at the gateway."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nautilus_trader.model import (
    Cfd,
    ContingencyType,
    CurrencyPair,
    OrderSide,
    OrderType,
    PositionId,
    TimeInForce,
    TriggerType,
)

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
class Bracket:
    """An entry, and the orders that protect its position: at the terminal, levels of the entry."""

    entry: Any
    children: list[Any]
    levels: dict[str, float]


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


def bracket_of(orders: list[Any], mode: str) -> Bracket:
    """Raises Denied with field, problem and remedy unless the orders are an entry with a stop loss, a take profit, or both."""
    entries = [order for order in orders if order.parent_order_id is None]
    if len(entries) != 1 or entries[0].contingency_type != ContingencyType.OTO:
        tied = next(order for order in orders if _is_tied(order))
        raise Denied(
            f"contingency_type of {tied.client_order_id} is {tied.contingency_type.name}; the terminal has no orders that depend on each "
            "other but an entry with its stop loss and take profit: submit such a bracket, or each order alone"
        )
    if mode == "netting":
        raise Denied(
            "the list is a bracket; on a netting account its levels would be those of the whole position: submit the entry alone, with sl "
            "and tp in its params"
        )
    (entry,) = entries
    levels: dict[str, float] = {}
    children = [order for order in orders if order is not entry]
    for child in children:
        name, level = _level_of(child, entry)
        if name in levels:
            raise Denied(f"the bracket has two orders that would be its {name}; a position has one: leave one out")
        levels[name] = level
    if not levels:
        raise Denied("the list is an entry without a stop loss or a take profit: submit it alone")
    return Bracket(entry, children, levels)


def is_tied(orders: list[Any]) -> bool:
    """Whether orders of a list depend on each other."""
    return any(_is_tied(order) for order in orders)


def _is_tied(order: Any) -> bool:
    return order.contingency_type not in (None, ContingencyType.NO_CONTINGENCY)


def _level_of(child: Any, entry: Any) -> tuple[str, float]:
    of = f"order {child.client_order_id} of the bracket"
    for problem, remedy in (
        (child.parent_order_id != entry.client_order_id, "has another parent than the entry: give it that"),
        (child.instrument_id != entry.instrument_id, "is for another instrument than the entry: give it that"),
        (child.side == entry.side, "has the side of the entry: give it the other"),
        (child.quantity != entry.quantity, "has another quantity than the entry: a level is of the whole position"),
        (not child.is_reduce_only, "is not reduce_only: a level only closes"),
        (child.time_in_force != TimeInForce.GTC, "is not GTC: a level has no end"),
        (
            getattr(child, "trigger_type", None) not in _TRIGGERS,
            "has a trigger_type; the terminal triggers on the quote: use DEFAULT",
        ),
    ):
        if problem:
            raise Denied(f"{of} {remedy}")
    if child.order_type == OrderType.STOP_MARKET:
        return "sl", child.trigger_price.as_double()
    if child.order_type == OrderType.LIMIT:
        return "tp", child.price.as_double()
    raise Denied(f"{of} is a {child.order_type.name}; a stop loss is a STOP_MARKET, and a take profit a LIMIT: use those")


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
