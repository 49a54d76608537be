# shellcheck shell=sh
# Functions that the runner itself calls before and after tasks.

# begin_journal: writes the first record of a journal. Fails, and reports it, if the controller has given up on the
# frame or another run holds the host.
begin_journal() {
  task_title=
  look_at_process $$
  own_start=$process_start
  [ -z "$claim_kind" ] || {
    read_uptime
    echo "$uptime_seconds $holder_text" >"$state_folder/run.$claim_kind.$run_id.$session_id.$$.$own_start.0.0" || exit 74
  }
  printf '%s B %s %s\n' "$frame_nonce" $$ "$own_start" || exit 74
  host_holder=
  [ "$claim_kind" != r ] || look_at_claims
  [ -z "$host_holder" ] && [ ! -e "$session_folder/gone.$frame_nonce" ] || {
    printf '%s F\n%s X\n' "$frame_nonce" "$frame_nonce" || exit 74
    return 1
  }
}

# begin_task ITEM TITLE: records and announces the start of a task. Fails if a stop was ordered, the lease has run out,
# or another run wants the host while this run has no controller.
begin_task() {
  task_before=$task_title
  task_title=$2
  if [ -n "$session_folder" ]; then
    read_uptime
    last_sign=
    { read -r last_sign <"$session_folder/lease"; } 2>/dev/null
    stop_reason=
    [ ! -e "$session_folder/wanted" ] || stop_reason=wanted
    [ ! -e "$session_folder/stop" ] || stop_reason=stop
    [ $((uptime_seconds - ${last_sign:-$uptime_seconds})) -le "$LEASE_SECONDS" ] || stop_reason=lease
    if [ -n "$stop_reason" ]; then
      [ -n "$task_before" ] || note_task stopped
      printf '%s Z %s %s\n' "$frame_nonce" "$1" "$stop_reason" || exit 74
      frame_is_over=1
      return 1
    fi
  fi
  note_task began
  printf '%s T %s\n' "$frame_nonce" "$1" || exit 74
}

# note_task STATE: records the state of the current task for other runs: `began`, `ok`, `stopped`, `failed:EXIT_CODE` or
# `failed:full`.
note_task() { [ -z "$session_folder" ] || { printf '%s %s\n' "$1" "$task_title" >"$session_folder/task"; } 2>/dev/null; }
