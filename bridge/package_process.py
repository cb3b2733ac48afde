"""The process that holds the MetaTrader5 package: one call a line on standard input, one answer a line on standard output.

The package never releases the interpreter lock, so a call that blocks stops every thread of its process. That is why this
process does nothing else, and the link has a process of its own. It ends when its standard input ends.

Usage (by mt5_bridge.py): package_process.py [--terminal PATH] [--portable] [--start-terminal]
"""

import argparse
import contextlib
import json
import logging
import math
import os
import re
import signal
import sys

# A Python with a ._pth file does not search the script's folder.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from terminal import INVALID_PARAMS, LARGEST, METHODS, CallFailed, Terminal, mt5  # noqa: E402

MAX_ANSWER = 32 * 1024 * 1024 - 1024
NO_MEMORY, FAIL = -3, -1
# Tickets, magics and volumes have 64 bits. The shortest number that a double may not hold has as many digits.
LONG_NUMBER = re.compile(rb"[0-9]{16}")


def encode(value):
    """Raises CallFailed for an integer that the reader, whose numbers are doubles, would round."""
    try:
        text = json.dumps(value, allow_nan=False, separators=(",", ":")).encode("utf-8")
    except ValueError:
        text = json.dumps(finite(value), separators=(",", ":")).encode("utf-8")
    if LONG_NUMBER.search(text):
        require_exact(value, "the answer")
    return text


def require_exact(value, name):
    if isinstance(value, dict):
        for key, item in value.items():
            require_exact(item, key)
    elif isinstance(value, (list, tuple)):
        for item in value:
            require_exact(item, name)
    elif isinstance(value, int) and abs(value) > LARGEST:
        raise CallFailed(FAIL, "%s is %d; integers beyond %d cannot be passed on exactly" % (name, value, LARGEST))


def finite(value):
    """JSON has no infinity; such a number becomes null."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def run(terminal, method, params):
    """Makes one call; returns whether it succeeded, and its result or its error, encoded."""
    try:
        result = encode(getattr(terminal, method)(*params))
        if len(result) <= MAX_ANSWER:
            return True, result
        failure = CallFailed(NO_MEMORY, "the answer is too large; ask for less")
    except CallFailed as known:
        failure = known
    except SystemError as error:  # raised for numbers out of range; last_error has the reason, but not for every argument
        failure = terminal.failure()
        if failure.code >= 0:
            failure = CallFailed(INVALID_PARAMS, "Invalid params: %r" % error.__cause__)
    except Exception as error:  # invalid data from a peer or the package must not end the process
        logging.warning("%s failed: %r", method, error)
        failure = CallFailed(FAIL, "the call failed unexpectedly")
    return False, encode({"code": failure.code, "message": failure.message, "data": {"kind": failure.kind}})


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--terminal")
    options.add_argument("--portable", action="store_true")
    options.add_argument("--start-terminal", action="store_true")
    chosen = options.parse_args()
    logging.basicConfig(format="mt5-bridge: %(message)s")
    # Standard output is only for the answers; output of the package goes to standard error.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # A signal to the process group is for the link process, which then closes our standard input.
    for name in ("SIGTERM", "SIGINT", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    terminal = Terminal(chosen.terminal, chosen.portable, chosen.start_terminal)
    with contextlib.suppress(OSError):  # the link process is gone; its end of the pipe is closed
        say(answers, {"methods": sorted(METHODS)}, b"null")
        for line in sys.stdin.buffer:
            call = json.loads(line)
            succeeded, payload = run(terminal, call["method"], call["params"])
            say(answers, {"ok": succeeded, "build": terminal.build, "login": terminal.login_number}, payload)
    mt5.shutdown()


def say(answers, header, payload):
    """One line: a header, a tab (which JSON escapes), and the payload that the link process passes on unread."""
    answers.write(encode(header) + b"\t" + payload + b"\n")
    answers.flush()


if __name__ == "__main__":
    main()
