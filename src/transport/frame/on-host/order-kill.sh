# shellcheck shell=sh
#
# The order to end the running step at once, unless it must not be cut; then nothing more begins.

carry_out() {
  echo >"$order_folder/stop"
  # shellcheck disable=SC2034 # item and step come before it
  { read -r current_item current_step step_pid step_is_uncut <"$order_folder/cur"; } 2>/dev/null
  if [ -n "$step_pid" ]; then
    if [ -n "$step_is_uncut" ]; then
      order_note=' «uncut»'
    else kill -TERM -"$step_pid" 2>/dev/null || kill -TERM "$step_pid" 2>/dev/null; fi
  fi
}
