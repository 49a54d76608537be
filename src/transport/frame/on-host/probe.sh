# shellcheck shell=sh
#
# Asks whether a session still works: says "runs" where a runner of the session lives, "busy TICKS" where its own shell has
# children, with the ticks of all processes of its session, dead children too; "idle" where neither. The next line is what the
# journal last said. The answer ends with a line ".". Before this come the assignments of wanted_run, wanted_session, and shell_pid,
# the session's shell, empty where it is not known.

told_task=
session_life=
own_user=$(id -u)
# shellcheck disable=SC2086 # a number
for base_folder in /run/furrow /tmp/furrow-$own_user /var/tmp/furrow-$own_user /dev/shm/furrow-$own_user; do
  order_folder=$base_folder/at.$wanted_run.$wanted_session
  [ -d "$order_folder" ] && [ -O "$order_folder" ] || continue
  for runner_claim in "$base_folder"/run.[ry]."$wanted_run.$wanted_session".*; do
    claim_end=${runner_claim#*."$wanted_session".}
    claim_start=${claim_end#*.}
    if { read -r fields_line <"/proc/${claim_end%%.*}/stat"; } 2>/dev/null; then
      fields_line=${fields_line##*) }
      # shellcheck disable=SC2086 # to be split: the fields of the line
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
    # shellcheck disable=SC2086 # to be split: the fields of the line
    set -- $fields_line
    shell_session=$4
    spent_ticks=0
    has_child=
    for stat_file in /proc/[0-9]*/stat; do
      { read -r fields_line <"$stat_file"; } 2>/dev/null || continue
      fields_line=${fields_line##*) }
      # shellcheck disable=SC2086 # to be split: the fields of the line
      set -- $fields_line
      [ "$4" = "$shell_session" ] && spent_ticks=$((spent_ticks + ${12} + ${13} + ${14} + ${15}))
      [ "$2" = "$shell_pid" ] && has_child=1
    done
    [ -z "$has_child" ] || session_life="busy $spent_ticks"
  }
}
printf '%s\n%s\n\n.\n' "$session_life" "$told_task"
