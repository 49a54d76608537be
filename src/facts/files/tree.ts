import { byPathOverBoot } from "../../core/facts/boot.ts";
import { FurrowError } from "../../core/errors.ts";
import { exactly, type HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type Lines } from "../../core/facts/kind.ts";
import { shellQuote } from "../../core/host/step.ts";
import { type Absent, absent, isRecord, knownAfterApply } from "../../core/facts/symbols.ts";
import { file } from "./file.ts";
import { impliedOfIndex, packageFactsNear, packageFactsOf } from "../packages/package-places.ts";
import { treesContaining } from "./trees-containing.ts";
import { hiddenFunctions } from "./hidden-path.ts";
import { behindPath } from "./path-resolution.ts";

/** One entry in a host's directory tree. */
export interface TreeEntry {
  readonly type: "file" | "directory" | "link" | "other";
  /** Octal, four digits: `"0644"`. */
  readonly mode: string;
  readonly owner: string;
  readonly group: string;
  /** Hex SHA-256 of a file of at most {@link hashLimit} bytes. */
  readonly sha256?: string;
  /** The target of a link. */
  readonly target?: string;
  /** True for a directory on a different file system from the tree's: paths below it are not part of the tree. */
  readonly mounted?: true;
}

/** A directory on a host with everything below it on the same file system. */
export interface Tree {
  /** The entries by their path relative to the root of the tree: `sub/file`; the root itself is `.`. */
  readonly entries: Readonly<Record<string, TreeEntry>>;
  /** The paths of all entries, sorted. */
  readonly names: readonly string[];
}

/** Larger files are listed without a hash, because a tree may contain images of many gigabytes. */
export const hashLimit = 16 * 1024 * 1024;

/** Asks about everything at and below a path, in one question. */
export function tree(path: string): HostFact<Absent | Tree> {
  return ask(treeKind, path);
}

/**
 * Directory trees, read with one walk for `stat` and one walk for hashes. The script rejects names that contain a
 * newline.
 */
export const treeKind = defineKind<Absent | Tree>({
  name: "tree",
  afterBoot: byPathOverBoot,
  summary: "A directory with everything below it: types, modes, owners, links, and hashes of files up to 16 MiB",
  facets: {},
  deadlineSeconds: 120,
  read: (questions) => questions.map(({ number, key }) => `n=${number} r=${shellQuote(key)}\n${script}`).join("\n"),
  functions: hiddenFunctions,
  parse(lines, question) {
    if (lines["."] === undefined) {
      if (lines["absent"] === "yes") return absent;
      throw new FurrowError("E_FACT", {
        what: `the tree ${question.key} could not be read: the host returned no data`,
      });
    }
    const entries = Object.entries(lines).map(([name, line]) => [unescape(name), entryOf(line)] as const);
    return { entries: Object.fromEntries(entries), names: entries.map(([name]) => name).toSorted(byCode) };
  },
  print(value): Lines {
    if (value === absent) return { absent: "yes" };
    return Object.fromEntries(Object.entries(value.entries).map(([name, entry]) => [escape(name), lineOf(entry)]));
  },
  predict(before, wanted, { user }) {
    if (!isRecord(wanted)) return wanted as Absent;
    const want = wanted as {
      readonly entries?: Readonly<Record<string, TreeEntry>>;
      readonly names?: readonly string[];
    };
    const old = isRecord(before) ? (before as unknown as Tree).entries : {};
    const kept = want.names ?? Object.keys(old);
    const entries = new Map<string, TreeEntry>();
    for (const name of kept) {
      const entry = entryIn(old, name);
      if (entry !== undefined) entries.set(name, entry);
    }
    for (const [name, entry] of Object.entries(want.entries ?? {})) {
      const unknown = knownAfterApply as never;
      const before = contentKept(entries.get(name), entry);
      const said = Object.fromEntries(Object.entries(entry).filter((part) => part[1] !== undefined));
      entries.set(name, { type: unknown, mode: unknown, owner: user, group: unknown, ...before, ...said });
    }
    return { entries: Object.fromEntries(entries), names: [...entries.keys()].toSorted(byCode) };
  },
  parent: (key) => file(key.slice(0, key.lastIndexOf("/")) || "/"),
  renamed: behindPath,
  linksBelow(value) {
    const links = value === absent ? [] : Object.entries(value.entries).filter(([, { type }]) => type === "link");
    return Object.fromEntries(links.map(([name, { target = "" }]) => [name, target]));
  },
  mayTouch: (key) => [...namesIn(key), ...removalsAbove(key)],
  touches: (key, from, to) => [
    ...namesIn(key),
    // When the tree appears or disappears, the directories above it may appear or become empty.
    ...((from === absent) === (to === absent) ? [] : removalsAbove(key)),
    ...new Set(contentChanges(key, from, to).flatMap(({ path, there }) => packageFactsOf(path, !there))),
  ],
  implies: (key, from, to) => contentChanges(key, from, to).flatMap(({ path, there }) => impliedOfIndex(path, there)),
  mayShowIn: (key) => packageFactsNear(`${key}/**`),
});

/** The facts about the tree, about paths below it, and about the trees that contain it. */
function namesIn(key: string): string[] {
  const here = exactly(key);
  const below = ["file", "digest", "tree", "removal"].map((kind) => `${kind}:${here}/**`);
  return [`file:${here}`, `removal:${here}`, ...below, ...treesContaining(here).slice(1)];
}

/** Patterns of the facts about removing the directories above a path. */
function removalsAbove(key: string): string[] {
  return treesContaining(exactly(key))
    .slice(1)
    .map((id) => id.replace("tree:", "removal:"));
}

/**
 * The paths in a tree that are added or removed, or whose content changes, if package facts may depend on the tree.
 * Modes and owners are ignored.
 */
function contentChanges(root: string, from: Absent | Tree, to: Absent | Tree): { path: string; there: boolean }[] {
  if (packageFactsNear(`${exactly(root)}/**`).length === 0) return [];
  const before = from === absent ? {} : from.entries;
  const after = to === absent ? {} : to.entries;
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [old, now] = [before[name], after[name]];
    if (old !== undefined && now !== undefined && contentParts.every((part) => old[part] === now[part])) return [];
    return [{ path: name === "." ? root : `${root}/${name}`, there: now !== undefined }];
  });
}

const contentParts = ["type", "sha256", "target"] as const;

/**
 * The parts that an entry keeps when it changes: always its mode and owner, but its content only if its type stays the
 * same.
 */
function contentKept(before: TreeEntry | undefined, wanted: Partial<TreeEntry>): Partial<TreeEntry> {
  if (before === undefined || wanted.type === undefined || wanted.type === before.type) return before ?? {};
  const { mode, owner, group } = before;
  return { mode, owner, group };
}

/**
 * Returns the entry with this path, if there is one. A file may be called `constructor`, which is a property of every
 * object.
 */
export function entryIn<T>(entries: Readonly<Record<string, T>>, path: string): T | undefined {
  return Object.hasOwn(entries, path) ? entries[path] : undefined;
}

/** Compares names by code unit, which is the order of names in a tree. */
export function byCode(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const types: Readonly<Record<string, TreeEntry["type"]>> = { f: "file", d: "directory", l: "link" };

function entryOf(line: string): TreeEntry {
  const [type = "", mode = "", owner = "", group = "", rest = ""] = line
    .split(" ", 4)
    .concat(line.split(" ").slice(4).join(" "));
  return {
    type: types[type] ?? "other",
    mode: mode.padStart(4, "0"),
    owner,
    group,
    ...(type === "f" && rest !== "" && { sha256: rest }),
    ...(type === "l" && { target: unescape(rest) }),
    ...(type === "d" && rest === "mounted" && { mounted: true }),
  };
}

function lineOf({ type, mode, owner, group, sha256, target, mounted }: TreeEntry): string {
  const letter = Object.keys(types).find((key) => types[key] === type) ?? "o";
  return [
    letter,
    mode.replace(/^0+(?=.)/, ""),
    owner,
    group,
    type === "link" ? escape(target ?? "") : type === "directory" ? (mounted ? "mounted" : "") : (sha256 ?? ""),
  ].join(" ");
}

/**
 * In a line, `=` separates a name from its value, and `!` at the beginning marks an error. Both are escaped in names.
 */
function escape(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("=", "%3D").replace(/^!/, "%21");
}

function unescape(text: string): string {
  return text.replace(/^%21/, "!").replaceAll("%3D", "=").replaceAll("%25", "%");
}

// openssl hashes four times as fast as sha256sum on CPUs with SHA instructions, but takes longer to start. openssl
// does not escape backslashes.
const script = String.raw`if [ ! -e "$r" ] && [ ! -L "$r" ]; then hidden "$n" "$r" || echo "$n absent=yes"
elif [ -d "$r" ] && { [ ! -r "$r" ] || [ ! -x "$r" ]; }; then echo "$n !the directory cannot be listed or entered"
elif ! cd "$r" 2>/dev/null; then
stat -c '%F|%a|%U|%G' -- "$r" | { IFS='|' read -r f a u g; case $f in 'regular '*) f=f;; 'symbolic link') f=l;; directory) f=d;; *) f=o;; esac; echo "$n .=$f $a $u $g "; }
elif f=$(find . -xdev -name '*
*' 2>&1 | head -n 1) && [ -n "$f" ]; then
case $f in find:*) echo "$n !some of it cannot be read: ${"${f#find: }"}";; *) echo "$n !a name below $r contains a line break";; esac
else
{ find . -xdev -type f -size -32769 -exec sh -c '[ $# -lt 50 ] || ! s=$(openssl dgst -sha256 -r "$@" 2>/dev/null) || { h=${"${s%% *}"}; [ ${"${#h}"} != 64 ] || { printf "%s\n" "$s"; exit; }; }
exec sha256sum -- "$@"' sh {} + 2>&1 | sed -e '/^\\/{s/^.//;s/\\\\/\\/g;}' -e 's/^\([0-9a-f]*\) [ *]/h \1 /'
find . -xdev -type l | while IFS= read -r l; do t=$(readlink -- "$l"; echo .); t=${"${t%.}"} t=${"${t%?}"}
case $t in *'
'*) echo b;; *) printf 'l %s\n%s\n' "$l" "$t";; esac; done
find . -xdev -exec stat -c 's %F|%a|%U|%G|%d|%n' -- {} +; } | R=$r awk -v n="$n" -v dev="$(stat -c %d .)" '
function plain(s) { gsub(/%/, "%25", s); gsub(/=/, "%3D", s); sub(/^\.\//, "", s); sub(/^!/, "%21", s); return s }
/^sha256sum: / { if (!/No such file/) bad = 1; next }
$0 == "b" { broken = 1; next }
/^h / { h[substr($0, 68)] = $2; next }
/^l / { p = substr($0, 3); if ((getline t) > 0) l[p] = t; next }
{ split(substr($0, 3), f, "|"); c = index($0, "|"); rest = $0; for (i = 1; i <= 5; i++) rest = substr(rest, index(rest, "|") + 1)
  t = f[1] ~ /^regular/ ? "f" : f[1] == "directory" ? "d" : f[1] == "symbolic link" ? "l" : "o"
  print n " " plain(rest) "=" t " " f[2] " " f[3] " " f[4] " " (t == "f" ? h[rest] : t == "l" ? plain(l[rest]) : t == "d" && f[5] != dev ? "mounted" : "") }
END { if (broken) print n " !the target of a link below " ENVIRON["R"] " contains a line break"
if (bad) print n " !the content of some of its files cannot be read" }' | LC_ALL=C sort
fi
cd /`;
