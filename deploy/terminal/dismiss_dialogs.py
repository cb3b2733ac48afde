"""Cancels dialogs of terminal and installer that would wait for a person. Runs in the Windows Python beside the terminal.

LiveUpdate (cancel means "Later"), the login form, the account wizard with its server search, errors of the installer. A
cancelled login form sends no login. A dialog is cancelled when it is still open at the next look; one line is printed for each.
It is sent a message of its own: keys go to whatever window Wine has in the foreground.

Usage: python dismiss_dialogs.py [SECONDS_BETWEEN_LOOKS]
"""

import ctypes
import ntpath
import re
import sys
import time
from ctypes import wintypes

PROGRAMS = re.compile(r"terminal64\.exe|.*setup.*\.exe", re.IGNORECASE)
TITLES = re.compile(r".*LiveUpdate.*|Login( .*)?|Open an Account.*|Error|Warning")
DIALOG_CLASS = "#32770"
WM_CLOSE, WM_COMMAND, IDCANCEL = 0x10, 0x111, 2
QUERY_LIMITED_INFORMATION = 0x1000
LONGEST = 1024

user32, kernel32 = ctypes.WinDLL("user32"), ctypes.WinDLL("kernel32")
user32.PostMessageW.argtypes = (wintypes.HWND, wintypes.UINT, wintypes.WPARAM, wintypes.LPARAM)
user32.GetWindowTextW.argtypes = user32.GetClassNameW.argtypes = (wintypes.HWND, wintypes.LPWSTR, ctypes.c_int)
user32.GetWindowThreadProcessId.argtypes = (wintypes.HWND, wintypes.LPDWORD)
user32.IsWindowVisible.argtypes = (wintypes.HWND,)
kernel32.OpenProcess.restype = wintypes.HANDLE
kernel32.CloseHandle.argtypes = (wintypes.HANDLE,)
kernel32.QueryFullProcessImageNameW.argtypes = (wintypes.HANDLE, wintypes.DWORD, wintypes.LPWSTR, wintypes.LPDWORD)
EACH_WINDOW = ctypes.WINFUNCTYPE(wintypes.BOOL, wintypes.HWND, wintypes.LPARAM)


def windows():
    found = []
    user32.EnumWindows(EACH_WINDOW(lambda window, _: found.append(window) or True), 0)
    return found


def text(read, window):
    buffer = ctypes.create_unicode_buffer(LONGEST)
    read(window, buffer, LONGEST)
    return buffer.value


def program(window):
    """The file name of the program that owns the window; empty when it has ended."""
    number = wintypes.DWORD()
    user32.GetWindowThreadProcessId(window, ctypes.byref(number))
    process = kernel32.OpenProcess(QUERY_LIMITED_INFORMATION, False, number.value)
    if not process:
        return ""
    path, length = ctypes.create_unicode_buffer(LONGEST), wintypes.DWORD(LONGEST)
    kernel32.QueryFullProcessImageNameW(process, 0, path, ctypes.byref(length))
    kernel32.CloseHandle(process)
    return ntpath.basename(path.value)


def open_dialogs():
    """The title and the kind of each dialog that is to be cancelled, by its window."""
    dialogs = {}
    for window in filter(user32.IsWindowVisible, windows()):
        title, kind = text(user32.GetWindowTextW, window), text(user32.GetClassNameW, window)
        # The server search of the account wizard is a dialog without a title.
        is_one = TITLES.fullmatch(title) or (not title and kind == DIALOG_CLASS)
        if is_one and PROGRAMS.fullmatch(program(window)):
            dialogs[window] = title, kind
    return dialogs


def main():
    pause = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    earlier = {}
    while True:
        dialogs = open_dialogs()
        for window in dialogs.keys() & earlier.keys():
            title, kind = dialogs[window]
            user32.PostMessageW(window, *((WM_COMMAND, IDCANCEL, 0) if kind == DIALOG_CLASS else (WM_CLOSE, 0, 0)))
            print('"%s" dismissed' % title, flush=True)
        earlier = dialogs
        time.sleep(pause)


if __name__ == "__main__":
    main()
