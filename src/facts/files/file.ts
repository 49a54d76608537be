import { parentOf } from "../../core/facts/parent.ts";
import { dateOverBoot, pathOverBoot } from "../../core/facts/boot.ts";
import { type BeforeBoot, ask, defineKind, type PredictionContext } from "../../core/facts/kind.ts";
import { decodeBytes, encodeText } from "../../core/host/bytes.ts";
import { match } from "../../core/facts/compare.ts";
import { FurrowError } from "../../core/errors.ts";
import { exactly, factId, type HostFact } from "../../core/facts/fact.ts";
import { reveal, seal } from "../../core/secrets/secret.ts";
import { type Absent, absent, isRecord, type KnownAfterApply, knownAfterApply } from "../../core/facts/symbols.ts";
import { changedLater } from "../../core/facts/watched.ts";
import { printFile } from "./file-lines.ts";
import { contentMatch, contentOf, hardLinkValue, sha256 } from "./file-content.ts";
import type { AnyFile, FileState } from "./file-state.ts";
import { fileFunctions, fileScript } from "./file-script.ts";
import { hiddenText } from "./hidden-text.ts";
import { entries } from "./entries.ts";
import { impliedOfIndex, packageFactsNear, packageFactsOf } from "../packages/package-places.ts";
import { isLaterSysctl } from "../system/kernel.ts";
import { sshFactsOf } from "../accounts/sshd-config.ts";
import { treesContaining } from "./trees-containing.ts";
import { unpackedFactsOf } from "./unpacked.ts";
import { atPath } from "./path-resolution.ts";
import { isDropIn, unitsOfFile } from "../systemd/unit-files.ts";

/** The data that each facet of a file adds to its value. */
export interface FileFacets {
  /** The content, decoded by decodeBytes. */
  readonly text: { readonly text?: string };
  /** The content of a secret file, as text that no sink prints; for a task that changes part of it. */
  readonly hidden: { readonly text?: string };
  /** Hex SHA-256 of the content. A want may give the text itself, whose hash is then compared. */
  readonly sha256: { readonly sha256?: string; readonly text?: string };
  /**
   * Like `sha256`, but taken from the stamp that furrow left for a large file, if that stamp is valid; for files that
   * may be several gigabytes in size.
   */
  readonly stamped: { readonly sha256?: string; readonly text?: string };
  /** Size in bytes. */
  readonly size: { readonly size?: number };
  /**
   * The time at which the inode last changed (ctime), in microseconds since the epoch; {@link changedLater} in a
   * prediction.
   */
  readonly changed: { readonly changed?: number };
}

/** A file's value with the requested facets. The content facets are missing unless the path is a regular file. */
export type FileValue<F extends keyof FileFacets = never> =
  | Absent
  | (FileState & ([F] extends [never] ? unknown : Intersect<FileFacets[F]>));

type Intersect<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never;

/**
 * Asks what is at an absolute path. With the `text` or `sha256` facet, a want may set the text. With `sha256`, only the
 * hash is read, and the text is not transferred. If the path ends with a slash, asks what a link there leads to. Ask
 * this only about a path that is known to be a link, because the question is stored under the name of the target.
 */
export function file<F extends keyof FileFacets = never>(
  path: string,
  facets: readonly F[] = [],
  options: { readonly secret?: boolean } = {},
): HostFact<FileValue<F>> {
  return ask(fileKind, path, facets, options.secret) as HostFact<FileValue<F>>;
}

/** Types of paths that cannot have other paths below them. A type that is known only after apply is not included. */
const noDirectory: ReadonlySet<unknown> = new Set(["file", "link", "other"]);

/**
 * Files, directories and links, read with one `stat` for all of them and one `sha256sum` for those whose content is
 * needed.
 */
export const fileKind = defineKind<Absent | AnyFile>({
  name: "file",
  summary: "What is at a path: type, mode, owner, and on request its content",
  facets: {
    text: "the content",
    hidden: "the content of a secret file, as text that no sink prints",
    sha256: "the content's SHA-256",
    stamped: "the content's SHA-256; for a large file, as in furrow's stamp while the stamp is valid",
    size: "bytes",
    changed: "the time at which the inode last changed (ctime), in microseconds since the epoch",
  },
  shown: ["text"],
  volatile: ["hidden"],
  revealing: ["hidden"],
  unwatched: ["changed", "hidden", "inode"],
  read: fileScript,
  functions: fileFunctions,
  distrust: (question) =>
    question.facets.includes("stamped") ? { ...question, facets: [...question.facets, "sha256"].toSorted() } : question,
  parse(lines, question) {
    const { type } = lines;
    if (type === "absent") return absent;
    if (type === undefined || lines["mode"] === undefined) {
      throw new FurrowError("E_FACT", { what: `${question.key} could not be read: the host returned no data` });
    }
    return {
      type: type as FileState["type"],
      mode: lines["mode"].padStart(4, "0"),
      owner: lines["owner"] ?? "",
      group: lines["group"] ?? "",
      ...(lines["target"] !== undefined && { target: fromBase64(lines["target"]) }),
      ...(lines["sha256"] !== undefined && { sha256: lines["sha256"] }),
      ...(lines["seal"] !== undefined && { seal: `sealed:${lines["seal"]}` }),
      ...(lines["inode"] !== undefined && { inode: lines["inode"] }),
      ...(lines["size"] !== undefined && { size: Number(lines["size"]) }),
      ...(lines["changed"] !== undefined && { changed: Number(lines["changed"]) }),
      ...(lines["text"] !== undefined && { text: fromBase64(lines["text"]) }),
      ...(lines["hidden"] !== undefined && { text: hiddenText(question.key, fromBase64(lines["hidden"])) }),
    };
  },
  print: printFile,
  bind(wanted, question) {
    if (!isRecord(wanted) || typeof wanted["text"] !== "string") return wanted;
    const { text, ...rest } = wanted;
    const content = encodeText(reveal(text));
    if (question.secret === true) return { ...rest, seal: seal(content) };
    if (question.facets.includes("text") || !isHashed(question)) return wanted;
    return { ...rest, sha256: sha256(content) };
  },
  predict,
  afterBoot,
  touches(key, from, to) {
    const content = contentMatch(from, to);
    const here = exactly(key);
    const same = content === "same";
    const emptied = from !== absent && from.type !== "file" && (to === absent || to.type !== from.type);
    return [
      ...(emptied ? below.map((kind) => `${kind}:${here}/**`) : []),
      ...((from === absent) === (to === absent) && from !== absent && to !== absent && from.type === to.type
        ? []
        : [`removal:${here}`, `removal:${parentOf(here)}`]),
      ...((from === absent) === (to === absent) && !emptied ? [] : unpackedFactsOf(key)),
      ...(same || !isLaterSysctl(key) ? [] : ["laterSysctl:**"]),
      ...(same ? [] : [`digest:${here}`, ...packageFactsOf(key, emptied || to === absent), ...sshFactsOf(key)]),
      ...(content === "unknown" ? impliedOfIndex(key, true).map(({ of }) => of) : []),
      // The tree of a new directory itself is left out, because the directory is still empty.
      ...treesContaining(here).slice(from === absent && to !== absent && to.type === "directory" ? 1 : 0),
      ...((from === absent) === (to === absent) && (same || !isDropIn(key))
        ? []
        : [exactly(factId(entries(parentOf(key))))]),
    ];
  },
  implies: (key, from, to) => (contentMatch(from, to) === "differs" ? impliedOfIndex(key, to !== absent) : []),
  parent: (key) => (key === "/" ? undefined : { kind: "file", key: parentOf(key), facets: [] }),
  anything: { type: "directory", mode: knownAfterApply, owner: knownAfterApply, group: knownAfterApply } as never,
  renamed: atPath,
  linkTarget: (value) => {
    if (value === (knownAfterApply as unknown)) return knownAfterApply;
    return value !== absent && value.type === "link" ? value.target : undefined;
  },
  mayTouch(key, to) {
    const here = exactly(key);
    return to === absent ? [`file:${here}/**`, `tree:${here}`, `tree:${here}/**`] : [];
  },
  // A path that is removed or is no longer a directory loses all links below it.
  linksBelow: (value) => (value === absent || noDirectory.has(value.type) ? {} : undefined),
  inode: (value) => (value === absent ? undefined : value.inode),
  hardLinkValue,
  absence: (key) => entries(parentOf(key)),
  // A mount's value includes whether the directory at its mount point is empty.
  renews: (key) => [...unitsOfFile(key), `mount:${exactly(parentOf(key))}`],
  mayShowIn: packageFactsNear,
  shownIn: (key) => [
    `removal:${key}`,
    `removal:${parentOf(key)}`,
    `digest:${key}`,
    ...treesContaining(key),
    factId(entries(parentOf(key))),
    `mount:${parentOf(key)}`,
  ],
});

/** Kinds whose keys are paths: the facts below a directory become absent when the directory is removed. */
const below = ["file", "tree", "digest", "entries", "removal", "diskImage"] as const;

function predict(
  before: Absent | AnyFile | KnownAfterApply,
  wanted: unknown,
  context: PredictionContext,
): Absent | AnyFile {
  if (!isRecord(wanted)) return wanted as Absent;
  const unknown = knownAfterApply as KnownAfterApply & string;
  const want = wanted as Partial<AnyFile>;
  const gone = before === absent || (isRecord(before) && want.type !== undefined && want.type !== before.type);
  const old: Partial<AnyFile> = isRecord(before) && !gone ? (before as AnyFile) : {};
  const type = want.type ?? old.type ?? unknown;
  const fresh = {
    mode:
      type === "link" ? "0777" : type === "directory" ? (givesGroupOn(context.parentValue) ? "2755" : "0755") : "0644",
    owner: context.user,
  };
  const after = {
    type,
    mode: want.mode ?? old.mode ?? (gone ? fresh.mode : unknown),
    owner: want.owner ?? old.owner ?? (gone ? fresh.owner : unknown),
    // Most users have a group with their own name, but a directory may pass on its own group to new entries.
    group: want.group ?? old.group ?? (gone && context.guess === true ? context.user : unknown),
    changed: changedAt(before, wanted),
    ...(type === "link" && { target: want.target ?? old.target ?? unknown }),
    ...(type === "file" && contentOf(want, old)),
  };
  // New content goes into a new file, which has one name; a new mode or owner applies to all names.
  const keepsNames = old.inode !== undefined && contentMatch(old as AnyFile, after) === "same";
  return keepsNames ? { ...after, inode: old.inode } : after;
}

/**
 * True for a directory with the set-group-ID bit: new entries inherit its group, and new directories also inherit the
 * bit (inode(7)).
 */
function givesGroupOn(directory: unknown): boolean {
  const mode = isRecord(directory) ? directory["mode"] : undefined;
  return typeof mode === "string" && (Number.parseInt(mode, 8) & 0o2000) !== 0;
}

/** Predicts a file after a reboot. Below /tmp, the state is certain only on a tmpfs, which is empty after a reboot. */
function afterBoot(key: string, value: Absent | AnyFile, before: BeforeBoot): Absent | AnyFile | KnownAfterApply {
  if (value === absent) return absent;
  const tmp = key.startsWith("/tmp/") ? before("mount:/tmp") : undefined;
  if (isRecord(tmp) && tmp["fileSystem"] === "tmpfs") return absent;
  const left = pathOverBoot(key, value.type === "file");
  if (left !== "stays") return left === "gone" ? absent : knownAfterApply;
  return value.changed === undefined ? value : { ...value, changed: dateOverBoot(value.changed) as number };
}

function isHashed({ facets }: { readonly facets: readonly string[] }): boolean {
  return facets.includes("sha256") || facets.includes("stamped");
}

function changedAt(before: Absent | AnyFile | KnownAfterApply, wanted: unknown): number {
  if (before === knownAfterApply) return knownAfterApply as never;
  const same = before !== absent && match(before, wanted) === "same";
  return same ? (before.changed ?? (knownAfterApply as never)) : changedLater;
}

function fromBase64(text: string): string {
  return decodeBytes(Buffer.from(text, "base64"));
}
