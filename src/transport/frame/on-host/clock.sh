# shellcheck shell=sh
# The time on the host.

# tell_moment WHERE: prints a timestamp with a label: an item's number after that item, b at the beginning of a frame, e
# at its end. It reads the time from /proc/uptime, and the last process id from /proc/loadavg. That id shows how many
# processes were started. The function starts no process, so it does not distort the measurement.
tell_moment() {
  uptime_text=
  last_pid=
  {
    read -r uptime_text other_field </proc/uptime
    # shellcheck disable=SC2034 # other_field takes the fields in between
    read -r other_field other_field other_field other_field last_pid </proc/loadavg
  } 2>/dev/null
  printf '%s M %s %s %s\n' "$frame_nonce" "$1" "$uptime_text" "$last_pid"
}
