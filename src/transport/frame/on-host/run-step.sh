# shellcheck shell=sh
#
# Runs one step of a frame.

# run_step OK: runs step_body and prints its output and exit code. Fails unless the exit code is one of OK ("0|100").
#
# The output is written to files. If there is no folder for them, or no room in it, the output is collected in two
# variables instead: an inner shell collects stdout and prints it past the outer shell, which collects stderr. Each
# variable ends with an x and the exit code, because a shell strips line breaks from the end. Only the last 64 KiB of
# each stream are kept, because printf is an external program in mksh and cannot take an argument of 128 KiB.
#
# A full disk truncates the files silently, so the free space is checked after each step. If the disk is full, the files
# are removed to free space: only the last 4 KiB of each, the record D and the exit code are printed, and the step is
# treated as failed. If a record cannot be written, the runner ends with exit code 74 (EX_IOERR in sysexits.h).
run_step() {
  output_name=${step_id% *}.${step_id#* } disk_is_full=
  if [ -z "$session_folder" ] || ! { make_output_file o && make_output_file e; } 2>/dev/null; then
    { stderr_text=$({
      {
        stdout_text=$({
          (
            trap - TERM
            step_body
          ) </dev/null 2>&4 3>&- 4>&-
          printf 'x%s' $?
        } | tail -c 65530)
        exit_code=${stdout_text##*x}
        print_output_text o "${stdout_text%x*}" >&3 || exit_code=74x
      } 4>&1
      printf 'x%s' "$exit_code"
    } | tail -c 65530); } 3>&1
    exit_code=${stderr_text##*x}
    [ -n "$exit_code" ] || exit 74
    print_output_text e "${stderr_text%x*}" || exit 74
  else
    (
      trap - TERM
      step_body
    ) </dev/null >"$session_folder/o.$output_name" 2>"$session_folder/e.$output_name" &
    step_pid=$!
    { echo "$step_id $step_pid $step_is_uncut" >"$session_folder/cur"; } 2>/dev/null
    wait "$step_pid"
    exit_code=$?
    { echo >"$session_folder/cur"; } 2>/dev/null
    if has_room; then
      for stream_letter in o e; do
        print_new_output O "$stream_letter" "$session_folder/$stream_letter.$output_name" 0 || exit 74
        [ "$output_length" -le "$OUTPUT_RECORD_BYTES" ] || rm -f "$session_folder/$stream_letter.$output_name"
      done
    else
      for stream_letter in o e; do keep_output_end "$stream_letter"; done
      printf '%s D %s %s\n' "$frame_nonce" "$step_id" "$(why_no_room)" || exit 74
      disk_is_full=1
    fi
  fi
  step_is_uncut=
  printf '%s S %s %s\n' "$frame_nonce" "$step_id" "$exit_code" || exit 74
  if [ -n "$disk_is_full" ]; then
    note_task failed:full
    return 1
  fi
  case "|$1|" in *"|$exit_code|"*) return 0 ;; esac
  note_task "failed:$exit_code"
  return 1
}

# make_output_file STREAM: fails if the file for this stream cannot be created or written.
make_output_file() { echo >"$session_folder/$1.$output_name" && true >"$session_folder/$1.$output_name"; }

# print_output_text STREAM TEXT: prints TEXT as a record. If TEXT may have been cut, its offset in the stream is unknown
# and printed as "-".
print_output_text() {
  output_length=0
  [ ${#2} -lt 65526 ] || output_length=-
  [ -z "$2" ] || printf '%s O %s %s %s %s\n%s' "$frame_nonce" "$step_id" "$1" "$output_length" "${#2}" "$2"
}

# keep_output_end STREAM: prints the last 4 KiB of an output file and removes the file.
keep_output_end() {
  output_end=$(
    tail -c 4096 "$session_folder/$1.$output_name" 2>/dev/null
    printf x
  )
  rm -f "$session_folder/$1.$output_name"
  output_end=${output_end%x}
  [ -z "$output_end" ] || printf '%s O %s %s - %s\n%s' "$frame_nonce" "$step_id" "$1" "${#output_end}" "$output_end" || exit 74
}
