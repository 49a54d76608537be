# shellcheck shell=sh
# Moves the files of a batch to their targets. The functions print_first_sums and print_second_sums each print half of
# the hashes that sha256sum checks.

# enter_batch TOP: enters the staging folder of TOP, checks its files against the hashes (one process for each half) and
# syncs them.
enter_batch() {
  cd -P -- "$1" && batch_parent=$(pwd -P) && cd .furrow.staged && [ "$(pwd -P)" = "${batch_parent%/}/.furrow.staged" ] && [ -O . ] || return 1
  print_first_sums | sha256sum -c &
  first_check=$!
  print_second_sums | sha256sum -c && wait "$first_check" || return 1
  find . -type f -exec sync {} + 2>/dev/null || sync
}

# list_batch MODE OWNER GROUP FOLDER NUMBER NAME…: lists the files for one folder. If an attribute is not given, a file
# that replaces another one takes this attribute from the replaced file, and is placed immediately.
list_batch() {
  batch_mode=$1
  batch_owner=$2
  batch_group=$3
  batch_target=$4
  batch_number=$5
  batch_names=
  shift 5
  for batch_name in "$@"; do
    if { [ -n "$batch_mode" ] && [ -n "$batch_owner" ] && [ -n "$batch_group" ]; } || { [ ! -e "$batch_target/$batch_name" ] && [ ! -L "$batch_target/$batch_name" ]; }; then
      batch_names="$batch_names $batch_number/$batch_name"
    else install_file "$batch_number/$batch_name" "$batch_target/$batch_name" "$batch_mode" "$batch_owner" "$batch_group" || return 1; fi
  done
  eval "batch_names$batch_number=\$batch_names"
  listed_names=$listed_names$batch_names
  [ "${#listed_names}" -lt 100000 ] || set_batch_attributes "$batch_mode" "$batch_owner" "$batch_group"
}

# set_batch_attributes MODE OWNER GROUP: sets the attributes of the listed files.
set_batch_attributes() {
  batch_names=$listed_names
  listed_names=
  [ -n "$batch_names" ] || return 0
  # shellcheck disable=SC2086 # split on purpose: the names have no spaces
  { [ -z "$2$3" ] || chown -- "$2${3:+:$3}" $batch_names; } && chmod -- "${1:-0644}" $batch_names
}

# move_batch FOLDER NUMBER: moves the listed files of one folder.
move_batch() {
  eval "batch_names=\$batch_names$2"
  # shellcheck disable=SC2086 # split on purpose: the names have no spaces
  [ -z "$batch_names" ] || mv -f -- $batch_names "$1/"
}

# place_from_batch TOP NAME PATH SHA256 STAMP MODE OWNER GROUP: places one file of a batch that cannot be placed as a
# whole. The file may be in the staging folder, already at its target, or staged on its own.
place_from_batch() {
  staged_name=$1/.furrow.staged/$2
  shift 2
  if [ -f "$staged_name" ] && [ ! -L "$staged_name" ]; then
    batch_hash=$(sha256sum <"$staged_name") || return 1
    [ "${batch_hash%% *}" = "$2" ] || {
      echo "the content staged for $1 differs from what was sent" >&2
      return 1
    }
    sync "$staged_name" 2>/dev/null || sync
    install_file "$staged_name" "$1" "$4" "$5" "$6"
  elif
    name_temporary "$1"
    [ ! -e "$temporary_file" ] && [ -f "$1" ] && batch_hash=$(sha256sum <"$1") && [ "${batch_hash%% *}" = "$2" ]
  then
    set_attributes "$1" "$4" "$5" "$6"
  else place_staged "$@"; fi
}
