/** How `stat` says that there is nothing at a path. Whatever else it says, nobody knows what is there. */
export const gone = [
  "No such file or directory",
  "Not a directory",
  "File name too long",
  "Filename too long",
  "Too many levels of symbolic links",
  "Symbolic link loop",
] as const;

/**
 * Shell functions. `hidden NUMBER PATH` is true where nobody can tell what is at a path, and says why; it costs a process
 * where nothing is seen there. `shut NUMBER PATH` is true where what is at a path may not be read, and says so.
 */
export const hiddenFunctions = String.raw`hidden() {
if [ -e "$2" ] || [ -L "$2" ]; then return 1; fi
hx=$(LC_ALL=C stat -c x -- "$2" 2>&1) && return 1
case $hx in *'${gone.join("'|*'")}') return 1;; esac
printf '%s\n' "$1 !${"${hx##*: }"}"
}
shut() {
[ ! -r "$2" ] || return 1
echo "$1 !its content cannot be read"
}`;
