# shellcheck shell=sh
#
# How late it is on the host.

# tell_moment WHERE: prints a moment: after an item its number, at the beginning of a frame b, at its end e. It starts no
# process, so that it does not measure itself: the clock is /proc/uptime, and the last process id in /proc/loadavg tells
# how many have begun.
tell_moment() {
  uptime_text=
  last_pid=
  {
    read -r uptime_text other_field </proc/uptime
    # shellcheck disable=SC2034 # the fields between
    read -r other_field other_field other_field other_field last_pid </proc/loadavg
  } 2>/dev/null
  printf '%s M %s %s %s\n' "$frame_nonce" "$1" "$uptime_text" "$last_pid"
}
