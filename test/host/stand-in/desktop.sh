#!/bin/sh
# Stands in for the desktop: notes its credentials, and stays.
printf '%s:%s\n' "${CUSTOM_USER-image}" "${PASSWORD-image}" >>"$TERMINAL_HOST_HOME/desktop.txt"
[ "${CUSTOM_USER-}" = slow ] && sleep 0.4
mkdir -p "$TERMINAL_HOST_HOME/x"
: >"$TERMINAL_HOST_HOME/x/socket"
exec sleep 600
