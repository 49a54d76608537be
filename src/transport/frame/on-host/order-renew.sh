# shellcheck shell=sh
# The order that a controller sends as a heartbeat while its session is busy: renews the lease and the claims of the
# session's shells.

carry_out() {
  # shellcheck disable=SC2034 # idle_seconds takes the rest of the line
  read -r uptime_seconds idle_seconds </proc/uptime
  uptime_seconds=${uptime_seconds%%.*}
  echo "$uptime_seconds" >"$order_folder/lease"
  # If one of these folders was full, the claim may be in a different folder than the session's files. shellcheck
  # disable=SC2086 # own_user is a number
  for each_folder in /run/furrow /tmp/furrow-$own_user /var/tmp/furrow-$own_user /dev/shm/furrow-$own_user; do for own_claim in "$each_folder/run.a.$wanted_run.$wanted_session".*; do
    if [ -f "$own_claim" ] && [ -O "$each_folder" ]; then
      # shellcheck disable=SC2034 # last_sign only takes the field before claim_holder
      read -r last_sign claim_holder <"$own_claim"
      echo "$uptime_seconds $claim_holder" >"$own_claim"
    fi
  done; done
}
