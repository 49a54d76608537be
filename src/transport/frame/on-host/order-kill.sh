# shellcheck shell=sh
# The order to end the running step immediately, unless the step must not be cut off. No further task begins.

carry_out() {
  echo >"$order_folder/stop"
  # shellcheck disable=SC2034 # current_item and current_step only take the fields before step_pid
  { read -r current_item current_step step_pid step_is_uncut <"$order_folder/cur"; } 2>/dev/null
  if [ -n "$step_pid" ]; then
    if [ -n "$step_is_uncut" ]; then
      order_note=' «uncut»'
    else kill -TERM -"$step_pid" 2>/dev/null || kill -TERM "$step_pid" 2>/dev/null; fi
  fi
}
