"""Serves the MetaTrader 5 terminal on this machine to the gateway: JSON-RPC 2.0, one message per line, protocol 1.

Runs in the Python that shares the terminal's machine (or Wine prefix): 3.9 or newer, the standard library and the official
MetaTrader5 package only. It has two processes: this one speaks the link and never blocks, and package_process.py holds the
package, which stops its whole process while a call lasts. Nothing is ever sent twice. See docs/terminal-session.md.

Usage: TERMINAL_BRIDGE_TOKEN=... python mt5_bridge.py [--port 18812] [--terminal "C:\\...\\terminal64.exe"]
"""

import argparse
import logging
import os
import signal
import socket
import sys
import threading
import time

# A Python with a ._pth file does not search the script's folder.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lane import Lane  # noqa: E402
from link import Door  # noqa: E402
from package_handle import PackageHandle, PackageLost  # noqa: E402

# initialize() of the genuine package takes up to 102 s when the terminal's pipe does not answer.
HANG_SECONDS = 180.0
STOP_SECONDS = 5


def main():
    options = argparse.ArgumentParser(description="Serves the MetaTrader 5 terminal of this machine to the gateway.")
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=18812, help="0 takes a free one")
    options.add_argument("--terminal", default=os.environ.get("TERMINAL_PATH"), help="path of terminal64.exe")
    options.add_argument("--start-terminal", action="store_true",
                         help="let the package start the terminal of --terminal when none is running")
    options.add_argument("--hang-seconds", type=float, default=HANG_SECONDS,
                         help="a call that runs longer ends the package process; a send never ends before its deadline")
    chosen, portable = options.parse_args(), os.environ.get("TERMINAL_PORTABLE") == "1"
    logging.basicConfig(format="mt5-bridge: %(message)s")
    token = os.environ.get("TERMINAL_BRIDGE_TOKEN", "")
    if not token:
        sys.exit("mt5-bridge: TERMINAL_BRIDGE_TOKEN must be set")
    # No Event: its lock is not reentrant, and the handler runs in the thread that may hold it.
    stops = []
    for name in ("SIGTERM", "SIGINT", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: stops.append(True))
    package = PackageHandle(chosen.terminal, portable, chosen.start_terminal)
    try:
        package.start()
    except (PackageLost, OSError) as error:
        sys.exit("mt5-bridge: the package process does not start: %s" % error)
    with socket.create_server((chosen.host, chosen.port)) as listener:
        door = Door(listener, token, package)
        lane = Lane(package, chosen.hang_seconds, door.package_lost)
        lane.start()
        threading.Thread(target=door.accept, args=(lane,), name="accept", daemon=True).start()
        print("listening on %d" % listener.getsockname()[1], flush=True)
        while not stops:
            time.sleep(0.2)  # short, because Windows does not interrupt a long sleep for a signal
    lane.stop(STOP_SECONDS)
    package.leave()


if __name__ == "__main__":
    main()
