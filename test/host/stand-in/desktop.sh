#!/bin/sh
# Stands in for the desktop: notes its credentials, and stays.
printf '%s:%s\n' "${CUSTOM_USER-image}" "${PASSWORD-image}" >>"$TERMINAL_HOST_HOME/desktop.txt"
exec sleep 600
