# shellcheck shell=sh
# Writes a file completely or not at all.

hash_expected=
hides_validator=

# name_temporary PATH: sets temporary_file to the path of .NAME.furrow in the folder of PATH. That file is written first
# and then renamed to PATH. If its name would be longer than 255 bytes, a hash replaces NAME.
name_temporary() {
  temporary_file=${1##*/}
  [ ${#temporary_file} -lt 248 ] || {
    temporary_file=$(printf %s "$temporary_file" | sha256sum)
    temporary_file=${temporary_file%% *}
  }
  temporary_file=${1%/*}/.$temporary_file.furrow
}

# install_file TEMPORARY PATH MODE OWNER GROUP [VALIDATE…]: sets the attributes of a written file and renames it to
# PATH. Attributes that are not given are taken from the replaced file. If the replaced file's mode is kept, so is its
# access list.
install_file() {
  if [ -f "$2" ] && [ ! -L "$2" ]; then
    current_attributes=$(stat -c '%a %u %g' -- "$2") || return 1
    kept_mode=${current_attributes%% *}
    kept_group=${current_attributes##* }
    kept_owner=${current_attributes#* }
    kept_owner=${kept_owner% *}
  else
    kept_mode=0644
    kept_owner=
    kept_group=
  fi
  new_owner=${4:-$kept_owner}
  new_group=${5:-$kept_group}
  [ -z "$new_owner$new_group" ] || chown -- "$new_owner${new_group:+:$new_group}" "$1" || return 1
  if [ -n "$kept_owner" ]; then
    new_mode=$3
    [ "$((0${3:-$kept_mode}))" -ne "$((0$kept_mode))" ] || new_mode=
    copy_access "$2" "$1" "$new_mode" || return 1
  fi
  chmod -- "0${3:-$kept_mode}" "$1" && { [ $# -lt 6 ] || (validate_file "$@"); } && check_unchanged "$2" && rename_over "$1" "$2"
}

# install_or_remove TEMPORARY PATH MODE OWNER GROUP [VALIDATE…]: like install_file, and removes the temporary file if that
# fails. VALIDATE may move the file's folder, so a subshell stays in that folder and finds the file there.
install_or_remove() {
  if [ $# -lt 6 ]; then
    install_file "$@" && return
    rm -f -- "$1"
    return 1
  fi
  (
    cd -P -- "${1%/*}/" && (
      cd -P -- "$OLDPWD" 2>/dev/null || cd /
      install_file "$@"
    ) && exit
    rm -f -- "./${1##*/}" "$1"
    exit 1
  )
}

# check_unchanged PATH: fails unless PATH is still in the state from which the new content was derived: a file whose
# SHA-256 is hash_expected, or no file if hash_expected is "-". Accepts any state if hash_expected is empty.
check_unchanged() {
  case $hash_expected in
    '') return 0 ;;
    -) [ -e "$1" ] || [ -L "$1" ] || return 0 ;;
    *) [ ! -L "$1" ] && [ -f "$1" ] && found_hash=$(sha256sum <"$1") && [ "${found_hash%% *}" = "$hash_expected" ] && return 0 ;;
  esac
  echo "something else changed $1 while this task ran, so furrow left it as it is: run again" >&2
  return 1
}

# validate_file FILE PATH MODE OWNER GROUP COMMAND…: asks a command whether it accepts the new content; %s in a word is
# replaced by the path of the file. If hides_validator is not empty, the content is secret: the command may print part of
# it, so its output is discarded.
validate_file() {
  file_to_check=$1
  shift 5
  words_left=$#
  while [ "$words_left" -gt 0 ]; do
    command_word=$1
    shift
    case $command_word in *%s*) command_word=${command_word%%%s*}$file_to_check${command_word#*%s} ;; esac
    set -- "$@" "$command_word"
    words_left=$((words_left - 1))
  done
  if [ -n "$hides_validator" ]; then
    timeout 60 "$@" >/dev/null 2>&1 </dev/null
  else
    timeout 60 "$@" >&2 </dev/null
  fi || {
    echo "$1 does not accept the new content${hides_validator:+; its output is hidden, because the content is secret}" >&2
    return 1
  }
}

# write_file PRINT PATH MODE OWNER GROUP [VALIDATE…]: atomically replaces a file with the output of the command PRINT,
# synced before the rename. If PRINT fails, it is run again with its output piped into cat: a shell only reports that
# its own printf failed, while cat reports why.
write_file() {
  print_content=$1
  shift
  if [ -d "$1" ] && [ ! -L "$1" ]; then
    echo "$1 is a directory" >&2
    return 1
  fi
  name_temporary "$1"
  if [ -e "$temporary_file" ] || [ -L "$temporary_file" ]; then rm -f -- "$temporary_file" || return 1; fi
  umask 077
  set -C
  if [ "$print_content" = cat ]; then
    cat >"$temporary_file"
  else
    "$print_content" 2>/dev/null >"$temporary_file" || {
      rm -f -- "$temporary_file"
      "$print_content" | cat >"$temporary_file"
    }
  fi || {
    rm -f -- "$temporary_file"
    return 1
  }
  set +C
  umask 022
  sync "$temporary_file" 2>/dev/null || sync
  install_or_remove "$temporary_file" "$@"
}

# place_staged PATH SHA256 STAMP MODE OWNER GROUP [VALIDATE…]: renames a staged file to PATH if the note after its
# content confirms SHA256, and stamps it unless STAMP is empty.
place_staged() {
  name_temporary "$1"
  staged_hash=$(tail -c 128 -- "$temporary_file" | tr -d '\0' | tail -n 1) || return 1
  case $staged_hash in "verified $2 "*) ;; *)
    echo "the content staged for $1 differs from what was sent" >&2
    return 1
    ;;
  esac
  staged_size=${staged_hash##* }
  dd bs=1 count=0 seek="$staged_size" of="$temporary_file" </dev/null 2>/dev/null || return 1
  sync "$temporary_file" 2>/dev/null || sync
  placed_path=$1
  staged_hash=$2
  stamp_file=$3
  shift 3
  install_or_remove "$temporary_file" "$placed_path" "$@" || return 1
  if [ -n "$stamp_file" ] && [ "$staged_size" -ge "$STAMPED_BYTES" ]; then stamp "$placed_path" "$stamp_file" "sha256=$staged_hash"; fi
}
