# shellcheck shell=sh
# Reports whether a session is still working. The first line is "runs" if a runner of the session is alive, "busy TICKS"
# if the session's own shell has children, and "idle" otherwise. TICKS is the CPU time of all processes in the shell's
# process session, including dead children. The next line is the last recorded state of a task. The answer ends with the
# line ".". The assignments of wanted_run, wanted_session and shell_pid (the session's shell; empty if unknown) precede
# this script.

told_task=
session_life=
own_user=$(id -u)
# shellcheck disable=SC2086 # own_user is a number
for base_folder in /run/furrow /tmp/furrow-$own_user /var/tmp/furrow-$own_user /dev/shm/furrow-$own_user; do
  order_folder=$base_folder/at.$wanted_run.$wanted_session
  [ -d "$order_folder" ] && [ -O "$order_folder" ] || continue
  for runner_claim in "$base_folder"/run.[ry]."$wanted_run.$wanted_session".*; do
    claim_end=${runner_claim#*."$wanted_session".}
    claim_start=${claim_end#*.}
    if { read -r fields_line <"/proc/${claim_end%%.*}/stat"; } 2>/dev/null; then
      fields_line=${fields_line##*) }
      # shellcheck disable=SC2086 # split on purpose: the fields of the line
      set -- $fields_line
      [ "${20}" != "${claim_start%%.*}" ] || session_life=runs
    fi
  done
  { IFS= read -r told_task <"$order_folder/task"; } 2>/dev/null
done
[ -n "$session_life" ] || {
  session_life=idle
  [ -n "$shell_pid" ] && { read -r fields_line <"/proc/$shell_pid/stat"; } 2>/dev/null && {
    fields_line=${fields_line##*) }
    # shellcheck disable=SC2086 # split on purpose: the fields of the line
    set -- $fields_line
    shell_session=$4
    spent_ticks=0
    has_child=
    for stat_file in /proc/[0-9]*/stat; do
      { read -r fields_line <"$stat_file"; } 2>/dev/null || continue
      fields_line=${fields_line##*) }
      # shellcheck disable=SC2086 # split on purpose: the fields of the line
      set -- $fields_line
      [ "$4" = "$shell_session" ] && spent_ticks=$((spent_ticks + ${12} + ${13} + ${14} + ${15}))
      [ "$2" = "$shell_pid" ] && has_child=1
    done
    [ -z "$has_child" ] || session_life="busy $spent_ticks"
  }
}
printf '%s\n%s\n\n.\n' "$session_life" "$told_task"
