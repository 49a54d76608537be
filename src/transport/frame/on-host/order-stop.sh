# shellcheck shell=sh
#
# The order to stop before the next task.

carry_out() { echo >"$order_folder/stop"; }
