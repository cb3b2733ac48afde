#!/bin/sh
# Entry of the daemon's image: a key given by file becomes the variable that daemon.yaml names.
set -eu
if [ -z "${API_KEY:-}" ] && [ -n "${API_KEY_FILE:-}" ]; then
  API_KEY=$(cat "$API_KEY_FILE")
  export API_KEY
fi
exec "$@"
