# shellcheck shell=sh
#
# Preserves the access rights to a file when a new file replaces it.

# copy_access FROM TO NEW_MODE: gives TO the access list (POSIX ACL), extended attributes and security label of FROM. If
# NEW_MODE is not empty, TO gets a different mode and no access list, because the list would allow more than that mode.
# Only GNU cp can copy all this. Without GNU cp, copy_access fails if TO needs the access list of FROM, because the
# group permissions in FROM's mode are those of the list's mask.
copy_access() {
  cp --attributes-only --preserve=all --no-preserve="timestamps,ownership${3:+,mode}" -- "$1" "$2" 2>/dev/null && return
  [ -n "$3" ] || [ -z "$(getfacl -cs -- "$1" 2>/dev/null)" ] && return
  echo "$1 has an access list, which this host's cp cannot copy: install GNU coreutils, or remove the list (setfacl -b)" >&2
  return 1
}
