# shellcheck shell=sh
#
# Writes stamps.

# stamp PATH STAMP LINE…: writes a stamp. It never fails: without a stamp everything still works, but more slowly.
stamp() {
  stamped_path=$1
  stamp_place=$2
  shift 2
  (
    umask 077
    mkdir -p "${stamp_place%/*}" && {
      stamp_of "$stamped_path"
      printf '%s\n' "path=$stamped_path" "$@"
    } >"$stamp_place.part" &&
      mv -f "$stamp_place.part" "$stamp_place"
  ) 2>/dev/null || rm -f "$stamp_place.part" 2>/dev/null || :
}
