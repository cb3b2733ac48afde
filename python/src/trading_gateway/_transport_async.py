"""The way to the gateway: reads are repeated a few times, trade requests until their outcome is known."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping
from typing import Any

import httpx

from ._config import Address
from ._errors import GatewayError, NotReached
from ._wire import JSON, ROWS, UNSENT, Done, TradeRequest, Unsettled, affirmed, quoted, refusal, text_of


class AsyncUnknownOutcome(GatewayError):
    """The request may have been done, or may yet be. Call `settle()`; do not send it under another key."""

    def __init__(self, transport: AsyncTransport, request: TradeRequest, reason: str) -> None:
        super().__init__(f"the outcome of {request.key} is not known: {reason}")
        self.request = request
        self.key = request.key
        self._transport = transport

    async def settle(self, patience: float = 60.0) -> dict[str, Any]:
        """Repeats the request under its key for `patience` seconds at most: the answer, `Refused` if nothing was done and nothing
        will be, or `UnknownOutcome` again."""
        return (await self._transport.trade(self.request, patience=patience, maybe_sent=True)).body


class AsyncTransport:
    """`timeout` is that of one attempt, `patience` how long a trade request is repeated, both in seconds."""

    def __init__(
        self,
        address: Address,
        *,
        timeout: float = 30.0,
        patience: float = 60.0,
        headers: Mapping[str, str] | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self.address = address
        self.patience = patience
        self._timeout = timeout
        self._headers = {"Authorization": f"Bearer {address.api_key}", **(headers or {})}
        self._is_given = http is not None
        self._http = http or self._client()
        self._process = os.getpid()
        self._inherited: httpx.AsyncClient | None = None

    async def close(self) -> None:
        await self._http.aclose()

    def expect(self, login: int) -> None:
        """From here on the gateway refuses what is meant for another account."""
        self._headers["X-Expect-Login"] = str(login)

    async def read(
        self,
        path: str,
        params: Mapping[str, Any] | None = None,
        *,
        body: Mapping[str, Any] | None = None,
        accept: str = JSON,
        attempts: int = 3,
    ) -> Any:
        """The body of the answer: parsed, or its bytes for `accept=ROWS`. Raises NotReached or Refused."""
        method = "GET" if body is None else "POST"
        for attempt in range(attempts):
            try:
                status, content, _ = await self._exchange(method, path, params, body, {"Accept": accept})
                break
            except NotReached:
                if attempt == attempts - 1:
                    raise
                await asyncio.sleep(0.1 * 2**attempt)
        if status != 200:
            raise refusal(status, content)
        return content if accept == ROWS else affirmed(content)

    async def put(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """A change that may be repeated: it is the same however often it is made. Raises NotReached or Refused."""
        return await self._change("PUT", path, body)

    async def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """As `put`, for a change whose repetition does nothing more."""
        return await self._change("POST", path, body)

    async def trade(self, request: TradeRequest, *, patience: float | None = None, maybe_sent: bool = False) -> Done:
        """Repeats the request under its key until its outcome is known, through lost connections and restarts of the gateway.

        Raises Refused if nothing was done and nothing will be; NotReached if no connection was made at all, so that nothing was
        sent; UnknownOutcome after `patience` seconds. `maybe_sent`: an earlier attempt may have reached the gateway.
        """
        ends = time.monotonic() + (self.patience if patience is None else patience)
        pause = 0.05
        while True:
            reason, wait = "", None
            try:
                answer = await self._attempt(request, max(1.0, min(self._timeout, ends - time.monotonic())))
                if isinstance(answer, Done):
                    return answer
                reason, wait = str(answer), answer.wait
                if answer.is_open:
                    maybe_sent = True
                elif not maybe_sent or answer.is_final or await self._made_void(request):
                    raise answer.refused or NotReached(reason, sent=True)
            except NotReached as problem:
                if not problem.sent and not maybe_sent:
                    raise
                maybe_sent, reason = True, str(problem)
            pause = min(2.0, pause * 2)
            delay = min(wait if wait is not None else pause, 5.0)
            if time.monotonic() + delay >= ends:
                raise AsyncUnknownOutcome(self, request, reason)
            await asyncio.sleep(delay)

    async def stream(self, path: str, params: Mapping[str, Any], headers: Mapping[str, str]) -> httpx.Response:
        """An open stream. Raises NotReached or Refused."""
        # The gateway sends a comment every 15 seconds, so a minute of silence is a dead connection.
        timeout = httpx.Timeout(self._timeout, read=60.0)
        sent = {**self._headers, **headers}
        request = self._connections().build_request("GET", self.address.url + path, params=params, headers=sent, timeout=timeout)
        try:
            response = await self._connections().send(request, stream=True)
            if response.status_code == 200:
                return response
            content = await response.aread()
            await response.aclose()
        except httpx.HTTPError as problem:
            raise NotReached(f"GET {path}: {text_of(problem)}", sent=True) from problem
        raise refusal(response.status_code, content)

    async def _change(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        for attempt in range(3):
            try:
                status, content, _ = await self._exchange(method, path, None, body, {})
                break
            except NotReached:
                if attempt == 2:
                    raise
                await asyncio.sleep(0.1 * 2**attempt)
        if status != 200:
            raise refusal(status, content)
        return affirmed(content)

    async def _attempt(self, request: TradeRequest, timeout: float) -> Done | Unsettled:
        headers = {"Idempotency-Key": request.key}
        status, content, answered = await self._exchange(request.method, request.path, None, request.body, headers, timeout)
        if status in (200, 207):
            return Done(affirmed(content), answered.get("Idempotent-Replayed") == "true")
        return Unsettled(status, content, answered.get("Retry-After"))

    async def _made_void(self, request: TradeRequest) -> bool:
        """Whether nothing was sent under the key and nothing will be, also of an attempt that is still on its way."""
        try:
            report = await self.put(f"/trade_requests/{quoted(request.key)}/void")
        except GatewayError:
            return False
        return isinstance(report, dict) and report.get("status") == "void"

    def _client(self) -> httpx.AsyncClient:
        # The address of a gateway is that of one machine; a proxy of the environment is for the rest of the world.
        return httpx.AsyncClient(timeout=self._timeout, trust_env=False)

    def _connections(self) -> httpx.AsyncClient:
        """Those of this process: after a fork, the connections of the parent carry the answers to the requests of both."""
        if self._process != os.getpid() and not self._is_given:
            # Not closed: they are still the parent's.
            self._inherited = self._http
            self._http, self._process = self._client(), os.getpid()
        return self._http

    async def _exchange(
        self,
        method: str,
        path: str,
        params: Mapping[str, Any] | None,
        body: Mapping[str, Any] | None,
        headers: Mapping[str, str],
        timeout: float | None = None,
    ) -> tuple[int, bytes, httpx.Headers]:
        sent = {**self._headers, **headers}
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        if data is not None:
            sent["Content-Type"] = JSON
        try:
            url = self.address.url + path
            answer = await self._connections().request(
                method, url, params=params, content=data, headers=sent, timeout=timeout or self._timeout
            )
        except UNSENT as problem:
            raise NotReached(f"no gateway at {self.address.url}: {text_of(problem)}", sent=False) from problem
        except httpx.HTTPError as problem:
            raise NotReached(f"{method} {path}: {text_of(problem)}", sent=True) from problem
        return answer.status_code, answer.content, answer.headers
