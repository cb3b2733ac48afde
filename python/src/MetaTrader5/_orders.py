"""`order_send` and `order_check`: one key for each request, repeated under it until the outcome is known."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

from trading_gateway._errors import GatewayError, NotReached, Refused
from trading_gateway._transport import Transport, UnknownOutcome
from trading_gateway._wire import TradeRequest as KeyedRequest
from trading_gateway._wire import new_key, quoted

from . import _constants as mt5
from . import _keys, _session
from ._plan import Refusal, retcode_of, send_body
from ._records import OrderCheckResult, OrderSendResult, TradeRequest

_UNKNOWN = "outcome unknown: "


class _Unsettled(NamedTuple):
    """A request whose outcome is not known."""

    keyed: KeyedRequest
    kept: _keys.KeptKey
    request: dict[str, Any]


#: By what they are about.
_unsettled: dict[str, _Unsettled] = {}


def send(transport: Transport, request: dict[str, Any], key: str | None) -> OrderSendResult:
    """Raises GatewayError where the package answers None."""
    wanted = _subject(transport, _session.login, request)
    if wanted in _unsettled:
        held = _unsettled[wanted]
        answered = _repeat(transport, wanted, held)
        if answered.retcode == mt5.TRADE_RETCODE_TIMEOUT or (key is not None and key == held.keyed.key):
            return answered
        if answered.retcode in _DONE and _asks_again(request, held.request):
            return answered
    body = send_body(request)
    if isinstance(body, Refusal):
        return _result(request, body.retcode, body.comment)
    keyed = KeyedRequest("POST", "/order_send", body, key or new_key("mt5"))
    about = {**asdict(keyed), "request": request, "login": _session.login}
    try:
        kept = _keys.KeptKey.of(transport.address.url, about)
    except OSError as problem:
        raise NotReached(f"the key cannot be kept, so nothing was sent: {problem}", sent=False) from problem
    return _first(transport, wanted, keyed, kept, request)


_DONE = (mt5.TRADE_RETCODE_DONE, mt5.TRADE_RETCODE_DONE_PARTIAL, mt5.TRADE_RETCODE_PLACED, mt5.TRADE_RETCODE_NO_CHANGES)


def _first(transport: Transport, wanted: str, keyed: KeyedRequest, kept: _keys.KeptKey, request: dict[str, Any]) -> OrderSendResult:
    _unsettled[wanted] = _Unsettled(keyed, kept, request)
    try:
        done = transport.trade(keyed)
    except UnknownOutcome as unknown:
        return _result(request, mt5.TRADE_RETCODE_TIMEOUT, _UNKNOWN + unknown.key)
    except GatewayError as problem:
        _settled(wanted)
        return _refused(request, problem)
    _settled(wanted)
    return _executed(request, done.body)


def _repeat(transport: Transport, wanted: str, held: _Unsettled) -> OrderSendResult:
    keyed, _, request = held
    try:
        done = transport.trade(keyed, maybe_sent=True)
    except UnknownOutcome as unknown:
        if not _is_accepted(transport, keyed.key):
            return _result(request, mt5.TRADE_RETCODE_TIMEOUT, _UNKNOWN + unknown.key)
        _settled(wanted)
        return _result(request, mt5.TRADE_RETCODE_CANCEL, "an operator accepted that the outcome stays unknown")
    except GatewayError as problem:
        _settled(wanted)
        return _refused(request, problem)
    _settled(wanted)
    return _executed(request, done.body)


def _settled(wanted: str) -> None:
    _unsettled.pop(wanted).kept.remove()


def _is_accepted(transport: Transport, key: str) -> bool:
    try:
        return bool(transport.read(f"/trade_requests/{quoted(key)}", attempts=1)["status"] == "accepted")
    except GatewayError:
        return False


def _subject(transport: Transport, login: int | None, request: dict[str, Any]) -> str:
    """What a request is about. While the outcome of one is not known, no other about the same is sent: a retry has another price."""
    names = ("action", "symbol", "type", "volume", "magic", "order", "position", "position_by")
    return json.dumps([transport.address.url, login, *(request[name] for name in names)])


def _asks_again(request: dict[str, Any], earlier: dict[str, Any]) -> bool:
    """Whether it is the retry of an earlier one: a deal whatever its price is, anything else only if it is the same."""
    return request["action"] == mt5.TRADE_ACTION_DEAL or request == earlier


def end_leftovers(transport: Transport, login: int, patience: float) -> None:
    """What a bot left that was killed while it sent. A request that was not sent never will be; the outcome of another is waited for,
    so that the reads after this show it. While it is not known, the same request is held back in this process too."""
    ends = time.monotonic() + patience
    for kept, about in _keys.leftovers(transport.address.url):
        if about["login"] != login:
            kept.release()
        elif _is_ended(transport, about["key"], ends):
            kept.remove()
        else:
            keyed = KeyedRequest(about["method"], about["path"], about["body"], about["key"])
            request = about["request"]
            _unsettled[_subject(transport, login, request)] = _Unsettled(keyed, kept, request)


def _is_ended(transport: Transport, key: str, ends: float) -> bool:
    while True:
        try:
            if transport.put(f"/trade_requests/{quoted(key)}/void")["status"] not in ("in_progress", "unknown"):
                return True
        except GatewayError:
            pass
        if time.monotonic() + 0.25 >= ends:
            return False
        time.sleep(0.25)


def check(transport: Transport, request: dict[str, Any]) -> OrderCheckResult:
    """Raises GatewayError where the package answers None."""
    body = send_body(request)
    if isinstance(body, Refusal):
        return _checked(request, {"retcode": body.retcode, "comment": body.comment})
    try:
        return _checked(request, transport.read("/order_send/check", body=body))
    except Refused as refused:
        return _checked(request, {"retcode": _retcode(refused, request), "comment": str(refused)})


def _checked(request: dict[str, Any], answer: dict[str, Any]) -> OrderCheckResult:
    money = {name: answer.get(name, 0.0) for name in ("balance", "equity", "profit", "margin", "margin_free", "margin_level")}
    comment = answer["comment"]
    return OrderCheckResult.of({**money, "retcode": answer["retcode"], "comment": comment}, request=TradeRequest.of(request))


def _executed(request: dict[str, Any], body: dict[str, Any]) -> OrderSendResult:
    """The terminal's own result."""
    result = body.get("result") or {}
    if result.get("retcode") is None:
        # The replay of a request whose own answer is no longer kept. What it was about is known, but neither price nor volume; and with
        # `position`, its ticket may be that of the position.
        ticket = 0 if request["position"] else body.get("ticket") or 0
        result = {"retcode": mt5.TRADE_RETCODE_DONE, "order": ticket}
    return _own_result(request, {**result, "comment": result.get("comment") or "Request executed"})


def _own_result(request: dict[str, Any], result: Mapping[str, Any]) -> OrderSendResult:
    row = {name: 0 if result.get(name) is None else result[name] for name in _NUMBERS}
    return OrderSendResult.of(row, comment=str(result.get("comment") or ""), request=TradeRequest.of(request))


_NUMBERS = ("retcode", "deal", "order", "volume", "price", "bid", "ask", "request_id", "retcode_external")


def _refused(request: dict[str, Any], problem: GatewayError) -> OrderSendResult:
    """Raises it again where the package answers None."""
    if not isinstance(problem, Refused) or problem.error_type in ("authentication_error", "account_mismatch", "forbidden"):
        raise problem
    stated = problem.terminal_error
    if isinstance(stated, dict) and stated.get("code") == mt5.RES_E_AUTO_TRADING_DISABLED:
        raise problem
    answered = problem.body.get("result")
    if isinstance(answered, dict):
        return _own_result(request, answered)
    result = _result(request, _retcode(problem, request), str(problem))
    if not isinstance(stated, dict):
        return result
    return OrderSendResult.of({**result._asdict(), "comment": stated.get("comment") or str(problem)})


def _retcode(refused: Refused, request: dict[str, Any]) -> int:
    return refused.retcode or retcode_of(refused.error_type, refused.details, request)


def _result(request: dict[str, Any], retcode: int, comment: str) -> OrderSendResult:
    return OrderSendResult.of(
        {**dict.fromkeys(_NUMBERS, 0), "retcode": retcode}, comment=re.sub(r"\s+", " ", comment), request=TradeRequest.of(request)
    )
