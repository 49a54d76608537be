# shellcheck shell=sh
#
# Renames a path as rename(2) does.

# rename_over FROM TO: a link at TO is replaced, even a link to a directory, and a directory at TO is an error. GNU mv
# does this with -T. busybox mv refuses a link to a directory even with -T, and its old versions do not support -T: in
# these cases the link is removed first.
rename_over() {
  move_error=$(mv -fT -- "$1" "$2" 2>&1) && return
  if [ -d "$2" ]; then
    [ -L "$2" ] && rm -f -- "$2" || {
      printf '%s\n' "$move_error" >&2
      return 1
    }
  else
    case $move_error in
      "mv: invalid option"* | "mv: unrecognized option"*) ;;
      *)
        printf '%s\n' "$move_error" >&2
        return 1
        ;;
    esac
  fi
  mv -f -- "$1" "$2"
}
