import { hiddenFunctions } from "./hidden-path.ts";
import type { NumberedQuestion } from "../../core/facts/kind.ts";
import { shellQuote } from "../../core/host/step.ts";

/** The time limit in seconds for walking a directory; a walk that exceeds it is reported as "more". */
const walkSeconds = 90;

/** The script of the removal kind. */
export function removalScript(questions: readonly NumberedQuestion[]): string {
  return questions
    .map(({ number, key, facets }) => `goes ${number} ${shellQuote(key)} ${facets.includes("size") ? "size" : ""}`)
    .join("\n");
}

/**
 * The shell function `goes NUMBER PATH [size]`. The function reads mounts from /proc/self/mountinfo (proc(5)) and never
 * accesses them. The function looks for a mount at or below the path; a mount elsewhere that makes a part of the path
 * visible (a bind mount: same device number, root field at or below the path); a loop device whose backing file is
 * below the path; a swap file at or below the path; a layer of a mounted overlay at or below the path; and files at or
 * below the path that init or this shell runs from or has mapped (libc, PAM). A directory in which it finds any of
 * these is not walked. The walk also looks for btrfs subvolumes: they are not mounts, but have their own device
 * numbers.
 */
export const removalFunctions = String.raw`${hiddenFunctions}
layer() (
set -f; IFS=,
for w in $1; do
case $w in lowerdir*=*|datadir*=*|upperdir=*|workdir=*) w=${"${w#*=}"};; *) continue;; esac
IFS=:
for w in $w; do case $w in "$f"|"$f"/*) exit 0;; esac; done
done
exit 1
)
subvolumes() { timeout ${walkSeconds} find "$1" -xdev -type d -exec stat -c '%d %n' -- {} + 2>/dev/null | sed -n "/^$2 /!{"'s/^[0-9]* //;s/\\/\\134/g;s/ /\\040/g;s/	/\\011/g;s/,/\\054/g;s/^/subvolume:/p;}' | tr '\n' ,; }
uses() {
f=$1; case $f in *[' \	']*) f=$(printf %s "$f" | sed 's/\\/\\134/g;s/ /\\040/g;s/	/\\011/g');; esac
D= O=
while read -r z z d o p z; do
case $f/ in "${"${p%/}"}"/*) D=$d O=${"${o%/}"}${'${f#"${p%/}"}'};; esac
done </proc/self/mountinfo
while read -r z z d o p z; do
case $p in "$f"|"$f"/*) printf 'mount:%s\n' "$p"; continue;; esac
[ "$d" = "$D" ] && [ -n "$O" ] && case $o in "$O"|"$O"/*) printf 'bind:%s\n' "$p";; esac
case $z in *' - overlay '*) layer "${"${z##* }"}" && printf 'overlay:%s\n' "$p";; esac
done </proc/self/mountinfo
for l in /sys/block/loop*/loop/backing_file; do
[ -r "$l" ] && IFS= read -r b <"$l" || continue
case $b in "$1"|"$1"/*) l=${"${l%/loop/*}"}; echo "loop:/dev/${"${l##*/}"}";; esac
done
for v in $(readlink /proc/1/exe 2>/dev/null; sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* [^ ]* *\(\/[^ ]*\)$/\1/p' /proc/1/maps /proc/$$/maps 2>/dev/null | sort -u); do
case $v in "$1"|"$1"/*) printf 'vital:%s\n' "$v"; break;; esac
done
[ -r /proc/swaps ] && while read -r b z; do case $b in "$f"|"$f"/*) printf 'swap:%s\n' "$b";; esac; done </proc/swaps
}
goes() {
n=$1 q=$2
[ -e "$q" ] || [ -L "$q" ] || { hidden "$n" "$q" || echo "$n absent=yes"; return; }
d=$(cd -P -- "${"${q%/*}"}/" && pwd -P) || { echo "$n !the directory of $q cannot be read"; return; }
r=${"${d%/}"}/${"${q##*/}"}
case $r in *'
'*) echo "$n !the path of $q contains a line break"; return;; esac
t=$(stat -c '%F|%s' -- "$r") && [ -r /proc/self/mountinfo ] || { echo "$n !$q cannot be inspected"; return; }
s=${"${t#*|}"} t=${"${t%%|*}"}
case $t in 'regular '*) t=file;; 'symbolic link') t=link;; 'block special file') t=block-device;; 'character special file') t=character-device;; esac
u=$(uses "$r"); set -f; e=
for z in $u; do e=$e$z,; done
set +f
printf '%s\n' "$n real=$(printf %s "$r" | base64 | tr -d '\n')" "$n type=$t"
if [ "$t" != directory ]; then
printf '%s\n' "$n uses=${"${e%,}"}" "$n bytes=$s"
return; fi
[ -z "$u" ] || { printf '%s\n' "$n uses=${"${e%,}"}"; return; }
e=$(ls -A -- "$r") && d=$(stat -c %d -- "$r") || { echo "$n !$q cannot be read"; return; }
u=
[ -z "$3" ] || u=$({ timeout ${walkSeconds} find "$r" -xdev -exec stat -c '%f %s %d' -- {} + 2>/dev/null; echo "end $?"; } | awk -v n="$n" -v dev="$d" '
$1 == "end" { more = $2 == 0 ? "" : $2 == 124 ? "slow" : "changing"; next }
$1 ~ /^4...$/ { dirs++; if ($3 != dev) other = 1; next }
{ files++; bytes += $2 } $1 ~ /^(6...|2...)$/ { devices++ }
END { if (other) { print "other"; exit }
printf "%s bytes=%.0f\n%s devices=%d\n%s directories=%d\n%s files=%d\n", n, bytes, n, devices, n, dirs - 1, n, files
if (more != "") print n " more=" more }')
if [ "$u" = other ]; then
e=$(subvolumes "$r" "$d")
printf '%s\n' "$n uses=${"${e%,}"}"
return; fi
printf '%s\n' "$n uses="
[ -n "$e" ] && echo "$n empty=no" || echo "$n empty=yes"
[ -z "$u" ] || printf '%s\n' "$u"
}`;
