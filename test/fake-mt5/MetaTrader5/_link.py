"""The way to the simulator: a plain, blocking client of the link that holds the interpreter lock while it waits."""

import ctypes
import json
import os
import select
import socket


class LinkError(Exception):
    """An error the simulator answered, under the package's own code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = code, message


class _PollFd(ctypes.Structure):
    _fields_ = [("fd", ctypes.c_int), ("events", ctypes.c_short), ("revents", ctypes.c_short)]


# PyDLL, unlike CDLL, keeps the interpreter lock during a call.
_system = ctypes.PyDLL(None)


_PING = b'{"jsonrpc":"2.0","id":0,"method":"ping","params":[]}\n'


def _wait_holding_the_lock(connection):
    """Stops every thread of this process until there is something to read, as the genuine package does."""
    watched = _PollFd(connection.fileno(), select.POLLIN, 0)
    while _system.poll(ctypes.byref(watched), 1, 4000) == 0:
        connection.sendall(_PING)  # the simulator gives up a client that is silent for 10 s; a pipe does not


class Link:
    def __init__(self):
        host, _, port = os.environ["FAKE_MT5_ADDR"].rpartition(":")
        self.connection = socket.create_connection((host, int(port)), timeout=5)
        self.connection.settimeout(None)  # a terminal that hangs hangs its caller
        self.held = b""
        self.last_id = 0
        self.greeting = self.call("hello", {"token": os.environ.get("FAKE_MT5_TOKEN", ""), "protocol": 1})

    def call(self, method, params):
        self.last_id += 1
        request = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        try:
            self.connection.sendall(json.dumps(request).encode() + b"\n")
        except OSError:
            raise LinkError(-10001, "IPC send failed")
        while True:
            answer = json.loads(self._line())
            if answer.get("id") != self.last_id:
                continue
            if "error" in answer:
                raise LinkError(answer["error"]["code"], answer["error"]["message"])
            return answer["result"]

    def _line(self):
        chunks = [self.held]
        while b"\n" not in chunks[-1]:
            try:
                _wait_holding_the_lock(self.connection)
                chunk = self.connection.recv(1 << 20)
            except OSError:
                chunk = b""
            if not chunk:
                raise LinkError(-10002, "IPC recv failed")
            chunks.append(chunk)
        line, _, self.held = b"".join(chunks).partition(b"\n")
        return line

    def close(self):
        self.connection.close()
