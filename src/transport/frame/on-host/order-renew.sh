# shellcheck shell=sh
# The order that a controller sends as a heartbeat while its session is busy: renews the lease and the claims of the
# session's shells.

carry_out() {
  # shellcheck disable=SC2034 # idle_seconds takes the rest of the line
  read -r uptime_seconds idle_seconds </proc/uptime
  uptime_seconds=${uptime_seconds%%.*}
  echo "$uptime_seconds" >"$order_folder/lease"
  for own_claim in "$base_folder/run.a.$wanted_run.$wanted_session".*; do
    if [ -f "$own_claim" ]; then
      # shellcheck disable=SC2034 # last_sign only takes the field before claim_holder
      read -r last_sign claim_holder <"$own_claim"
      echo "$uptime_seconds $claim_holder" >"$own_claim"
    fi
  done
}
