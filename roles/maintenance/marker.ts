import { z } from "../../src/authoring.ts";
import { maintenanceMarker } from "../cluster/places.ts";

const entrySchema = z.strictObject({
  by: z.string(),
  node: z.string().optional(),
  who: z.string(),
  since: z.string(),
  why: z.string(),
});

/** One reason why the host is under maintenance. */
export interface Reason {
  /**
   * The playbook that set it, such as `harvester-shutdown`; empty if it was set by hand, or by a version before 0.2.
   */
  readonly by: string;
  /** The node that it concerns; undefined for the whole cluster. */
  readonly node?: string | undefined;
  /** Who ran the playbook: `me@laptop`; empty if unknown. */
  readonly who: string;
  /** When the reason was set, as an ISO 8601 time; empty if unknown. */
  readonly since: string;
  readonly why: string;
}

/** The name of a reason: each is set and cleared without touching the others. */
export type Key = Pick<Reason, "node">;

/** The line that stands for an empty marker, as created by `touch`. */
const touched = "set by hand";

/**
 * Returns the reasons in the marker's text, one for each line. A line that no playbook wrote is a reason too, as is a
 * marker without lines: the watchdog looks only at whether the file exists.
 */
export function reasonsIn(text: string): Reason[] {
  return linesIn(text).map(reasonOf);
}

/** Returns the marker's text with a reason added. A reason that the marker already has keeps its time. */
export function withReason(text: string | undefined, reason: Reason): string {
  const lines = text === undefined ? [] : linesIn(text);
  const same = lines.filter((line) => isOf(line, reason));
  const [only] = same;
  if (text !== undefined && same.length === 1 && only !== undefined && reasonOf(only).by === reason.by) return text;
  const { by, node, who, since, why } = reason;
  const line = JSON.stringify({ by, ...(node !== undefined && { node }), who, since, why });
  return textOf([...lines.filter((one) => !same.includes(one)), line]);
}

/** Returns the marker's text with the given reason removed; undefined if no other reason is left. */
export function withoutReason(text: string, key: Key): string | undefined {
  const lines = linesIn(text);
  const left = lines.filter((line) => !isOf(line, key));
  if (left.length === lines.length) return text;
  return left.length === 0 ? undefined : textOf(left);
}

/** True if a playbook set this reason; a playbook must then clear it. */
export function isOfPlaybook({ by }: Reason): boolean {
  return by !== "";
}

/** The maximum number of characters shown of each part of a reason: anyone may write anything into the marker. */
const shownLength = 200;

/** Returns a reason with each part in a form that can be printed: short, and on one line. */
export function shown(reason: Reason): Reason {
  const { by, who, since, why, node } = reason;
  return {
    by: short(by),
    who: short(who),
    since: short(since),
    why: short(why),
    ...(node !== undefined && { node: short(node) }),
  };
}

function short(text: string): string {
  const start = text.slice(0, shownLength);
  const escaped = start.replaceAll(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (sign) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
  return text.length > shownLength ? `${escaped}… (${text.length} characters)` : escaped;
}

/** The number of reasons that are shown. */
const shownReasons = 10;

/** Describes reasons, each in one sentence; if there are many, describes the first ones and counts the others. */
export function sentences(reasons: readonly Reason[], before = ""): string[] {
  const more = reasons.length - shownReasons;
  return [
    ...reasons.slice(0, shownReasons).map((one) => `${before}${sentence(one)}`),
    ...(more > 0 ? [`${more} more reasons are in ${maintenanceMarker}`] : []),
  ];
}

/** Describes a reason in one sentence, with the command that clears it. */
export function sentence(reason: Reason): string {
  const { by, who, since, why } = shown(reason);
  const setter = [who, by === "" ? "" : who === "" ? by : `(${by})`].filter(Boolean).join(" ");
  const when = since === "" ? "" : ` since ${since}`;
  const whom = setter === "" ? "" : ` by ${setter}`;
  return `maintenance${when}${whom}, because ${why}; the watchdog does nothing until it is cleared: ${clearing(reason)}`;
}

/** The command that clears a reason. */
export function clearing(reason: Reason): string {
  const { by, node, why } = shown(reason);
  const number = /-(\d+)$/.exec(node ?? "")?.[1];
  const run = (playbook: string, more = ""): string => `npx furrow run playbooks/${playbook}.ts${more}`;
  if (by === "") return why === touched ? `rm ${maintenanceMarker}` : `remove its line from ${maintenanceMarker}`;
  if (node === undefined) return run("harvester-restart");
  return run(by, number === undefined ? "" : ` --var node=${number}`);
}

function linesIn(text: string): string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length === 0 ? [touched] : lines;
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

function isOf(line: string, { node }: Key): boolean {
  const reason = reasonOf(line);
  return isOfPlaybook(reason) && reason.node === node;
}

/**
 * Returns the node that is named in a line written by version 0.1. A line may be very long, so no regular expression
 * may backtrack over it.
 */
function removedNode(line: string): string | undefined {
  const end = " is being taken away";
  const node = line.endsWith(end) ? line.slice(0, -end.length) : "";
  return node === "" || /\s/.test(node) ? undefined : node;
}

function reasonOf(line: string): Reason {
  const unknown = { who: "", since: "" };
  // The texts of version 0.1.
  if (line === "the cluster is switched off") return { ...unknown, by: "harvester-shutdown", why: line };
  const node = removedNode(line);
  if (node !== undefined) return { ...unknown, by: "harvester-remove-node", node, why: line };
  const found = entrySchema.safeParse(parsed(line));
  return found.success ? found.data : { ...unknown, by: "", why: line.trim() };
}

function parsed(line: string): unknown {
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
