"""Controls the package process for the link process: starts it, makes one call at a time, ends it."""

import contextlib
import json
import os
import subprocess
import sys

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "package_process.py")
LEAVE_SECONDS = 5


class PackageLost(Exception):
    """The package process ended; the outcome of its current call is unknown."""


class PackageGone(PackageLost):
    """The package process ended before it received the call."""


class PackageHandle:
    def __init__(self, terminal_path, portable, may_start):
        self.command = [sys.executable, "-B", SCRIPT, *(["--terminal", terminal_path] if terminal_path else []),
                        *(["--portable"] if portable else []), *(["--start-terminal"] if may_start else [])]
        self.child, self.methods, self.build, self.login = None, frozenset(), 0, None

    def start(self):
        """Starts the process and waits until it has imported the package. Raises PackageLost, OSError."""
        environment = {name: value for name, value in os.environ.items() if name != "TERMINAL_BRIDGE_TOKEN"}
        self.child = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.methods = frozenset(self._receive()[0]["methods"])
        self.build, self.login = 0, None

    def call(self, line):
        """Sends one encoded call. Returns whether it succeeded, and the encoded result or error."""
        if self.child.poll() is not None:
            raise PackageGone("the package process ended")
        try:
            self.child.stdin.write(line + b"\n")
            self.child.stdin.flush()
        except OSError as error:
            raise PackageLost("the package process is gone: %s" % error) from None
        header, payload = self._receive()
        self.build, self.login = header["build"], header["login"]
        return header["ok"], payload

    def kill(self):
        """Ends the process in any state; its current call raises PackageLost."""
        if self.child is not None:
            self.child.kill()

    def bury(self):
        """Drops a lost process."""
        self.kill()
        self.child.wait()
        for stream in (self.child.stdin, self.child.stdout):
            with contextlib.suppress(OSError):
                stream.close()

    def leave(self):
        """Lets an idle process detach from the terminal, and ends one that does not."""
        with contextlib.suppress(OSError):
            self.child.stdin.close()
        try:
            self.child.wait(LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def _receive(self):
        try:
            line = self.child.stdout.readline()
        except (OSError, ValueError):  # ValueError: closed under the reader while the bridge stops
            line = b""
        if not line.endswith(b"\n"):
            raise PackageLost("the package process ended")
        header, _, payload = line.partition(b"\t")
        return json.loads(header), payload.strip()
