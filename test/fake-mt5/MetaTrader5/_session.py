"""The session with the simulator that stands behind the package, and the error of the last call."""

import threading

from ._link import Link, LinkError

OK = (1, "Success")
NO_IPC = (-10004, "No IPC connection")

link = None
last_error = (0, "")
_owner = None


def own_thread():
    global _owner
    _owner = _owner or threading.get_ident()
    if _owner != threading.get_ident():
        raise RuntimeError("the MetaTrader5 package was called from a second thread")


def fail(code, message):
    global last_error
    last_error = (code, message)
    return None


def succeed():
    global last_error
    last_error = OK


def open_link():
    """Connects to the simulator unless it is connected. Raises KeyError, OSError or LinkError where there is none."""
    global link
    if link is None:
        link = Link()


def close_link():
    global link
    if link is not None:
        link.close()
        link = None


def ask(method, *params):
    """One call to the simulator; (False, None) with last_error set when it brought nothing."""
    own_thread()
    if link is None:
        fail(*NO_IPC)
        return False, None
    try:
        answer = link.call(method, list(params))
    except LinkError as error:
        if error.code in (-10001, -10002):
            close_link()
        fail(error.code, error.message)
        return False, None
    succeed()
    return True, answer
