# shellcheck shell=sh
# A guard ends the frame unless the answer to its questions is the expected one.

line_break='
'

# check_guard ITEM ANSWER EXPECTED OPEN COUNT: sends ANSWER and checks it. Fails unless ANSWER has exactly the COUNT
# expected lines, in any order. EXPECTED and OPEN are lists of lines, with a line break before and after each line. OPEN
# lists what is not compared: single lines as "NUMBER name=", whole facts as "NUMBER *". It forks only for a line that
# is so long that EXPECTED contains only its hash.
check_guard() {
  printf '%s R %s\n%s\n%s r %s\n' "$frame_nonce" "$1" "$2" "$frame_nonce" "$1" || exit 74
  guard_item=$1
  expected_lines=$3
  open_names=$4
  lines_left=$5
  guard_ifs=$IFS
  IFS=$line_break
  set -f
  # shellcheck disable=SC2086 # split on purpose: the lines of the answer
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
