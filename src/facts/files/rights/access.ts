import { type Access, accessKindName, accessTo } from "../../../core/facts/access.ts";
import { FurrowError } from "../../../core/errors.ts";
import type { HostFact } from "../../../core/facts/fact.ts";
import { ask, defineKind, type NumberedQuestion } from "../../../core/facts/kind.ts";
import { shellQuote } from "../../../core/host/step.ts";
import { hiddenFunctions } from "../hidden-path.ts";
import { mountPoint } from "../path-resolution.ts";
import { parentOf } from "../../../core/facts/parent.ts";

/** Asks what the session's user may do with an absolute path. */
export function access(path: string): HostFact<Access> {
  return ask(accessKind, accessTo(path).key);
}

/**
 * An awk program. The input of this program has three parts with an empty line after each: for each question its
 * number, directory, path and the directory's real name, one per line; the list of mounts; and the output of lsattr.
 * The program prints what only the mounts and lsattr show: attributes, mount points, and file systems whose entries
 * only the kernel creates.
 */
const heldProgram = String.raw`
function below(p, q) { return p == q || q == "/" || index(p, q "/") == 1 }
function hidden(j, k) { for (k = j + 1; k <= n; k++) if (point[k] != "/" && below(point[j], point[k])) return 1; return 0 }
function escaped(d) { gsub(/\\/, "\\134", d); gsub(/ /, "\\040", d); gsub(/\t/, "\\011", d); return d }
$0 == "" { s++; next }
!s { w[++m] = $0; next }
s == 1 { point[++n] = $5; for (i = 7; i < NF && $i != "-"; i++); type[n] = $(i + 1); next }
{ k = index($0, " "); f = substr($0, 1, k - 1); flag[substr($0, k + 1)] = f ~ /i/ ? "immutable" : f ~ /a/ ? "append-only" : "" }
END {
  for (i = 1; i + 3 <= m; i += 4) {
    q = w[i]; d = w[i + 1]; p = w[i + 2]; r = escaped(w[i + 3])
    if (flag[d] != "") print q " in=" flag[d]
    if (flag[p] != "") print q " is=" flag[p]
    b = p; sub(/.*\//, "", b)
    t = (r == "/" ? "" : r) "/" escaped(b); o = 0
    for (j = 1; j <= n; j++) {
      if (point[j] == t && (d == "/" ? "" : d) "/" b == p && !hidden(j)) print q " mounted=yes"
      if (below(r, point[j]) && length(point[j]) >= length(point[o]) && !hidden(j)) o = j
    }
    if (type[o] ~ /^(proc|sysfs)$/) print q " kernel=" type[o]
  }
}`;

/**
 * The obstacles to a write at a path. access(2) on the directory takes modes, access control lists, capabilities,
 * read-only file systems and the "immutable" attribute into account. lsattr, if the host has it, shows all attributes.
 * The list of mounts shows mount points. The last missing directory is remembered with the directory that exists above
 * it, because each check of a missing directory starts a process.
 */
export const accessKind = defineKind<Access>({
  name: accessKindName,
  summary: "What the kernel lets the session's user do with a path",
  facets: {},
  advice: true,
  renamed: mountPoint,
  functions: `${hiddenFunctions}
may() {
l='
' W= A= c= m= e= u=$(id -u) g=
[ "$u" = 0 ] || g=$(echo $(id -Gn) $(id -G))
set -f; IFS=$l
for x in $1; do
n=\${x%% *} p=\${x#* } d=
case $p in */*) d=\${p%/*};; esac
o=$d
while [ -n "$d" ] && [ ! -e "$d" ]; do
[ "$d" != "$m" ] || { d=$e; break; }
hidden "$n" "$d" && continue 2
case $d in */*) d=\${d%/*};; *) d=;; esac
done
[ "$d" = "$o" ] || m=$o e=$d
d=\${d:-/}
[ "$d" = "$c" ] || {
c=$d r=$d k= w=
A=$A$d$l
cd -P -- "$d" 2>/dev/null && r=$PWD
[ -w "$d" ] && [ -x "$d" ] || w=no
[ -d "$d" ] || w=file
[ -k "$d" ] && [ ! -O "$d" ] && k=yes
s=
[ "$u" != 0 ] && [ -g "$d" ] && s=$(stat -c %G -- "$d")
}
A=$A$p$l
W="$W$n$l$d$l$p$l$r$l"
printf '%s\\n' "$n at=$d" "$n uid=$u" \${g:+"$n groups=$g"} \${w:+"$n write=$w"} \${k:+"$n sticky=$k"} \${s:+"$n gives=$s"}
done
{ printf '%s\\n' "$W"; cat /proc/self/mountinfo 2>/dev/null; echo; command -v lsattr >/dev/null && lsattr -d -- $A 2>/dev/null; } | awk '${heldProgram}'
unset IFS
}`,
  read: (questions) => `may ${shellQuote(words(questions))}`,
  parse(lines, { key }) {
    const { at, uid, groups = "", gives, in: around, is, kernel } = lines;
    if (at === undefined || uid === undefined) {
      throw new FurrowError("E_FACT", { what: `could not find out what access the user has to ${key}` });
    }
    return {
      at,
      uid: Number(uid),
      groups: groups.split(" ").filter(Boolean),
      write: lines["write"] === undefined,
      ...(lines["write"] === "file" && { file: true }),
      sticky: lines["sticky"] === "yes",
      mounted: lines["mounted"] === "yes",
      ...(gives !== undefined && { gives }),
      ...(around !== undefined && { in: around as NonNullable<Access["in"]> }),
      ...(is !== undefined && { is: is as NonNullable<Access["is"]> }),
      ...(kernel !== undefined && { kernel: kernel as NonNullable<Access["kernel"]> }),
    };
  },
  print: (value) => ({
    at: value.at,
    uid: String(value.uid),
    ...(value.groups.length > 0 && { groups: value.groups.join(" ") }),
    ...(!value.write && { write: value.file ? "file" : "no" }),
    ...(value.sticky && { sticky: "yes" }),
    ...(value.mounted && { mounted: "yes" }),
    ...(value.gives !== undefined && { gives: value.gives }),
    ...(value.in !== undefined && { in: value.in }),
    ...(value.is !== undefined && { is: value.is }),
    ...(value.kernel !== undefined && { kernel: value.kernel }),
  }),
});

/** The questions, grouped by directory, so that the script checks each directory once. */
function words(questions: readonly NumberedQuestion[]): string {
  const sorted = questions.toSorted((a, b) => (parentOf(a.key) < parentOf(b.key) ? -1 : 1));
  return sorted.map(({ number, key }) => `${number} ${key}`).join("\n");
}
