import {
  absent,
  file,
  type HostFact,
  localTree,
  type LocalTree,
  match,
  mayRefuse,
  refuse,
  type Removal,
  removal,
  type Step,
  task,
  tree,
  type Tree,
  type TreeEntry,
} from "../../src/authoring.ts";
import { byCode, entryIn, localTexts, stampPath } from "../../src/facts/catalogue.ts";
import { params, type TreeParams } from "./params.ts";
import { aboveFacts, aboveRefusal, behindAbove } from "../file/above.ts";
import { ownerFacts, ownerRefusal, ownersOf } from "../file/owners.ts";
import { purgeRefusal } from "./purge.ts";
import { extras, largeFiles, mountRefusal, obstacle, type WantedEntry, wantedEntries, wantedNames } from "./wanted.ts";

/** Files up to this size, in bytes, are sent inside the frame; larger ones in a separate stream. */
const inlineBytes = 48 * 1024;
/** The limit for the content that one task sends inside the frame, in bytes. */
const inlineTotal = 4 * 1024 * 1024;

/** Makes a directory on the host identical to one on the controller. */
export const directoryTree = task({
  name: "directoryTree",
  summary: "Make a directory on the host, with everything below it, identical to one on the controller",
  params,
  examples: [
    { source: "site", path: "/srv/www/site" },
    {
      source: "scripts",
      path: "/opt/scripts",
      fileMode: "0755",
      owner: "root",
      group: "root",
      purge: true,
      exclude: ["*.log"],
    },
  ],
  title: (p) => `directory tree ${p.path}`,
  disturbs: () => [],
})
  .facts((p) => ({ source: localTree(p.source, p.exclude), tree: tree(p.path), ...ownerFacts(p) }))
  .facts((p, { source, tree: now }) =>
    source === absent
      ? { large: [], going: [] as HostFact<typeof absent | Removal>[], texts: localTexts(p.source, []) }
      : {
          large: largeFiles(source, now).map((path) => file(`${p.path}/${path}`, ["stamped"])),
          going: extras(p, source, now).map((path) => mayRefuse(removal(`${p.path}/${path}`, ["size"]))),
          texts: localTexts(p.source, inlineFiles(source, now)),
        },
  )
  .facts((p, now) => (now.source === absent ? {} : aboveFacts(p.path, now.tree)))
  .facts((p, now) => behindAbove(p.path, now))
  .want((p, facts) => {
    const { source, tree: now } = facts;
    if (source === absent) {
      return refuse({
        code: "no-source",
        message: `the source ${p.source} is not a directory on the controller`,
        hint: "Choose an existing directory; a relative path is resolved against furrow's working directory",
      });
    }
    const nobody = ownerRefusal(p.path, p, facts);
    if (nobody) return nobody;
    const entries = wantedEntries(withOwners(p, facts), source);
    return (
      aboveRefusal(p.path, facts) ??
      mountRefusal(p.path, Object.keys(source.entries), now) ??
      obstacle(p, entries, now) ??
      purgeRefusal(p.path, extras(p, source, now), facts.going) ?? {
        tree: { entries, ...(p.purge && { names: wantedNames(p, source, now) }) },
        large: largeFiles(source, now).map((path) => ({ type: "file", sha256: hashOf(source, path) })),
        going: facts.going.map(() => absent),
      }
    );
  })
  .steps((p, { change, now }) => {
    const { source, tree: found } = now;
    if (source === absent) return [];
    const large = largeFiles(source, found);
    const renewed = new Set(large.filter((_, at) => change.large?.[at] !== undefined));
    return [
      ...extras(p, source, found).map((path, at): Step => {
        const goes = now.going[at];
        const real = goes !== undefined && goes !== absent && { real: goes.real, root: p.path };
        return { step: "remove", path: `${p.path}/${path}`, recursive: true, ...real };
      }),
      ...Object.entries(wantedEntries(withOwners(p, now), source))
        .toSorted(([a, wanted], [b, other]) => byCode(rank(a, wanted, now.texts), rank(b, other, now.texts)))
        .map(([path, wanted]): Step | undefined => {
          const from = found === absent ? undefined : entryIn(found.entries, path);
          if (holds(from, wanted) && !renewed.has(path)) return undefined;
          const at = path === "." ? p.path : `${p.path}/${path}`;
          const same = from?.type === wanted.type && from.sha256 === wanted.sha256 && !renewed.has(path);
          const stamp = large.includes(path) && { stamp: stampPath(at) };
          return same && wanted.type !== "link"
            ? { step: "setAttributes", path: at, ...directoryOf(wanted), ...stamp, ...attributesOf(wanted) }
            : make(at, wanted, entryIn(now.texts, path), {
                path: `${source.path}/${path}`,
                ...contentOf(source, path),
              });
        }),
    ];
  });

/**
 * Returns the params with the user and group names that the host uses; knownAfterApply if a numeric id can be resolved
 * only during a run.
 */
function withOwners(p: TreeParams, now: Parameters<typeof ownersOf>[1]): TreeParams {
  return { ...p, ...(ownersOf(p, now) as Pick<TreeParams, "owner" | "group">) };
}

/**
 * Returns the sort key of an entry. Directories come first, from the top down. They are followed by the files that are
 * sent inside the frame, grouped by directory so that they can be written together. The files that are sent in a
 * separate stream come last, grouped in the same way.
 */
function rank(path: string, { type }: WantedEntry, texts: Readonly<Record<string, string>>): string {
  if (path === ".") return "";
  if (type === "directory") return `0/${path}`;
  const group = type === "file" && entryIn(texts, path) === undefined ? "2" : "1";
  return `${group}/${path.slice(0, Math.max(0, path.lastIndexOf("/")))}/\0${type}${path}`;
}

/** Returns the files that must be sent and are small enough to be sent together. */
function inlineFiles(source: LocalTree, now: typeof absent | Tree): readonly string[] {
  let total = 0;
  return Object.entries(source.entries).flatMap(([path, entry]) => {
    if (entry.type !== "file" || entry.size > inlineBytes || total + entry.size > inlineTotal) return [];
    const there = now === absent ? undefined : entryIn(now.entries, path);
    if (there?.type === "file" && there.sha256 === entry.sha256) return [];
    total += entry.size;
    return [path];
  });
}

/** Accepts a symlink to a directory in place of a wanted directory: the tree's own path may be a symlink. */
function directoryOf({ type }: WantedEntry): { readonly directory?: true } {
  return type === "directory" ? { directory: true } : {};
}

function holds(from: TreeEntry | undefined, wanted: WantedEntry): boolean {
  return from !== undefined && match(from, wanted) === "same";
}

/**
 * Returns the step that puts an entry into its desired state. The content comes from `text` if given, otherwise from
 * the file in the source.
 */
function make(
  path: string,
  wanted: WantedEntry,
  text: string | undefined,
  from: { path: string; sha256: string; bytes: number },
): Step {
  const attributes = attributesOf(wanted);
  if (wanted.type === "link") return { step: "link", path, target: wanted.target ?? "" };
  if (wanted.type === "directory") return { step: "makeDirectory", path, parents: true, ...attributes };
  if (text !== undefined) return { step: "writeFile", path, text, ...attributes };
  return {
    step: "upload",
    from: from.path,
    path,
    sha256: from.sha256,
    bytes: from.bytes,
    stamp: stampPath(path),
    ...attributes,
  };
}

function attributesOf({ mode, owner, group }: WantedEntry): Pick<WantedEntry, "mode" | "owner" | "group"> {
  return {
    ...(mode !== undefined && { mode }),
    ...(owner !== undefined && { owner }),
    ...(group !== undefined && { group }),
  };
}

function hashOf(source: LocalTree, path: string): string {
  return contentOf(source, path).sha256;
}

function contentOf(source: LocalTree, path: string): { sha256: string; bytes: number } {
  const entry = entryIn(source.entries, path);
  return entry?.type === "file" ? { sha256: entry.sha256, bytes: entry.size } : { sha256: "", bytes: 0 };
}
