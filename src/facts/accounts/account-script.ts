import type { NumberedQuestion } from "../../core/facts/kind.ts";
import { currentSealKey } from "../../core/secrets/secret.ts";
import { numbered } from "../system/quote.ts";

/**
 * Defines `getent DATABASE NAME…` on hosts that lack it. The function prints the lines of passwd, group or shadow that
 * match the given names or numeric ids; without any names, it prints all lines.
 */
export const lookup = `command -v getent >/dev/null || getent() {
f=/etc/$1; shift
[ $# -gt 0 ] || { cat "$f"; return; }
for k; do awk -F: -v k="$k" '$1 == k || $3 == k' "$f"; done
}
`;

/**
 * The script of the user kind; `id` lists a user's primary group first. A password field leaves the host only as a hash
 * keyed with furrow's own key.
 */
export function userScript(questions: readonly NumberedQuestion[]): string {
  const sealed = questions.filter(({ facets }) => facets.includes("password")).map(({ number }) => number);
  return `${lookup}for x in ${numbered(questions)}; do
n=\${x%%:*} u=\${x#*:}
e=$(getent passwd "$u" 2>/dev/null); c=$?
case $c$e in 0"$u":*) ;; 0*|2*) echo "$n absent=yes"; continue;; *) echo "$n !getent passwd exited with code $c"; continue;; esac
s=\${e##*:} e=\${e%:*}
h=\${e##*:} e=\${e%:*}
c=\${e##*:} e=\${e%:*}
gid=\${e##*:} e=\${e%:*}
o=$(id -nG -- "$u" 2>/dev/null) || o=$(id -nG "$u" 2>/dev/null)
set -- $o
p=\${1:-$gid} o=
while [ $# -gt 1 ]; do shift; [ "$1" = "$p" ] || o="$o $1"; done
case $o in ' '*' '*) o=$(printf '%s\\n' $o | sort);; esac
set -- $o
printf '%s\\n' "$n comment=$c" "$n group=$p" "$n groups=$*" "$n home=$h"
case " ${sealed.join(" ")} " in *" $n "*)
if { [ ! -e /etc/shadow ] || [ -r /etc/shadow ]; } && w=$(getent shadow "$u" 2>/dev/null) && [ -n "$w" ]; then
w=\${w#*:}; w=\${w%%:*}
t=$(printf %s%s ${currentSealKey()} "$w" | sha256sum)
echo "$n password=\${t%% *}"
else echo "$n !the password of $u cannot be read: only root can read /etc/shadow"
fi;; esac
printf '%s\\n' "$n shell=$s" "$n uid=\${e##*:}"
done`;
}

/** The script of the group kind. */
export function groupScript(questions: readonly NumberedQuestion[]): string {
  return `${lookup}all=$(getent passwd 2>/dev/null)
for x in ${numbered(questions)}; do
n=\${x%%:*} k=\${x#*:}
e=$(getent group "$k" 2>/dev/null); c=$?
case $c$e in 0"$k":*) ;; 0*|2*) echo "$n absent=yes"; continue;; *) echo "$n !getent group exited with code $c"; continue;; esac
e=\${e#*:}; e=\${e#*:}; e=\${e%%:*}
echo "$n gid=$e"
set -- $(printf '%s\\n' "$all" | awk -F: -v g="$e" '$4 == g { print $1 }' | sort)
echo "$n primaryOf=$*"
done`;
}
