#!/bin/sh
# Entry of the terminal image: makes the Wine prefix on the data volume once, and a token for the bridge if none was
# given; then the gateway, which starts the rest.
set -eu
mkdir -p "$HOME" "$(dirname "$WINEPREFIX")"
if [ -z "${TERMINAL_BRIDGE_TOKEN:-}" ] && [ -z "${TERMINAL_BRIDGE_TOKEN_FILE:-}" ]; then
  TERMINAL_BRIDGE_TOKEN=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
  export TERMINAL_BRIDGE_TOKEN
fi
if [ ! -f "$WINEPREFIX/.prepared" ]; then
  echo '{"msg":"preparing the Wine prefix, once"}'
  # Nothing of Wine's own may ask about Mono and Gecko; the terminal wants Windows 10.
  WINEDLLOVERRIDES='mscoree=;mshtml=' wineboot --init </dev/null >/dev/null 2>&1
  wine winecfg -v win10 </dev/null >/dev/null 2>&1
  wineserver -w
  touch "$WINEPREFIX/.prepared"
fi
exec "$@"
