# shellcheck shell=sh
#
# Reads stamps. A stamp's first line is what stat prints about its file (size, inode, ctime). As long as stat prints the
# same, the other lines (sha256=…, unpacked=…) are valid.

# stamp_of PATH: prints the first line that a new stamp would have.
stamp_of() { TZ=UTC0 stat -c '%s|%i|%z' -- "$1" 2>/dev/null; }

# stamped PATH STAMP NAME: prints a value. Fails if the stamp is not valid, or not owned by the current user.
stamped() {
  [ -f "$2" ] && [ ! -L "$2" ] && [ -O "$2" ] && IFS= read -r stamp_line 2>/dev/null <"$2" && [ -n "$stamp_line" ] || return 1
  [ "$stamp_line" = "$(stamp_of "$1")" ] || return 1
  while IFS= read -r value_line; do
    case $value_line in "$3="*)
      printf '%s\n' "${value_line#*=}"
      return 0
      ;;
    esac
  done <"$2"
  return 1
}
