#!/bin/sh
# Installs the terminal into /opt/terminal while the image is built, on a screen of its own, with its dialogs cancelled. Needs
# TERMINAL_SETUP_URL and TERMINAL_SETUP_SHA256. start.sh copies it to the volume.
set -eu
export HOME=/opt/terminal/home TERMINAL_HOST_HOME=/opt/terminal WINEPREFIX=/opt/terminal/wine
[ -d /tmp/.X11-unix ] || mkdir -m 1777 /tmp/.X11-unix
Xvnc "$DISPLAY" -geometry 1280x800 -depth 24 -localhost -SecurityTypes None >/dev/null 2>&1 &
screen=$!
status=0
deploy/terminal/start.sh true
wine /opt/python/python.exe deploy/terminal/dismiss_dialogs.py </dev/null 2>/dev/null | cat &
node dist/apps/gateway/src/install-terminal.js || status=$?
wineserver -k || true
kill "$screen"
exit "$status"
