"""A way to the gateway that breaks on demand: a real gateway stands behind it."""

from __future__ import annotations

import socket
import threading


class BrokenWay:
    """Passes connections on. `lose_answers` of them are cut when the gateway answers a POST, which was carried out; `lose_requests`
    before it arrives. `foreign` are bodies that a proxy sends with status 200, in place of the gateway's next answers."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.lose_answers = 0
        self.lose_requests = 0
        self.lost = 0
        self.foreign: list[bytes] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def close(self) -> None:
        # A listener that is closed while it waits would still accept one connection.
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass, args=(client,), daemon=True).start()

    def _pass(self, client: socket.socket) -> None:
        with client:
            while True:
                request = _message(client)
                if request is None:
                    return
                if self.foreign:
                    body = self.foreign.pop(0)
                    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
                    client.sendall(head.encode() + body)
                    continue
                is_trade = request.startswith((b"POST /order ", b"POST /order_send ", b"POST /close_position ", b"POST /modify_sl_tp "))
                if is_trade and self.lose_requests > 0:
                    self.lose_requests -= 1
                    self.lost += 1
                    return
                with socket.create_connection(self._target) as gateway:
                    gateway.sendall(request)
                    if is_trade and self.lose_answers > 0:
                        self.lose_answers -= 1
                        self.lost += 1
                        _message(gateway)
                        return
                    answer = _message(gateway)
                if answer is None:
                    return
                client.sendall(answer)


def _message(connection: socket.socket) -> bytes | None:
    """One HTTP message, or None when the connection ends before it is whole."""
    held = b""
    while b"\r\n\r\n" not in held:
        chunk = connection.recv(65536)
        if not chunk:
            return None
        held += chunk
    head, _, body = held.partition(b"\r\n\r\n")
    lower = head.lower()
    if b"transfer-encoding: chunked" in lower:
        while not (body == b"0\r\n\r\n" or body.endswith(b"\r\n0\r\n\r\n")):
            body += connection.recv(65536)
    elif b"content-length:" in lower:
        length = int(lower.split(b"content-length:")[1].split(b"\r\n")[0])
        while len(body) < length:
            body += connection.recv(65536)
    return head + b"\r\n\r\n" + body
