"""The session with the gateway, and the error of the last call."""

from __future__ import annotations

import atexit
import os
import threading
from typing import Any

import httpx

from trading_gateway._errors import GatewayError, NotReached, Refused
from trading_gateway._transport import Transport

OK = (1, "Success")
UNOPENED = (-10004, "No IPC connection")
WRONG_ACCOUNT = (-6, "Terminal: Authorization failed")
WRONG_KEY = (-10000, "IPC call failed: the gateway refused API_KEY")

#: One call at a time, as the package has it.
lock = threading.RLock()
transport: Transport | None = None
last_error: tuple[int, str] = (0, "")
#: Login and server of the account; pinned, so that another account never answers.
login: int | None = None
#: Symbols whose market depth the program follows.
books: set[str] = set()


def fail(code: int, message: str) -> None:
    global last_error
    last_error = (code, message)


def succeed() -> None:
    global last_error
    last_error = OK


def open(new: Transport, account: dict[str, Any]) -> None:
    global transport, login
    close()
    transport, login = new, account["login"]


def close() -> None:
    global transport, login
    if transport is not None:
        transport.close()
    transport = login = None
    books.clear()


def _unlock() -> None:
    """A child has no thread that could release what another thread of its parent held."""
    global lock
    lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock)

# A program that does not call shutdown() ends its connection all the same.
atexit.register(close)


def required() -> Transport:
    if transport is None:
        raise NotReached(UNOPENED[1], sent=False)
    return transport


def required_else_noted() -> None:
    """Without a session, last_error says so."""
    if transport is None:
        fail(*UNOPENED)


_BY_TYPE = {
    "authentication_error": WRONG_KEY,
    "account_mismatch": WRONG_ACCOUNT,
    "not_found": (-4, "Terminal: Not found"),
    "validation_error": (-2, "Terminal: Invalid params"),
}


def error_of(problem: GatewayError) -> tuple[int, str]:
    """The code and text that the package has for a failed call."""
    if isinstance(problem, NotReached):
        if not problem.sent:
            return UNOPENED
        return (-10005, "IPC timeout") if isinstance(problem.__cause__, httpx.TimeoutException) else (-10002, "IPC recv failed")
    if isinstance(problem, Refused):
        if problem.error_type in _BY_TYPE:
            return _BY_TYPE[problem.error_type]
        stated = problem.terminal_error
        if isinstance(stated, dict) and isinstance(stated.get("code"), int) and stated["code"] < 0:
            return stated["code"], str(stated.get("message", ""))
    return -1, "Terminal: Call failed"
