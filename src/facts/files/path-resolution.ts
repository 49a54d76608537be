import { defineKind, type Lines, type NumberedQuestion } from "../../core/facts/kind.ts";
import { shellQuote } from "../../core/host/step.ts";
import { parentOf } from "../../core/facts/parent.ts";
import { type PathResolution, pathResolutionKind, type RealName } from "../../core/facts/path-resolution.ts";

/**
 * An awk program. The program's input is the list of mounts, in order, and the variable W with lines `NUMBER
 * DIRECTORY`. A mount shows the same files as another path if its root is at or below the root of another mount of the
 * same device. The mount with the shortest root gives the real name. For each directory, the program prints the mounts
 * on its path and below it, and whether its file system is read-only. The mount of a directory is the one with the
 * longest mount point above it, because the list is not always in the order of mounting.
 */
const mountProgram = String.raw`
function below(p, q) { return p == q || q == "/" || index(p, q "/") == 1 }
function hidden(j, k) { for (k = j + 1; k <= n; k++) if (point[k] != "/" && below(point[j], point[k])) return 1; return 0 }
function other(i, j, chosen, rest) {
  for (j = 1; j <= n; j++) if (dev[j] == dev[i] && below(root[i], root[j]) && (!chosen || length(root[j]) < length(root[chosen])) && !hidden(j)) chosen = j
  if (!chosen) return point[i]
  rest = root[chosen] == "/" ? (root[i] == "/" ? "" : root[i]) : substr(root[i], length(root[chosen]) + 1)
  rest = (point[chosen] == "/" ? "" : point[chosen]) rest
  return rest == "" ? "/" : rest
}
function tell(q, p, o) { c++; print q " on" c "=" p; print q " is" c "=" o }
$4 ~ /^\// { n++; dev[n] = $3; root[n] = $4; point[n] = $5; many[$3]++; at[$5] = n; ro[n] = $6 ~ /^ro/ || $NF ~ /^ro(,|$)/; ros += ro[n] }
END {
  for (j = 1; j <= n; j++) if (at[point[j]] == j && point[j] != "/" && many[dev[j]] > 1 && (o = other(j)) != point[j]) { s[++ns] = j; to[j] = o }
  if (!ns && !ros) exit
  m = split(ENVIRON["W"], w, "\n")
  for (i = 1; i <= m; i++) {
    if (w[i] == "") continue
    k = index(w[i], " "); q = substr(w[i], 1, k - 1); d = substr(w[i], k + 1); c = 0
    gsub(/\\/, "\\134", d); gsub(/ /, "\\040", d); gsub(/\t/, "\\011", d)
    if (ros) {
      b = 0; o = ""; r = d == "/" ? d : d "/"
      for (j = 1; j <= n; j++) if (below(d, point[j]) && length(point[j]) >= length(point[b]) && !hidden(j)) b = j
      for (j = 1; j <= n; j++) if (ro[j] != ro[b] && index(point[j], r) == 1 && point[j] != r && !index(substr(point[j], length(r) + 1), "/") && !hidden(j)) o = o " " point[j]
      if (ro[b]) print q " ro=" point[b]
      if (o != "") print q " unlike=" substr(o, 2)
    }
    for (x = 1; x <= ns; x++) {
      j = s[x]
      if (!below(d, point[j]) && !below(point[j], d)) continue
      tell(q, point[j], to[j])
      for (y = 1; y <= n; y++) if (at[point[y]] == y && y != j && !(y in to) && below(point[y], point[j]) && (below(d, point[y]) || below(point[y], d))) tell(q, point[y], point[y])
    }
  }
}`
  // Hosts receive the program with short names, and without the spaces that awk does not need. No string in the program
  // contains one of the shortened names, or an operator between spaces.
  .replaceAll(/\b(?:point|root|below|hidden|other|chosen|many)\b/g, ([first = ""]) => first.toUpperCase())
  .replaceAll(/\n +/g, "\n")
  .replaceAll(/ ([=!<>]=|&&|\|\||\+=|[=<>~?:]) /g, "$1")
  .replaceAll(/([,;]) /g, "$1");

/**
 * The links and mounts that redirect the path to a directory. Links are found by `test -L` on each part, which starts
 * no process. Bind mounts are found in /proc/self/mountinfo (proc(5)) by a single awk process for all questions. A
 * directory whose name is its real name has no lines, unless it is on a read-only file system. No guard compares the
 * read-only state, because steps fail on a read-only file system anyway.
 */
defineKind<PathResolution>({
  name: pathResolutionKind,
  summary: "Symbolic links and mounts that redirect the name of a directory, and whether it is read-only",
  facets: {},
  volatile: ["ro", "unlike"],
  read: (questions) => `ways ${shellQuote(words(questions))}`,
  functions: String.raw`ways() {
l='
' W=
set -f; IFS=$l
for x in $1; do way "${"${x%% *}"}" "${"${x#* }"}"; done
unset IFS
[ ! -r /proc/self/mountinfo ] || W=$W awk '${mountProgram}' /proc/self/mountinfo
}
way() {
n=$1 r=$2 d= h=0
while [ -n "$r" ]; do
r=${"${r#/}"}; c=${"${r%%/*}"}; r=${'${r#"$c"}'}
case $c in ''|.) continue;; ..) d=${"${d%/*}"}; continue;; esac
if [ ! -L "$d/$c" ]; then d=$d/$c; continue; fi
h=$((h+1))
[ $h -le 40 ] || return
t=$(readlink -- "$d/$c"; echo .); t=${'${t%"$l".}'}
case $t in *"$l"*) echo "$n !the target of a link on its path contains a line break"; return;; esac
printf '%s\n' "$n at$h=$d/$c" "$n to$h=$t"
case $t in /*) d=;; esac
r=/$t$r
done
W=$W"$n ${"${d:-/}"}$l"
}`,
  parse(lines) {
    const pairs = (at: string, to: string): [string, string][] =>
      Object.entries(lines).flatMap(([name, value]): [string, string][] => {
        const other = lines[name.replace(at, to)];
        return name.startsWith(at) && other !== undefined ? [[value, other]] : [];
      });
    const mounts = pairs("on", "is").map(([point, source]) => [unescape(point), unescape(source)] as const);
    return {
      links: Object.fromEntries(pairs("at", "to")),
      mounts: Object.fromEntries(mounts),
      ...(lines["ro"] !== undefined && { readOnly: unescape(lines["ro"]) }),
      ...(lines["unlike"] !== undefined && { unlike: lines["unlike"].split(" ").map(unescape) }),
    };
  },
  print({ links, mounts, readOnly, unlike }): Lines {
    const lines: Record<string, string> = {
      ...(readOnly !== undefined && { ro: escape(readOnly) }),
      ...(unlike !== undefined && { unlike: unlike.map(escape).join(" ") }),
    };
    Object.entries(links).forEach(([at, to], index) => {
      lines[`at${index + 1}`] = at;
      lines[`to${index + 1}`] = to;
    });
    Object.entries(mounts).forEach(([point, source], index) => {
      lines[`on${index + 1}`] = escape(point);
      lines[`is${index + 1}`] = escape(source);
    });
    return lines;
  },
});

/**
 * The real name for a key that refers to the path itself, even if it is a link; with a trailing slash, its target. The
 * slash stays if the target is not known: without the slash, the name would refer to the link.
 */
export function atPath(key: string, real: RealName): string {
  if (key.length === 1 || !key.endsWith("/")) return real(key);
  const [link, target] = [real(key.slice(0, -1)), real(key.slice(0, -1), true)];
  return target === link ? `${link}/` : target;
}

/** The real name for a key that refers to the target of a link. */
export function behindPath(key: string, real: RealName): string {
  return real(key, true);
}

/**
 * The real name for a key that is a mount point: links in its parent directories are resolved. The key's last part
 * stays as written, even if it is a link, and the mount at that path is not followed.
 */
export function mountPoint(key: string, real: RealName): string {
  const directory = real(parentOf(key), true);
  return `${directory === "/" ? "" : directory}/${key.slice(key.lastIndexOf("/") + 1)}`;
}

function words(questions: readonly NumberedQuestion[]): string {
  return questions.map(({ number, key }) => `${number} ${key}`).join("\n");
}

/** Undoes the escaping in /proc/self/mountinfo, where space, tab, newline and backslash are written in octal. */
function unescape(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function escape(text: string): string {
  return text.replaceAll(/[\\ \t\n]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`);
}
