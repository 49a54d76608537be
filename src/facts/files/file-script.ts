import { gone } from "./hidden-path.ts";
import type { NumberedQuestion } from "../../core/kind.ts";
import { currentSealKey } from "../../core/secret.ts";
import { stampedBytes, stampPath } from "../../core/stamp.ts";
import { shellQuote } from "../../core/step.ts";

/** Questions per `stat` call; however long their paths, they fit on one command line. */
const batch = 400;

/** The script of the file kind: one `stat` for all paths, one `sha256sum` for those whose content is needed. */
export function fileScript(questions: readonly NumberedQuestion[]): string {
  const open = questions.filter(({ secret }) => secret !== true);
  const secret = questions.filter((question) => question.secret === true);
  const sealed = secret.filter(({ facets }) => contentFacets.some((facet) => facets.includes(facet)));
  const batches = Array.from({ length: Math.ceil(questions.length / batch) }, (_, at) =>
    questions.slice(at * batch, (at + 1) * batch),
  );
  return [
    ...batches.map((list) => `look ${shellQuote(list.map(code).join(" "))} ${quotedPaths(list)} ${stampsOf(list)}`),
    ...sealed.map(({ number, key }) => sealScript(number, key)),
    ...open.filter(({ facets }) => facets.includes("text")).map(({ number, key }) => textScript(number, key, "text")),
    ...sealed
      .filter(({ facets }) => facets.includes("hidden"))
      .map(({ number, key }) => textScript(number, key, "hidden")),
  ].join("\n");
}

const contentFacets = ["text", "sha256", "stamped", "hidden"] as const;

/** What is asked about one path: its number, and a letter for each facet. */
function code(question: NumberedQuestion): string {
  const { number, facets, secret } = question;
  const has = (facet: string): boolean => secret !== true && facets.includes(facet);
  const hash = has("sha256") ? "h" : has("stamped") ? "t" : "";
  return `${number}${facets.includes("changed") ? "c" : ""}${hash}${has("size") ? "s" : ""}`;
}

function quotedPaths(questions: readonly NumberedQuestion[]): string {
  return shellQuote(questions.map(({ key }) => key).join("\n"));
}

function stampsOf(questions: readonly NumberedQuestion[]): string {
  const stamps = questions.filter((question) => code(question).includes("t")).map(({ key }) => stampPath(key));
  return stamps.length === 0 ? "''" : shellQuote(stamps.join(" "));
}

const denied = "its content cannot be read";

/**
 * `look CODES PATHS STAMPS`. `stat` prints its lines in the order of the paths; a path without a line is absent. The
 * shell itself splits the output of commands, because every pipe would start two more processes. GNU stat prints
 * fractions of a second; for others, the time counts as the end of the second, so that no change is missed. Error
 * messages about paths without a line come in path order, too.
 */
export const fileFunctions = String.raw`l='
'
put() {
F=$1 a=$2 U=$3 G=$4 u=$5 g=$6 s=$7 c=$8 m="$7|$9|${"${10}"}"
[ "$U" = UNKNOWN ] && U=$u
[ "$G" = UNKNOWN ] && G=$g
case $F in 'regular '*) F=file; [ "${"${11}"}" -le 1 ] || echo "$n inode=${"${12}"}:$9";; directory) ;; 'symbolic link') F=link;; *) F=other;; esac
printf '%s\n' "$n group=$G" "$n mode=$a" "$n owner=$U" "$n type=$F"
}
stamp() {
[ "$s" -ge ${stampedBytes} ] && [ -f "$S" ] && [ ! -L "$S" ] && [ -O "$S" ] || return 1
while IFS= read -r v; do
if [ -n "$m" ]; then [ "$v" = "$m" ] || return 1; m=; fi
case $v in sha256=*) echo "$n $v"; return;; esac
done <"$S"
return 1
}
look() {
C=$1 P=$2 T=$3 H= M=
set -f; IFS=$l
o=$({ e=$(TZ=UTC0 stat -c '%F|%a|%U|%G|%u|%g|%s|%.6Z|%i|%z|%h|%d|%n' -- $P 2>&1 >&3); } 3>&1; printf '\n!%s' "$e")
E=${'${o##*"$l!"}'}$l
set -- ${'${o%"$l!"*}'}
for p in $P; do
k=${"${C%% *}"} C=${"${C#* }"}; n=${"${k%%[a-z]*}"}
case $k in *t*) S=${"${T%% *}"} T=${"${T#* }"};; esac
r=${"${1#*'|'*'|'*'|'*'|'*'|'*'|'*'|'*'|'*'|'*'|'*'|'*'|'}"}
if [ $# -eq 0 ] || [ "$r" != "$p" ]; then
x=${'${E%%"$l"*}'} E=${'${E#*"$l"}'}
case $x in *'${gone.join("'|*'")}') echo "$n type=absent";; *) printf '%s\n' "$n !${"${x##*: }"}";; esac
continue; fi
IFS='|'; put $1; IFS=$l; shift
case $k in *c*) case $c in *.*) c=${"${c%.*}${c#*.}"};; *) c=${"${c}"}999999;; esac; echo "$n changed=$c";; esac
case $k in *s*) echo "$n size=$s";; esac
case $F in
link) printf '%s target=' "$n"; readlink -n -- "$p" | b64; echo;;
file) case $k in *h*) ;; *t*) stamp && continue;; *) continue;; esac
case $p in
*\\*) if [ -r "$p" ] && h=$(sha256sum <"$p"); then echo "$n sha256=${"${h%% *}"}"; else echo "$n !${denied}"; fi;;
*) H=$H$l$p M="$M$n ";;
esac;;
esac
done
if [ -n "$H" ]; then
set -- $(sha256sum -- $H 2>/dev/null)
for p in $H; do
n=${"${M%% *}"} M=${"${M#* }"}
if [ $# -gt 0 ] && [ "${"${1#*  }"}" = "$p" ]; then echo "$n sha256=${"${1%% *}"}"; shift; else echo "$n !${denied}"; fi
done
fi
set +f
}
b64() { base64 -w0 2>/dev/null || base64 | tr -d '\n'; }`;

function sealScript(number: number, path: string): string {
  const quoted = shellQuote(path);
  return `[ -f ${quoted} ] && [ ! -L ${quoted} ] && { [ -r ${quoted} ] || ${unreadable(number)}; h=$({ printf %s ${currentSealKey()}; cat -- ${quoted}; } | sha256sum) && echo "${number} seal=\${h%% *}"; }`;
}

function textScript(number: number, path: string, line: string): string {
  const quoted = shellQuote(path);
  return `[ -f ${quoted} ] && [ ! -L ${quoted} ] && { [ -r ${quoted} ] || ${unreadable(number)}; printf '${number} ${line}='; b64 <${quoted}; echo; }`;
}

function unreadable(number: number): string {
  return `echo '${number} !${denied}'`;
}
