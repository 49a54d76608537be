# shellcheck shell=sh
#
# Reads the state of paths, with one stat for all of them and one sha256sum for those whose content is needed. The shell
# itself splits the output of commands, because every pipe would start two more processes.

line_end='
'

# put_attributes TYPE MODE OWNER GROUP OWNER-NUMBER GROUP-NUMBER SIZE CHANGED INODE CHANGED-IN-FULL LINKS DEVICE PATH:
# prints the attributes that stat reports for a path.
put_attributes() {
  file_type=$1
  mode_digits=$2
  owner_name=$3
  group_name=$4
  owner_number=$5
  group_number=$6
  file_size=$7
  changed_time=$8
  stamp_head="$7|$9|${10}"
  [ "$owner_name" = UNKNOWN ] && owner_name=$owner_number
  [ "$group_name" = UNKNOWN ] && group_name=$group_number
  case $file_type in
    'regular '*)
      file_type="file"
      [ "${11}" -le 1 ] || echo "$question_number inode=${12}:$9"
      ;;
    directory) ;;
    'symbolic link') file_type="link" ;;
    *) file_type=other ;;
  esac
  printf '%s\n' "$question_number group=$group_name" "$question_number mode=$mode_digits" "$question_number owner=$owner_name" "$question_number type=$file_type"
}

# read_stamp: prints the hash in the stamp of the current path. Fails if the stamp is not valid.
read_stamp() {
  [ "$file_size" -ge "$STAMPED_BYTES" ] && [ -f "$stamp_path" ] && [ ! -L "$stamp_path" ] && [ -O "$stamp_path" ] || return 1
  while IFS= read -r stamp_text; do
    if [ -n "$stamp_head" ]; then
      [ "$stamp_text" = "$stamp_head" ] || return 1
      stamp_head=
    fi
    case $stamp_text in sha256=*)
      echo "$question_number $stamp_text"
      return
      ;;
    esac
  done <"$stamp_path"
  return 1
}

# look_at_paths CODES PATHS STAMPS: a code is the number of a question and a letter for each facet: h hash, t hash from
# the stamp, s size, c changed. stat prints its lines in the order of the paths. A path without a line is absent, or has
# an error message; error messages are in the order of the paths as well. GNU stat prints fractions of a second; with
# other versions, a time is taken as the end of its second, so no change is missed.
look_at_paths() {
  question_codes=$1
  asked_paths=$2
  stamp_paths=$3
  paths_to_hash=
  hash_numbers=
  set -f
  IFS=$line_end
  stat_answer=$(
    # shellcheck disable=SC2086 # to be split: the paths, one per line
    { stat_errors=$(TZ=UTC0 stat -c '%F|%a|%U|%G|%u|%g|%s|%.6Z|%i|%z|%h|%d|%n' -- $asked_paths 2>&1 >&3); } 3>&1
    printf '\n!%s' "$stat_errors"
  )
  errors_left=${stat_answer##*"$line_end!"}$line_end
  # shellcheck disable=SC2086 # to be split: the lines of stat
  set -- ${stat_answer%"$line_end!"*}
  for asked_path in $asked_paths; do
    question_code=${question_codes%% *}
    question_codes=${question_codes#* }
    question_number=${question_code%%[a-z]*}
    case $question_code in *t*)
      stamp_path=${stamp_paths%% *}
      stamp_paths=${stamp_paths#* }
      ;;
    esac
    answered_path=${1#*'|'*'|'*'|'*'|'*'|'*'|'*'|'*'|'*'|'*'|'*'|'*'|'}
    if [ $# -eq 0 ] || [ "$answered_path" != "$asked_path" ]; then
      error_line=${errors_left%%"$line_end"*}
      errors_left=${errors_left#*"$line_end"}
      case $error_line in
        *'No such file or directory' | *'Not a directory' | *'File name too long' | *'Filename too long' | *'Too many levels of symbolic links' | *'Symbolic link loop') echo "$question_number type=absent" ;;
        *) printf '%s\n' "$question_number !${error_line##*: }" ;;
      esac
      continue
    fi
    IFS='|'
    # shellcheck disable=SC2086 # to be split: the fields of the line
    put_attributes $1
    IFS=$line_end
    shift
    case $question_code in *c*)
      case $changed_time in
        *.*) changed_time=${changed_time%.*}${changed_time#*.} ;;
        *) changed_time=${changed_time}999999 ;;
      esac
      echo "$question_number changed=$changed_time"
      ;;
    esac
    case $question_code in *s*) echo "$question_number size=$file_size" ;; esac
    case $file_type in
      link)
        printf '%s target=' "$question_number"
        readlink -n -- "$asked_path" | print_base64
        echo
        ;;
      file)
        case $question_code in
          *h*) ;;
          *t*) read_stamp && continue ;;
          *) continue ;;
        esac
        case $asked_path in
          # sha256sum escapes a name with a backslash in its output.
          *\\*)
            if [ -r "$asked_path" ] && path_hash=$(sha256sum <"$asked_path"); then
              echo "$question_number sha256=${path_hash%% *}"
            else echo "$question_number !its content cannot be read"; fi
            ;;
          *)
            paths_to_hash=$paths_to_hash$line_end$asked_path
            hash_numbers="$hash_numbers$question_number "
            ;;
        esac
        ;;
    esac
  done
  if [ -n "$paths_to_hash" ]; then
    # shellcheck disable=SC2046,SC2086 # to be split: the paths, and the lines of sha256sum
    set -- $(sha256sum -- $paths_to_hash 2>/dev/null)
    for asked_path in $paths_to_hash; do
      question_number=${hash_numbers%% *}
      hash_numbers=${hash_numbers#* }
      if [ $# -gt 0 ] && [ "${1#*  }" = "$asked_path" ]; then
        echo "$question_number sha256=${1%% *}"
        shift
      else echo "$question_number !its content cannot be read"; fi
    done
  fi
  set +f
}

# print_base64: prints stdin as base64 on one line.
print_base64() { base64 -w0 2>/dev/null || base64 | tr -d '\n'; }
