"""Runs the bridge, and sends it SIGTERM when its main thread is at the n-th line after it began to serve.

Usage: stop_at_line.py N BRIDGE ARGUMENTS...
"""

import builtins
import os
import runpy
import signal
import sys

count = int(sys.argv[1])
sys.argv = sys.argv[2:]
seen = 0


def traced(frame, event, _argument):
    global seen
    if event == "line" and seen < count:
        seen += 1
        if seen == count:
            os.kill(os.getpid(), signal.SIGTERM)
    return traced


printed = builtins.print


def print_and_trace(*args, **options):
    printed(*args, **options)
    sys.settrace(traced)
    frame = sys._getframe(1)
    frame.f_trace = traced


builtins.print = print_and_trace
runpy.run_path(sys.argv[0], run_name="__main__")
