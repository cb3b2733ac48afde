"""The named pipe through which a running terminal serves the MetaTrader5 package."""

import ctypes
import hashlib
import os

ERROR_FILE_NOT_FOUND = 2


def pipe_name(program):
    """The name that the package 5.0.6231 opens: from the final path of the terminal's program, in lower case."""
    path = os.path.realpath(program)
    # The long form of a final path, which realpath shortens; a share has its own.
    final = ctypes.create_unicode_buffer("\\\\?\\UNC" + path[1:] if path.startswith("\\\\") else "\\\\?\\" + path)
    ctypes.windll.user32.CharLowerBuffW(final, len(final.value))
    return "\\\\.\\pipe\\MT5.Terminal." + hashlib.sha256(final.value.encode("utf-16-le")).hexdigest().upper()


def has_pipe(program):
    """Whether a terminal has opened its pipe. Does not connect to it. True on a system without named pipes."""
    if os.name != "nt":
        return True
    kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    return bool(kernel32.WaitNamedPipeW(pipe_name(program), 1)) or ctypes.get_last_error() != ERROR_FILE_NOT_FOUND
