# shellcheck shell=sh
#
# A guard: the answer to some questions must be the expected one, or the frame ends here.

line_break='
'

# check_guard ITEM ANSWER EXPECTED OPEN COUNT: sends the answer. Fails unless its lines are the expected ones, each once.
# EXPECTED and OPEN are lines between line breaks. OPEN names lines by "NUMBER name=", and facts that are not looked at by
# "NUMBER *". It forks only where a line is too long to be sent and stands there by its hash.
check_guard() {
  printf '%s R %s\n%s\n%s r %s\n' "$frame_nonce" "$1" "$2" "$frame_nonce" "$1" || exit 74
  guard_item=$1
  expected_lines=$3
  open_names=$4
  lines_left=$5
  guard_ifs=$IFS
  IFS=$line_break
  set -f
  # shellcheck disable=SC2086 # to be split: the lines of the answer
  set -- $2
  set +f
  IFS=$guard_ifs
  for answer_line in "$@"; do
    case $answer_line in
      "${answer_line%% *} !"*)
        lines_left=-1
        break
        ;;
    esac
    case $open_names in *"$line_break${answer_line%% *} *$line_break"* | *"$line_break${answer_line%%=*}=$line_break"*) continue ;; esac
    if [ ${#answer_line} -gt "$LONG_LINE_BYTES" ]; then
      line_hash=$(printf %s "$answer_line" | sha256sum)
      answer_line="${answer_line%%=*}#${line_hash%% *}"
    fi
    case $expected_lines in *"$line_break$answer_line$line_break"*) lines_left=$((lines_left - 1)) ;; *)
      lines_left=-1
      break
      ;;
    esac
  done
  if [ "$lines_left" = 0 ]; then
    printf '%s G %s 1\n' "$frame_nonce" "$guard_item" || exit 74
    return 0
  fi
  printf '%s G %s 0\n' "$frame_nonce" "$guard_item" || exit 74
  return 1
}
