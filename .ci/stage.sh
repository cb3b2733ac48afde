# Sourced by the scripts of this folder.

# stage NAME COMMAND...: runs the command and prints the seconds it took. A failure ends the script; its name is the last line.
stage() {
  local name=$1 since=$SECONDS status=0
  shift
  printf '\n══ %s ══\n' "$name"
  "$@" || status=$?
  if ((status != 0)); then
    echo "Failed after $((SECONDS - since)) s: $name"
    exit "$status"
  fi
  echo "Passed after $((SECONDS - since)) s: $name"
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
