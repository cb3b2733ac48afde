#!/usr/bin/env bash
# A small bot that needs only curl: reads the market, opens one trade and closes it.
#
#   API_KEY=... examples/bash/bot.sh
set -euo pipefail

url="${GATEWAY_URL:-http://127.0.0.1:5001}"
symbol="${SYMBOL:-EURUSD}"
volume="${VOLUME:-0.1}"
magic=4003
attempts=5
# How long one trade request is repeated. The gateway finds most outcomes within a minute.
patience="${PATIENCE_SECONDS:-120}"
# Names this run; every trade request has a key of its own, generated once and kept until its outcome is known.
run="sh-$(date +%s)-$$-$RANDOM"

scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
# curl reads the key from a file, because every user of the machine can see arguments.
printf 'header = "Authorization: Bearer %s"\n' "${API_KEY:-}" >"$scratch/auth"

# The first value of a field in a JSON text: enough for flat answers, and needs no other program.
field() { # name, on standard input
  sed 's/[{},]/\n/g' | sed -n "s/^ *\"$1\": *\"\{0,1\}\([^\"]*\)\"\{0,1\} *$/\1/p" | head -n 1
}

# Whether an answer is the gateway's own and whole: it says whether it is a success, and ends with its brace.
is_success() { [[ "$1" == *'}' && "$(field ok <<<"$1")" == true ]]; }
is_refusal() { [[ "$1" == *'}' && "$(field ok <<<"$1")" == false ]]; }

# A read can simply be retried.
read_from() { # path with query
  local body status attempt
  for ((attempt = 1; attempt <= attempts; attempt++)); do
    status="$(curl --silent --max-time 30 --config "$scratch/auth" --output "$scratch/read" --write-out '%{http_code}' \
      "$url$1" || true)"
    body="$(cat "$scratch/read" 2>/dev/null || true)"
    if [[ "$status" == 200 ]] && is_success "$body"; then
      printf '%s\n' "$body"
      return
    fi
    if [[ "$status" == 4?? ]] && is_refusal "$body"; then break; fi
    sleep 0.5
  done
  echo "reading $1 failed: $(field error <<<"$body")" >&2
  exit 1
}

# Whether nothing was sent under a key, and nothing will be.
is_void() { # key
  local report
  report="$(curl --silent --max-time 30 --config "$scratch/auth" --request PUT "$url/trade_requests/$1/void" || true)"
  is_success "$report" && [[ "$(field status <<<"$report")" == void ]]
}

# Sends under one key until the outcome is known: the key ensures that repeated requests are executed once.
# A 4xx other than 409 is a rejection of the first send. Everything else, including no answer, may have been executed; after that, a 4xx
# rejects the repetition only, until the key is void.
trade() { # path, body, key; leaves the answer in $answer and says in $replayed whether it was a replay
  local status maybe_sent=false until=$((SECONDS + patience))
  while ((SECONDS < until)); do
    status="$(curl --silent --max-time 30 --config "$scratch/auth" --dump-header "$scratch/headers" \
      --output "$scratch/body" --write-out '%{http_code}' --header "Idempotency-Key: $3" \
      --header 'Content-Type: application/json' --data "$2" "$url$1" || true)"
    answer="$(cat "$scratch/body" 2>/dev/null || true)"
    if [[ "$status" == 200 ]] && is_success "$answer"; then
      replayed=false
      if grep -qi '^idempotent-replayed: true' "$scratch/headers"; then replayed=true; fi
      return
    fi
    if [[ "$status" == 4?? && "$status" != 409 ]] && is_refusal "$answer"; then
      if [[ "$maybe_sent" == false || "$(field error_type <<<"$answer")" == broker_rejected ]] || is_void "$3"; then
        echo "refused: $(field error <<<"$answer")" >&2
        exit 1
      fi
    else
      maybe_sent=true
    fi
    sleep 1
  done
  echo "unknown: the outcome of $3 is not known yet: send it again under the same key, or see /reconcile" >&2
  exit 3
}

account="$(read_from /account)"
currency="$(field currency <<<"$account")" digits="$(field currency_digits <<<"$account")"
printf 'account %s: %.*f %s\n' "$(field login <<<"$account")" "$digits" "$(field balance <<<"$account")" "$currency"

bars="$(read_from "/fetch_data_pos?symbol=$symbol&timeframe=M1&num_bars=20")"
last="${bars##*\{}"
close="$(field close <<<"$last")"
# ${last%%,*} is the first field of the last bar; a time has colons, which field() would keep, so it is cut out here.
time="$(sed 's/.*"time":"\([^"]*\)".*/\1/' <<<"$last")"
echo "bars $symbol M1: $(field total <<<"$bars"), the last of $time closes at $close"
side="$(grep -o '"close":[0-9.]*' <<<"$bars" | cut -d: -f2 |
  awk '{ sum += $1; last = $1 } END { if (last >= sum / NR) print "BUY"; else print "SELL" }')"

# The current number of the event log; later events are new.
since="$(read_from '/events?limit=1' | field last_seq)"

order="{\"symbol\":\"$symbol\",\"volume\":$volume,\"type\":\"$side\",\"magic\":$magic}"
trade /order "$order" "$run-open"
ticket="$(field order <<<"$answer")"
echo "order $side $volume $symbol: position $ticket"

trade /order "$order" "$run-open"
echo "replay: order $(field order <<<"$answer") again, replayed $replayed"

position="$(read_from "/get_positions?ticket=$ticket")"
open="$(field price_open <<<"$position")"
below="$(awk -v price="$open" 'BEGIN { printf "%.5f", price * 0.99 }')"
above="$(awk -v price="$open" 'BEGIN { printf "%.5f", price * 1.01 }')"
if [[ "$side" == BUY ]]; then sl="$below" tp="$above"; else sl="$above" tp="$below"; fi
trade /modify_sl_tp "{\"position\":$ticket,\"sl\":$sl,\"tp\":$tp}" "$run-protect"
echo "protected: sl $sl tp $tp"

trade /close_position "{\"position\":{\"ticket\":$ticket}}" "$run-close"
summary="$(read_from "/get_deal_from_ticket?ticket=$ticket")"
result="$(for part in profit commission swap fee; do field "$part" <<<"$summary"; done |
  awk -v digits="$digits" '{ sum += $1 } END { printf "%." digits "f", sum }')"
echo "closed: result $result $currency in $(field deals <<<"$summary") deals"

# A script that may be interrupted reads the log page by page instead of keeping a stream open.
for ((attempt = 0; attempt < 50; attempt++)); do
  page="$(read_from "/events?since=$since&magic=$magic")"
  events="$(grep -o '"event":"[a-z]*","action":"[a-z_]*"' <<<"$page" | cut -d'"' -f4,8 | tr '"' ' ' || true)"
  if grep -q '^position closed$' <<<"$events"; then break; fi
  sleep 0.2
done
echo "events: ${events//$'\n'/, }"
