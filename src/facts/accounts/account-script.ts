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

/** Joins the lines of its input with colons, because names of a directory service may contain spaces. */
export const joined = "joined() { tr '\\n' ':' | sed 's/:$//'; }\n";

/** The numbers of the questions that ask for a facet, each with a space before and after it. */
function asking(questions: readonly NumberedQuestion[], facet: string): string {
  return ` ${questions.flatMap(({ facets, number }) => (facets.includes(facet) ? [number] : [])).join(" ")} `;
}

/** The script of the user kind. A password field leaves the host only as a hash keyed with furrow's own key. */
export function userScript(questions: readonly NumberedQuestion[]): string {
  return `${lookup}${joined}for x in ${numbered(questions)}; do
n=\${x%%:*} u=\${x#*:}
e=$(getent passwd "$u" 2>/dev/null); c=$?
case $c$e in 0"$u":*) ;; 0*|2*) echo "$n absent=yes"; continue;; *) echo "$n !getent passwd exited with code $c"; continue;; esac
s=\${e##*:} e=\${e%:*}
h=\${e##*:} e=\${e%:*}
t=\${e##*:} e=\${e%:*}
gid=\${e##*:} e=\${e%:*}
i=$(id -G -- "$u" 2>/dev/null) || i=$(id -G "$u" 2>/dev/null) || { echo "$n !id -G exited with code $?"; continue; }
g=$(getent group $gid $i 2>/dev/null); c=$?
case $c in 0|2) ;; *) echo "$n !getent group exited with code $c"; continue;; esac
o=$(printf '%s\\n' "$g" | awk -F: -v all="$gid $i" '!($3 in name) { name[$3] = $1 }
END { k = split(all, id, " "); for (j = 1; j <= k; j++) { m = id[j] in name ? name[id[j]] : id[j]; if (j == 1) first = m; else if (m != first && !(m in has)) {
has[m]; for (q = ++c; q > 1 && after(s[q - 1], m); q--) s[q] = s[q - 1]; s[q] = m } }
printf "%s:", first; for (j = 1; j <= c; j++) printf "%s%s", (j > 1 ? ":" : ""), s[j] }
function after(a, b) { return (a "") > (b "") }')
p=\${o%%:*} o=\${o#*:}
printf '%s\\n' "$n comment=$t"
case "${asking(questions, "local")}" in *" $n "*)
l=$(u=$u awk -F: '$1 == ENVIRON["u"] { print "yes"; exit }' /etc/passwd 2>/dev/null) && g=$(u=$u awk -F: 'index("," $4 ",", "," ENVIRON["u"] ",") { print $1 }' /etc/group 2>/dev/null) || { echo "$n !/etc/passwd and /etc/group cannot be read"; continue; }
printf '%s\\n' "$n elsewhere=$(printf '%s\\n' "$o" | tr : '\\n' | grep -vxF -e "$g" -e '' | joined)" "$n local=\${l:-no}";; esac
printf '%s\\n' "$n group=$p" "$n groups=$o" "$n home=$h"
case "${asking(questions, "password")}" in *" $n "*)
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
  return `${lookup}${joined}all=$(getent passwd 2>/dev/null)
for x in ${numbered(questions)}; do
n=\${x%%:*} k=\${x#*:}
e=$(getent group "$k" 2>/dev/null); c=$?
case $c$e in 0"$k":*) ;; 0*|2*) echo "$n absent=yes"; continue;; *) echo "$n !getent group exited with code $c"; continue;; esac
e=\${e#*:}; e=\${e#*:}; e=\${e%%:*}
echo "$n gid=$e"
case "${asking(questions, "local")}" in *" $n "*)
l=$(k=$k awk -F: '$1 == ENVIRON["k"] { print "yes"; exit }' /etc/group 2>/dev/null) || { echo "$n !/etc/group cannot be read"; continue; }
echo "$n local=\${l:-no}";; esac
echo "$n primaryOf=$(printf '%s\\n' "$all" | awk -F: -v g="$e" '$4 == g { print $1 }' | sort | joined)"
done`;
}
