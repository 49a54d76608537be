/**
 * The messages that `stat` prints if nothing exists at a path. After any other message, the state of the path is
 * unknown.
 */
export const gone = [
  "No such file or directory",
  "Not a directory",
  "File name too long",
  "Filename too long",
  "Too many levels of symbolic links",
  "Symbolic link loop",
] as const;

/**
 * Shell functions. `hidden NUMBER PATH` is true if the state of a path cannot be known, and prints why; it starts a
 * process only if the path seems not to exist. `shut NUMBER PATH` is true if the path cannot be read, and prints an
 * error that says so.
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
