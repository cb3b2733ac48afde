#!/bin/sh
# Puts the credentials where prometheus.yml looks for them, in memory, and the gateway's port into its target.
set -eu
umask 077
folder=/tmp/credentials
mkdir -p "$folder"
if [ -n "${API_KEY:-}" ]; then
  printf '%s' "$API_KEY" >"$folder/api-key"
elif [ -n "${API_KEY_FILE:-}" ]; then
  cp "$API_KEY_FILE" "$folder/api-key"
else
  : >"$folder/api-key"
fi
printf '%s' "${DAEMON_CONTROL_TOKEN:-none}" >"$folder/daemon-token"
printf '[{"targets": ["%s"]}]' "${GATEWAY_TARGET:-gateway:5001}" >"$folder/gateway.json"
exec prometheus --config.file=/etc/prometheus/prometheus.yml --storage.tsdb.path=/prometheus \
  --storage.tsdb.retention.time=30d
