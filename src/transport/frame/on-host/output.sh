# shellcheck shell=sh
# Prints the output of a step as records, and checks whether the disk has room for more.

# print_new_output RECORD STREAM FILE FROM: prints the part of FILE after byte FROM, at most its last 256 KiB, and sets
# output_length to the file's length. Fails if it cannot print this part. It opens FILE before it announces the length,
# because the runner removes the file when the step ends.
print_new_output() {
  output_length=0
  [ -s "$3" ] || return 0
  output_length=$(wc -c <"$3")
  output_length=$((output_length))
  output_start=$4
  [ "$output_length" -gt "$output_start" ] || return 0
  [ $((output_length - output_start)) -le "$OUTPUT_RECORD_BYTES" ] || output_start=$((output_length - OUTPUT_RECORD_BYTES))
  {
    printf '%s %s %s %s %s %s\n' "$frame_nonce" "$1" "$step_id" "$2" "$output_start" $((output_length - output_start)) &&
      tail -c +$((output_start + 1)) | head -c $((output_length - output_start))
  } <"$3"
}

# has_room: fails if the session folder has no room for 4 KiB (the size of a page, and of a block on most file systems).
# It tests this by writing 4 KiB.
has_room() {
  [ -n "$session_folder" ] || return 0
  [ -n "$four_kib" ] || {
    four_kib=xxxxxxxx
    while [ ${#four_kib} -lt 4096 ]; do four_kib=$four_kib$four_kib; done
  }
  { echo "$four_kib" >"$session_folder/room"; } 2>/dev/null && true >"$session_folder/room"
}

# why_no_room: prints the reason. It uses cat, which reports why writing failed; a shell only reports that its own echo
# failed.
why_no_room() {
  room_error=$( (echo "$four_kib" | cat >"$session_folder/room") 2>&1)
  # shellcheck disable=SC2295 # a line break is not a pattern
  printf '%s\n' "${room_error%%$line_break*}"
}
