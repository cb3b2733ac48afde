#!/bin/sh
# The desktop for logins by hand: an X server of its own, a window manager, and a page with the screen on port 3000,
# behind a user and a password. Everything but that page listens on this machine only. Ends as a whole when one part ends.
#   CUSTOM_USER, PASSWORD   credentials; unset: user "desktop" and a password that is made once and kept in
#                           $TERMINAL_HOST_HOME/desktop-password
set -eu
port=${DESKTOP_PORT:-3000}
display=${DISPLAY:-:1}
home=${TERMINAL_HOST_HOME:?}
here=$(dirname "$(readlink -f "$0")")
rfb=$((5900 + ${display#:}))
umask 077
mkdir -p "$home"

if [ -z "${PASSWORD:-}" ]; then
  if [ ! -s "$home/desktop-password" ]; then
    od -An -N12 -tx1 /dev/urandom | tr -d ' \n' >"$home/desktop-password"
  fi
  PASSWORD=$(cat "$home/desktop-password")
  echo "PASSWORD is not set: user ${CUSTOM_USER:-desktop}, password in $home/desktop-password"
fi
export CUSTOM_USER="${CUSTOM_USER:-desktop}" PASSWORD

trap 'trap - EXIT TERM INT; kill 0' EXIT TERM INT
# A lock left by a container that was killed would keep the display taken.
[ -d /tmp/.X11-unix ] || mkdir -m 1777 /tmp/.X11-unix
rm -f "/tmp/.X${display#:}-lock" "/tmp/.X11-unix/X${display#:}"
Xvnc "$display" -geometry "${DESKTOP_SIZE:-1280x800}" -depth 24 -localhost -rfbport "$rfb" -SecurityTypes None \
  -AlwaysShared -desktop terminal >/dev/null 2>&1 &
server=$!
tries=0
until [ -S "/tmp/.X11-unix/X${display#:}" ]; do
  tries=$((tries + 1))
  if [ "$tries" -gt 100 ] || ! kill -0 "$server" 2>/dev/null; then
    echo 'the X server did not start'
    exit 1
  fi
  sleep 0.1
done
# The page's server knows the credentials; the window manager and what runs on the desktop do not.
env -u PASSWORD DISPLAY="$display" openbox >/dev/null 2>&1 &
PYTHONPATH="$here" websockify --web /usr/share/novnc --web-auth \
  --auth-plugin desktop_auth.DesktopAuth "$port" "127.0.0.1:$rfb" >/dev/null 2>&1 &
echo "desktop on port $port, user $CUSTOM_USER: open /vnc.html"
while kill -0 "$server" 2>/dev/null && kill -0 "$!" 2>/dev/null; do sleep 1; done
echo 'a part of the desktop ended'
exit 1
