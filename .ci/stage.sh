# Sourced by the scripts of this folder.

# Seconds of processor that the ended commands of this shell took; 0 where the system does not show them.
processor() {
  local stat=() ticks
  ticks=$(getconf CLK_TCK)
  if [[ -r /proc/$BASHPID/stat ]]; then read -ra stat </proc/$BASHPID/stat; fi
  processor_seconds=$(((${stat[15]:-0} + ${stat[16]:-0}) / ticks))
}

# stage NAME COMMAND...: runs the command and prints the seconds that it took, and those of processor: two for each second when it
# kept both cores busy. A failure ends the script; its name is the last line.
stage() {
  local name=$1 since=$SECONDS status=0 processor_since processor_seconds
  processor
  processor_since=$processor_seconds
  shift
  printf '\n══ %s ══\n' "$name"
  "$@" || status=$?
  if ((status != 0)); then
    echo "Failed after $((SECONDS - since)) s: $name"
    exit "$status"
  fi
  processor
  echo "Passed after $((SECONDS - since)) s, $((processor_seconds - processor_since)) s of processor: $name"
}

declare -A beside=()

# start NAME COMMAND...: runs the command beside what follows. Its output is kept for the end.
start() {
  local name=$1
  shift
  mkdir -p .build/ci
  "$@" >".build/ci/$name.log" 2>&1 &
  beside[$name]=$!
}

# ended NAME: waits for what was started. Prints its last lines, or all of it when it failed, and has its status.
ended() {
  local status=0
  wait "${beside[$1]}" || status=$?
  if ((status == 0)); then tail -n 3 ".build/ci/$1.log"; else cat ".build/ci/$1.log"; fi
  return "$status"
}
