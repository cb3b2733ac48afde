"""What can go wrong. Every class says whether something may have been done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class GatewayError(Exception):
    """The base of every error of this package."""


class NotReached(GatewayError):
    """The gateway gave no answer that can be read. Only a read raises it: a trade request without an answer is `UnknownOutcome`.

    `sent` is False where no connection was made, so that the gateway cannot have received anything.
    """

    def __init__(self, message: str, *, sent: bool) -> None:
        super().__init__(message)
        self.sent = sent


class Refused(GatewayError):
    """The gateway answered with an error, and nothing was done. There is a subclass for each `error_type`."""

    error_type = ""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        super().__init__(str(body.get("error", f"status {status}")))
        self.status = status
        self.body = body
        self.error_type = str(body.get("error_type", self.error_type))
        self.details: Any = body.get("details")
        self.request_id: str | None = body.get("request_id")
        #: What the terminal said: `{"retcode", "comment"}` or `{"code", "message"}`.
        self.terminal_error: Any = body.get("terminal_error")

    @property
    def retcode(self) -> int | None:
        """The trade server's return code, if it refused the request itself."""
        error = self.terminal_error
        value = error.get("retcode") if isinstance(error, Mapping) else None
        return value if isinstance(value, int) else None
