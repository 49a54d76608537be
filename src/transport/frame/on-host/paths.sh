# shellcheck shell=sh
# Creates directories and links, sets attributes, and removes paths.

# make_directory PATH PARENTS MODE OWNER GROUP: creates a directory. Removes it again if its attributes cannot be set.
make_directory() {
  made_here=
  [ -e "$1" ] || [ -L "$1" ] || made_here=1
  # shellcheck disable=SC2086 # $2 is -p or empty
  mkdir $2 -- "$1" || return
  set_attributes "$1" "$3" "$4" "$5" || {
    [ -z "$made_here" ] || rmdir -- "$1"
    return 1
  }
}

# set_attributes PATH MODE OWNER GROUP STAMP: sets attributes and renews the stamp, which the change would invalidate.
# GNU chmod leaves the set-group-ID and set-user-ID bits of a directory as they are unless the mode has five digits
# (coreutils, "Directories and the Set-User-ID and Set-Group-ID Bits"); for busybox, an additional leading 0 makes no
# difference.
set_attributes() {
  hash_before=
  [ -z "$5" ] || [ ! -f "$5" ] || hash_before=$(hash_to_keep "$1" "$5")
  [ -z "$3$4" ] || chown -h -- "$3${4:+:$4}" "$1" || return 1
  [ -z "$2" ] || chmod -- "0$2" "$1" || return 1
  [ -z "$hash_before" ] || stamp "$1" "$5" "sha256=$hash_before"
}

# hash_to_keep PATH STAMP: prints the hash that a stamp vouches for. If another program has changed the file's
# attributes and so invalidated the stamp, the file is read once here, instead of once in every run.
hash_to_keep() {
  stamped "$1" "$2" sha256 && return
  [ ! -L "$2" ] && [ -O "$2" ] && IFS= read -r stamp_kept <"$2" && stamp_now=$(stamp_of "$1") && [ "${stamp_kept%'|'*}" = "${stamp_now%'|'*}" ] || return
  content_hash=$(sha256sum <"$1") && grep -qx "sha256=${content_hash%% *}" "$2" && echo "${content_hash%% *}"
}

# make_link PATH TARGET: creates or changes a symbolic link.
make_link() {
  name_temporary "$1"
  rm -f -- "$temporary_file"
  ln -s -- "$2" "$temporary_file" || return 1
  rename_over "$temporary_file" "$1" || {
    rm -f -- "$temporary_file"
    return 1
  }
}

# not_removed PATH WHY: reports that a path was not removed, and fails.
not_removed() {
  echo "$1 was not removed: $2" >&2
  return 1
}

# remove_path PATH RECURSIVE REAL ROOT: removes a path. The task has already checked for mounts; if a file system has
# been mounted since then, this fails before it removes the first file (--one-file-system does not protect the argument
# itself). The same applies to btrfs subvolumes: they are not mounts, but rm --one-file-system would stop at them
# halfway. It also fails if the path does not lead to REAL, or if a link is between ROOT and the path: a directory above
# the path may have been replaced with a link since then.
remove_path() {
  if [ -n "$3" ] && [ -e "${1%/*}/" ]; then
    real_path=$(cd -P -- "${1%/*}/" && pwd -P) && [ "${real_path%/}/${1##*/}" = "$3" ] || {
      not_removed "$1" "its path no longer leads to $3"
      return
    }
    path_below=${1#"$4"/}
    [ -z "$4" ] || [ "$path_below" = "${1##*/}" ] || [ "$real_path" = "$(cd -P -- "$4" && pwd -P)/${path_below%/*}" ] || {
      not_removed "$1" "a link below $4 leads to $real_path"
      return
    }
  fi
  if [ -L "$1" ] || [ ! -d "$1" ]; then
    rm -f -- "$1"
    return
  fi
  [ "$2" = 1 ] || {
    rmdir -- "$1"
    return
  }
  real_path=$(cd -P -- "$1" && pwd -P) && [ "$real_path" != / ] && [ -r /proc/self/mountinfo ] || {
    not_removed "$1" "furrow cannot tell what is mounted below it"
    return
  }
  case $real_path in
    *'
'*)
      not_removed "$1" "its path contains a line break"
      return
      ;;
    *[\\\ \	]*) real_path=$(printf %s "$real_path" | sed 's/\\/\\134/g;s/ /\\040/g;s/	/\\011/g') ;;
  esac
  # shellcheck disable=SC2034 # mount_field takes the fields around mount_point
  while read -r mount_field mount_field mount_field mount_field mount_point mount_field; do
    case $mount_point in "$real_path" | "$real_path"/*)
      not_removed "$1" "$mount_point is mounted"
      return
      ;;
    esac
  done </proc/self/mountinfo
  find "$1/" -xdev -type d -exec stat -c '%d %n' {} + | awk 'NR==1{d=$1}$1!=d&&sub(/^[0-9]+ /,""){print "nothing was removed: "$0" is a btrfs subvolume";exit 1}' >&2 || return
  same_system=--one-file-system
  # shellcheck disable=SC2086 # empty on purpose where rm does not know the option
  rm -f $same_system -- "$1/.furrow-none" 2>/dev/null || same_system=
  # shellcheck disable=SC2086 # as above
  rm -rf $same_system -- "$1"
}
