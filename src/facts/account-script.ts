import type { NumberedQuestion } from "../core/kind.ts";
import { currentSealKey } from "../core/secret.ts";
import { numbered } from "./quote.ts";

/** `g DATABASE NAME…`: lines of passwd, group or shadow, by name or number; all lines without a name. */
const lookup = `g() {
if command -v getent >/dev/null; then getent "$@" 2>/dev/null; return; fi
f=/etc/$1; shift
[ $# -gt 0 ] || { cat "$f"; return; }
for k; do awk -F: -v k="$k" '$1 == k || $3 == k' "$f"; done
}
`;

/** The script of the user kind. A password field leaves the host only as a hash with furrow's key before it. */
export function userScript(questions: readonly NumberedQuestion[]): string {
  const sealed = questions.filter(({ facets }) => facets.includes("password")).map(({ number }) => number);
  return `${lookup}for x in ${numbered(questions)}; do
n=\${x%%:*} u=\${x#*:}
e=$(g passwd "$u")
case $e in "$u":*) ;; *) echo "$n absent=yes"; continue;; esac
s=\${e##*:} e=\${e%:*}
h=\${e##*:} e=\${e%:*}
c=\${e##*:} e=\${e%:*}
gid=\${e##*:} e=\${e%:*}
p=$(g group "$gid"); p=\${p%%:*}
[ -n "$p" ] || p=$gid
o=
for m in $(id -nG -- "$u" 2>/dev/null || id -nG "$u"); do [ "$m" = "$p" ] || o="$o $m"; done
printf '%s\\n' "$n comment=$c" "$n group=$p" "$n groups=$(printf '%s\\n' $o | sort | tr '\\n' ' ' | sed 's/ $//')" "$n home=$h"
case " ${sealed.join(" ")} " in *" $n "*)
if w=$(g shadow "$u") && [ -n "$w" ]; then
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
  return `${lookup}all=$(g passwd)
for x in ${numbered(questions)}; do
n=\${x%%:*} k=\${x#*:}
e=$(g group "$k")
case $e in "$k":*) ;; *) echo "$n absent=yes"; continue;; esac
e=\${e#*:}; e=\${e#*:}; e=\${e%%:*}
echo "$n gid=$e"
echo "$n primaryOf=$(printf '%s\\n' "$all" | awk -F: -v g="$e" '$4 == g { print $1 }' | sort | tr '\\n' ' ' | sed 's/ $//')"
done`;
}
