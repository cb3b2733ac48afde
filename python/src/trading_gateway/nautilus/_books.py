"""What the account has, read from the gateway. Rows are dictionaries, as it answers them."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from .._errors import NotReached, Refused
from .._transport_async import AsyncTransport
from .._wire import quoted

Row = dict[str, Any]


@dataclass(frozen=True)
class Books:
    """At one moment: every open position with all of its deals, every pending order, and the history of a span."""

    positions: list[Row]
    orders: list[Row]
    deals: list[Row]


@dataclass(frozen=True)
class Outcome:
    """What became of a key: `ticket` of its order, or why nothing was done."""

    ticket: int | None
    refusal: str | None


class Account:
    """Reads raise NotReached or Refused."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def facts(self) -> Row:
        facts: Row = await self._transport.read("/account")
        return facts

    async def positions(self) -> list[Row]:
        return await self._rows("/get_positions", {})

    async def orders(self) -> list[Row]:
        return await self._rows("/orders", {})

    async def deals(self, **query: Any) -> list[Row]:
        """Trades only, by time."""
        return [deal for deal in await self._pages("/history_deals_get", query) if is_trade(deal)]

    async def past_orders(self, **query: Any) -> list[Row]:
        return await self._pages("/history_orders_get", query)

    async def order(self, ticket: int) -> Row | None:
        """A pending or completed order. None if the account shows none, which it also does for a moment while one is completed."""
        for path in ("/orders", "/history_orders_get", "/orders"):
            rows = await self._rows(path, {"ticket": ticket})
            if rows:
                return rows[0]
        return None

    async def outcome(self, key: str) -> Outcome | None:
        """None while it is not known; an unknown key as well, because the request may be on its way."""
        try:
            record = await self._transport.read(f"/trade_requests/{quoted(key)}")
        except Refused as problem:
            if problem.status == 404:
                return None
            raise
        return outcome_of(record)

    async def void(self, key: str) -> bool:
        """True if nothing was sent under a key and nothing ever will be."""
        report = await self._transport.put(f"/trade_requests/{quoted(key)}/void")
        return isinstance(report, dict) and report.get("status") == "void"

    async def books(self, since: datetime.datetime) -> Books:
        """Deals are read between two equal reads of the positions, so that they add up to them."""
        positions = await self.positions()
        for _ in range(20):
            books = Books(positions, await self._all_orders(since), await self._all_deals(since, positions))
            again = await self.positions()
            if _volumes(again) == _volumes(positions):
                return books
            positions = again
        raise NotReached("the positions changed during each of 20 reads of the account", sent=True)

    async def _all_orders(self, since: datetime.datetime) -> list[Row]:
        # An order that is completed between the two reads is in one of them.
        pending = await self.orders()
        past = await self.past_orders(from_date=since.isoformat())
        known = {row["ticket"] for row in past}
        return past + [row for row in pending if row["ticket"] not in known]

    async def _all_deals(self, since: datetime.datetime, positions: list[Row]) -> list[Row]:
        deals = {deal["ticket"]: deal for deal in await self.deals(from_date=since.isoformat())}
        touched = {deal["position_id"] for deal in deals.values()} | {row["identifier"] for row in positions}
        begun = {deal["position_id"] for deal in deals.values() if deal["entry"] == 0}
        # A close without its opening would be a position of the other side.
        for position in sorted(touched - begun):
            deals.update((deal["ticket"], deal) for deal in await self.deals(position=position))
        return sorted(deals.values(), key=lambda deal: (deal["time_msc"], deal["ticket"]))

    async def _rows(self, path: str, query: Row) -> list[Row]:
        rows: list[Row] = (await self._transport.read(path, query))["data"]
        return rows

    async def _pages(self, path: str, query: Row) -> list[Row]:
        rows: list[Row] = []
        while True:
            body = await self._transport.read(path, query)
            rows += body["data"]
            if body["next_cursor"] is None:
                return rows
            query = {**query, "cursor": body["next_cursor"]}


def is_trade(deal: Row) -> bool:
    return deal["type"] in (0, 1) and deal["volume"] > 0


def ticket_of(answer: Row) -> int | None:
    """Ticket of the order that a trade request placed."""
    result = answer.get("result")
    order = result.get("order") if isinstance(result, dict) else None
    found = order or answer.get("ticket")
    return found if isinstance(found, int) else None


def outcome_of(record: Row) -> Outcome | None:
    status, answer = record["status"], record["response"]
    if status in ("absent", "void"):
        return Outcome(None, "nothing was done under its key, and nothing will be")
    if status in ("unknown", "accepted") or record["response_status"] is None or not isinstance(answer, dict):
        return None
    if answer.get("ok") is True:
        return Outcome(ticket_of(answer), None)
    return None if answer.get("error_type") == "unknown_outcome" else Outcome(None, str(answer.get("error")))


def _volumes(positions: list[Row]) -> set[tuple[int, int, float]]:
    return {(row["identifier"], row["type"], row["volume"]) for row in positions}


#: States in which an order ends without being filled.
CLOSED_STATES = {2: "cancelled", 5: "rejected", 6: "expired"}
