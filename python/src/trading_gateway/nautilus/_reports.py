"""Rows of the account as reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from nautilus_trader.model import (
    AccountId,
    Cfd,
    ClientOrderId,
    CurrencyPair,
    FillReport,
    LiquiditySide,
    Money,
    OrderSide,
    OrderStatus,
    OrderStatusReport,
    OrderType,
    PositionId,
    PositionSide,
    PositionStatusReport,
    TimeInForce,
    TradeId,
    TriggerType,
    VenueOrderId,
)

from ._instruments import currency_of, price_of, units_of
from ._times import nanoseconds

_STATUS = {
    0: OrderStatus.SUBMITTED,
    1: OrderStatus.ACCEPTED,
    2: OrderStatus.CANCELED,
    3: OrderStatus.PARTIALLY_FILLED,
    4: OrderStatus.FILLED,
    5: OrderStatus.REJECTED,
    6: OrderStatus.EXPIRED,
    7: OrderStatus.SUBMITTED,
    8: OrderStatus.PENDING_UPDATE,
    9: OrderStatus.PENDING_CANCEL,
}
_TYPES = {
    **{0: OrderType.MARKET, 1: OrderType.MARKET, 2: OrderType.LIMIT, 3: OrderType.LIMIT},
    **{4: OrderType.STOP_MARKET, 5: OrderType.STOP_MARKET, 6: OrderType.STOP_LIMIT, 7: OrderType.STOP_LIMIT},
    8: OrderType.MARKET,
}
#: Types of orders that sell.
_SELLS = frozenset({1, 3, 5, 7})
#: A deal of a close by: two of one order, one of each position.
CLOSE_BY = 3


class Reports:
    """Makes the reports of one account. Rows are those of the gateway, as dictionaries."""

    def __init__(self, account_id: AccountId, currency: str, mode: str) -> None:
        self._account_id = account_id
        self._currency = currency_of(currency)
        self._mode = mode

    def position_id(self, identifier: int) -> PositionId | None:
        """Of a hedging account the ticket; on a netting account the platform names its own."""
        return PositionId(str(identifier)) if self._mode == "hedging" and identifier else None

    def commission(self, deal: Mapping[str, Any]) -> Money:
        """What the deal cost: the terminal has a charge as a negative number."""
        return Money(-(deal["commission"] + deal["fee"]), self._currency)

    def order(
        self, instrument: CurrencyPair | Cfd, row: Mapping[str, Any], deals: Iterable[Mapping[str, Any]], now: int
    ) -> OrderStatusReport:
        kind = _TYPES.get(row["type"], OrderType.MARKET)
        placed = nanoseconds(row["time_setup_utc"], now)
        expires = nanoseconds(row["time_expiration_utc"], 0)
        fills = [(Decimal(repr(deal["volume"])), Decimal(repr(deal["price"]))) for deal in deals]
        lots = sum((volume for volume, _ in fills), Decimal(0))
        price = price_of(instrument, row["price_open"]) if row["price_open"] else None
        stop_limit = kind == OrderType.STOP_LIMIT
        position = row["position_id"]
        return OrderStatusReport(
            self._account_id,
            instrument.id,
            VenueOrderId(str(row["ticket"])),
            OrderSide.SELL if row["type"] in _SELLS else OrderSide.BUY,
            kind,
            TimeInForce.GTD if expires else TimeInForce.GTC,
            _STATUS.get(row["state"], OrderStatus.ACCEPTED),
            units_of(instrument, row["volume_initial"]),
            units_of(instrument, row["volume_initial"] - row["volume_current"]),
            placed,
            nanoseconds(row["time_done_utc"], placed),
            now,
            client_order_id=None if row.get("client_order_id") is None else ClientOrderId(row["client_order_id"]),
            venue_position_id=self.position_id(position),
            expire_time=expires or None,
            price=price_of(instrument, row["price_stoplimit"]) if stop_limit else price if kind == OrderType.LIMIT else None,
            trigger_price=price if kind in (OrderType.STOP_MARKET, OrderType.STOP_LIMIT) else None,
            trigger_type=TriggerType.BID_ASK if kind in (OrderType.STOP_MARKET, OrderType.STOP_LIMIT) else None,
            avg_px=sum((volume * at for volume, at in fills), Decimal(0)) / lots if lots else None,
        )

    def closed_by(self, instrument: CurrencyPair | Cfd, deal: Mapping[str, Any], now: int) -> OrderStatusReport:
        """One side of a close by, as an order of its own: the platform knows no order with two sides."""
        time = nanoseconds(deal["time_utc"], now)
        units = units_of(instrument, deal["volume"])
        return OrderStatusReport(
            self._account_id,
            instrument.id,
            venue_order_id(deal),
            side_of(deal),
            OrderType.MARKET,
            TimeInForce.GTC,
            OrderStatus.FILLED,
            units,
            units,
            time,
            time,
            now,
            venue_position_id=self.position_id(deal["position_id"]),
            avg_px=Decimal(repr(deal["price"])),
        )

    def fill(self, instrument: CurrencyPair | Cfd, deal: Mapping[str, Any], key: str | None, now: int) -> FillReport:
        return FillReport(
            self._account_id,
            instrument.id,
            venue_order_id(deal),
            TradeId(str(deal["ticket"])),
            side_of(deal),
            units_of(instrument, deal["volume"]),
            price_of(instrument, deal["price"]),
            self.commission(deal),
            LiquiditySide.NO_LIQUIDITY_SIDE,
            nanoseconds(deal["time_utc"], now),
            now,
            client_order_id=None if key is None or deal["entry"] == CLOSE_BY else ClientOrderId(key),
            venue_position_id=self.position_id(deal["position_id"]),
        )

    def position(self, instrument: CurrencyPair | Cfd, row: Mapping[str, Any], now: int) -> PositionStatusReport:
        return PositionStatusReport(
            self._account_id,
            instrument.id,
            PositionSide.LONG if row["type"] == 0 else PositionSide.SHORT,
            units_of(instrument, row["volume"]),
            nanoseconds(row["time_utc"], now),
            now,
            venue_position_id=self.position_id(row["identifier"]),
            avg_px_open=Decimal(repr(row["price_open"])),
        )


def side_of(deal: Mapping[str, Any]) -> OrderSide:
    return OrderSide.BUY if deal["type"] == 0 else OrderSide.SELL


def venue_order_id(deal: Mapping[str, Any]) -> VenueOrderId:
    """The ticket of its order; for a close by that of the deal as well."""
    return VenueOrderId(f"{deal['order']}-{deal['ticket']}" if deal["entry"] == CLOSE_BY else str(deal["order"]))
