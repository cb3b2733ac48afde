"""The way to the simulator: a plain, blocking client of the link."""

import json
import os
import socket


class LinkError(Exception):
    """An error the simulator answered, under the package's own code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = code, message


class Link:
    def __init__(self):
        host, _, port = os.environ["FAKE_MT5_ADDR"].rpartition(":")
        self.connection = socket.create_connection((host, int(port)), timeout=5)
        self.connection.settimeout(None)  # a terminal that hangs hangs its caller
        self.lines = self.connection.makefile("rb")
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
            try:
                line = self.lines.readline()
            except OSError:
                line = b""
            if not line:
                raise LinkError(-10002, "IPC recv failed")
            answer = json.loads(line)
            if answer.get("id") != self.last_id:
                continue
            if "error" in answer:
                raise LinkError(answer["error"]["code"], answer["error"]["message"])
            return answer["result"]

    def close(self):
        self.connection.close()
