#!/bin/sh
# Entry of the terminal image: makes the Wine prefix on the data volume once, and a token for the bridge if none was
# given; then the gateway, which starts the rest.
set -eu
home=$(dirname "$WINEPREFIX")
mkdir -p "$HOME" "$home"
if [ -z "${TERMINAL_BRIDGE_TOKEN:-}" ] && [ -z "${TERMINAL_BRIDGE_TOKEN_FILE:-}" ]; then
  TERMINAL_BRIDGE_TOKEN=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
  export TERMINAL_BRIDGE_TOKEN
fi
# A terminal that was installed while the image was built goes to a volume that has none.
built_in=${TERMINAL_BUILT_IN:-/opt/terminal}
if [ ! -e "$WINEPREFIX" ] && [ -f "$built_in/install.json" ]; then
  echo '{"msg":"copying the terminal of the image, once"}' >&2
  rm -rf "$WINEPREFIX.new"
  cp -a "$built_in/wine" "$WINEPREFIX.new"
  sed "s#\"$built_in/#\"$home/#" "$built_in/install.json" >"$home/install.json"
  mv "$WINEPREFIX.new" "$WINEPREFIX"
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
