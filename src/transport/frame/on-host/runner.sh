# shellcheck shell=sh
# Frames that outlive their connection.
#
# A runner is a shell in its own process session. It reads its script from a pipe, so no file contains the script; its
# stdout is the journal j.NONCE in the session folder at.RUN.SESSION. The first record of the journal identifies the
# runner.

# run_in_runner NONCE SCRIPT: hands a frame to a runner and prints its journal until the runner has ended. The
# controller may leave earlier, because the journal contains everything; a broken pipe must not keep this shell from
# reading the farewell.
run_in_runner() {
  if repeat_taken "$1"; then return; fi
  umask 077
  make_session_folder && renew_lease && { echo >"$session_folder/j.$1"; } 2>/dev/null || session_folder=
  umask 022
  if [ -z "$session_folder" ]; then
    printf '%s N\n' "$1"
    return
  fi
  [ ! -e "$session_folder/gone.$1" ] || return
  [ ! -e "$session_folder/wanted" ] || rm -f "$session_folder/wanted"
  journal_file=$session_folder/j.$1
  [ "$claim_kind" = a ] && runner_kind=r || runner_kind=y
  [ -n "$scope_was_tried" ] || {
    scope_was_tried=1
    enter_own_scope
  }
  command -v setsid >/dev/null 2>&1 && detach_program="setsid" || detach_program="nohup"
  printf '%s\n%s\n' "$runner_script
frame_nonce=$1; session_folder=$session_folder; state_folder=${session_folder%/*}; state_folders='$state_folders'; run_id=$run_id; session_id=$session_id; claim_kind=$runner_kind; holder_text='$holder_text'; begin_journal || exit" "$2" |
    $detach_program sh >"$journal_file" 2>/dev/null &
  runner_pid=$!
  printf '%s J 0\n' "$1"
  exec 8<"$journal_file"
  follow_journal "$runner_pid" &
  follower_pid=$!
  wait "$runner_pid"
  runner_code=$?
  kill "$follower_pid" 2>/dev/null
  wait "$follower_pid" 2>/dev/null
  cat <&8
  exec 8<&-
  trap : PIPE
  print_end "$1" "$runner_code"
  trap - PIPE
}

# repeat_taken NONCE: reports again that another run has taken the host, if this was found earlier.
repeat_taken() { [ -n "$host_was_taken" ] && printf '%s Q taken %s %s %s\n' "$1" "$this_boot" "$uptime_seconds" "$taken_by"; }

# print_end NONCE CODE: prints the last record after a runner has ended. CODE 74 means that its journal could not be
# written; the record then says why.
print_end() {
  end_reason=
  [ "$2" != 74 ] || {
    has_room
    end_reason=" full $(why_no_room)"
  }
  printf '%s E%s\n' "$1" "$end_reason"
}

# follow_journal RUNNER_PID: regularly prints new data from the journal and from the output of the running step. It ends on
# SIGTERM, but also when the runner has ended, because mksh loses a signal that arrives before the trap is set. sleep
# accepts fractions of a second on nearly all hosts; where it fails, whole seconds are used.
follow_journal() {
  watched_pid=$1
  must_end=
  trap 'must_end=1' TERM
  followed_step=
  stdout_told=0
  stderr_told=0
  pause_seconds=0.3
  while :; do
    sleep "$pause_seconds" >/dev/null 2>&1 &
    wait $! || pause_seconds=1
    [ -z "$must_end" ] && kill -0 $$ 2>/dev/null && look_at_process "$watched_pid" || return
    step_before=
    step_after=
    { IFS= read -r step_before <"$session_folder/cur"; } 2>/dev/null
    cat <&8 || exit
    { IFS= read -r step_after <"$session_folder/cur"; } 2>/dev/null
    if [ -n "$step_before" ] && [ "$step_before" = "$step_after" ]; then
      [ "$step_before" = "$followed_step" ] || {
        followed_step=$step_before
        stdout_told=0
        stderr_told=0
      }
      # shellcheck disable=SC2086 # split on purpose: item, step, pid
      set -- $step_before
      step_id="$1 $2"
      print_new_output V o "$session_folder/o.$1.$2" "$stdout_told"
      stdout_told=$output_length
      print_new_output V e "$session_folder/e.$1.$2" "$stderr_told"
      stderr_told=$output_length
    fi
  done
}

# ask_after_loss NONCE FROM KNOWN: reports, after a lost connection, whether a frame has begun. If it has not, it never
# will; if it has, its journal is printed from byte FROM on. If the controller has read a part of the journal, but the
# journal is gone, nothing is known about the frame. Another run has taken the host in the meantime if the folder was
# KNOWN to exist but is gone, or if it was kept or noted as taken. Then the rest of the journal is printed if it still
# exists, and no further frame is accepted.
ask_after_loss() {
  frame_nonce=$1
  this_boot=
  { read -r this_boot </proc/sys/kernel/random/boot_id; } 2>/dev/null
  read_uptime
  host_was_taken=
  taken_by=
  [ -z "$session_folder" ] || { { read -r taken_by <"$session_folder/taken"; } 2>/dev/null && host_was_taken=1; }
  if [ -z "$host_was_taken" ] && { [ "$folder_is_new$3" = 11 ] || is_noted_as_taken; }; then
    printf '%s Q taken %s %s %s\n' "$1" "$this_boot" "$uptime_seconds" "$taken_by"
    return
  fi
  if make_session_folder; then
    [ ! -e "$session_folder/wanted" ] || rm -f "$session_folder/wanted"
    renew_lease
    { echo >"$session_folder/gone.$1"; } 2>/dev/null
  fi
  [ -e "$session_folder/gone.$1" ] || {
    printf '%s N\n' "$1"
    return
  }
  for each_folder in $state_folders; do for own_claim in "$each_folder"/run.[ax]."$run_id.$session_id".*; do
    saved_ifs=$IFS
    IFS=.
    # shellcheck disable=SC2086 # split on purpose: the parts of the name
    set -- "$1" "$2" ${own_claim##*/}
    IFS=$saved_ifs
    [ -O "$own_claim" ] && [ "$7" != $$ ] || continue
    if look_at_process "$7" && [ "$process_start" = "$8" ]; then kill -9 "$7"; fi
    rm -f "$own_claim"
  done; done
  first_record=
  { IFS= read -r first_record <"$session_folder/j.$1"; } 2>/dev/null
  case $first_record in
    "$1 B "*) printf '%s Q begun %s %s\n%s J %s\n' "$1" "$this_boot" "$uptime_seconds" "$1" "$2" ;;
    *)
      [ -z "$host_was_taken" ] && first_record=never || first_record=taken
      [ "$2" = 0 ] || [ -n "$host_was_taken" ] || {
        printf '%s N\n' "$1"
        return
      }
      printf '%s Q %s %s %s %s\n' "$1" "$first_record" "$this_boot" "$uptime_seconds" "$taken_by"
      return
      ;;
  esac
  exec 8<"$session_folder/j.$1"
  [ "$2" = 0 ] || dd bs="$2" count=1 <&8 >/dev/null 2>&1
  # shellcheck disable=SC2086 # split on purpose: the words of the record
  set -- "$1" $first_record
  follow_journal "$4" &
  follower_pid=$!
  while look_at_process "$4" && [ "$process_start" = "$5" ]; do sleep 0.2 2>/dev/null || sleep 1; done
  kill "$follower_pid" 2>/dev/null
  wait "$follower_pid" 2>/dev/null
  cat <&8
  exec 8<&-
  if repeat_taken "$1"; then return; fi
  runner_code=0
  has_room || runner_code=74
  trap : PIPE
  print_end "$1" "$runner_code"
  trap - PIPE
}
