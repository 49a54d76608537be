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
 * A shell function. `missing NUMBERS PATHS ANSWER` prints ANSWER for each path that does not exist, and an error for
 * each path whose state cannot be determined. PATHS has one path per line. It starts one process for all paths.
 */
export const missingFunction = String.raw`missing() {
[ -n "$2" ] || return 0
hn=$1 ha=$3 hl='
'
set -f; IFS=$hl
set -- $(LC_ALL=C stat -c x -- $2 2>&1)
set +f; unset IFS
for hx in $hn; do
case $1 in x|*'${gone.join("'|*'")}') echo "$hx $ha";;
*) printf '%s\n' "$hx !${"${1##*: }"}";;
esac
[ $# -eq 0 ] || shift
done
}`;

/**
 * Shell functions. `hidden NUMBER PATH` is true if the state of a path cannot be determined, and prints why; it starts
 * a process only if the path seems not to exist. `shut NUMBER PATH` is true if the path cannot be read, and prints an
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
