"""The link: JSON-RPC 2.0 over TCP, one message per line, one gateway at a time. Nothing here waits for the package."""

import contextlib
import hashlib
import hmac
import json
import logging
import socket
import threading

from lane import Call

PROTOCOL = 1
MAX_LINE = 32 * 1024 * 1024
# The gateway pings every 5 s; a peer that is silent or does not read for this long is disconnected.
PEER_TIMEOUT, HELLO_TIMEOUT = 20.0, 10.0
FAIL, INVALID_PARAMS, WRONG_VERSION, AUTH_FAILED = -1, -2, -5, -6


class Peer:
    """The one connected gateway."""

    def __init__(self, connection, token, package, lane):
        self.connection, self.token, self.package, self.lane = connection, token, package, lane
        self.writing = threading.Lock()
        self.greeted = self.gone = False

    def serve(self):
        try:
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connection.settimeout(HELLO_TIMEOUT)
            held = bytearray()
            while True:
                chunk = self.connection.recv(1 << 16)
                if not chunk:
                    return
                start = len(held)
                held += chunk
                while (end := held.find(b"\n", start)) != -1:
                    line, start = bytes(held[:end]), 0
                    del held[:end + 1]
                    if len(line) > MAX_LINE or not self.take(line):
                        return
                if len(held) > MAX_LINE:
                    return
        except Exception as error:  # data from a peer can end only its own connection
            logging.warning("peer gone: %r", error)
        finally:
            self.gone = True
            self.connection.close()

    def take(self, line):
        """Handles one message; False ends the connection."""
        try:
            message = json.loads(line.decode("utf-8"))
        except ValueError:
            return False
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return False
        method, number = message.get("method"), message.get("id")
        if method is None or number is None:
            return True  # an answer or a notification: nothing here waits for either
        if not isinstance(method, str) or not isinstance(number, int) or isinstance(number, bool):
            return False
        params = message.get("params")
        if not self.greeted:
            return self.greet(number, method, params)
        if method == "ping":
            self.answer(number, "pong")
        elif method not in self.package.methods or not isinstance(params or [], list):
            self.error(number, INVALID_PARAMS, "there is no such method", "protocol")
        else:
            self.lane.push(Call(self, number, method, params or []))
        return True

    def greet(self, number, method, params):
        params = params if isinstance(params, dict) else {}
        token = params.get("token") if isinstance(params.get("token"), str) else ""
        given = hashlib.sha256(token.encode("utf-8", "replace")).digest()
        if method != "hello" or not hmac.compare_digest(given, hashlib.sha256(self.token.encode()).digest()):
            self.error(number, AUTH_FAILED, "not authorised", "unauthorised")
            return False
        if params.get("protocol") != PROTOCOL:
            self.error(number, WRONG_VERSION, "this side speaks protocol %d" % PROTOCOL, "protocol")
            return False
        self.connection.settimeout(PEER_TIMEOUT)
        login = {"login": self.package.login} if self.package.login else {}
        self.answer(number, {"driver": "bridge", "build": self.package.build, **login})
        self.greeted = True
        return True

    def answer(self, number, result):
        self.pass_on(number, True, encode(result))

    def error(self, number, code, message, kind):
        self.pass_on(number, False, encode({"code": code, "message": message, "data": {"kind": kind}}))

    def pass_on(self, number, succeeded, payload):
        """Answers with an encoded result or error."""
        name = b"result" if succeeded else b"error"
        self.write(b'{"jsonrpc":"2.0","id":%s,"%s":%s}' % (encode(number), name, payload))

    def notify(self, method, params):
        if self.greeted and not self.gone:
            self.write(encode({"jsonrpc": "2.0", "method": method, "params": params}))

    def write(self, text):
        try:
            with self.writing:
                self.connection.sendall(text + b"\n")
        except OSError:
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)  # wakes the reading thread, which does the rest


def encode(value):
    return json.dumps(value, separators=(",", ":")).encode("utf-8")


class Door:
    """Serves one gateway at a time; rejects another one with an error."""

    def __init__(self, listener, token, package):
        self.listener, self.token, self.package, self.peer = listener, token, package, None

    def package_lost(self, reason):
        """Notifies the gateway that it must connect to the terminal again."""
        if self.peer is not None:
            self.peer.notify("connection", {"state": "down", "reason": reason})

    def accept(self, lane):
        served = None
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            peer = Peer(connection, self.token, self.package, lane)
            if served is not None:
                served.join(1)  # one that has just left may not have been noticed yet
                if served.is_alive():
                    peer.error(None, FAIL, "another gateway is connected", "busy")
                    connection.close()
                    continue
            self.peer = peer
            served = threading.Thread(target=peer.serve, name="peer", daemon=True)
            served.start()
