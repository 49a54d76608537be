import type { HostRecap, Mode, Outcome, RunEvent } from "../../core/events.ts";
import { Grouped, namelessAndWhole, withoutName } from "../fold/alike.ts";
import { shortNames, whichHosts } from "../fold/short-names.ts";
import { type Paint, paintOutcome } from "../text/colours.ts";
import { fitted } from "../text/fitted.ts";
import { safeLine } from "../text/value.ts";
import { isHeld } from "../text/error-block.ts";
import { listDependencies } from "../text/undecided-text.ts";
import { type Failed, failureLines } from "./recap-failures.ts";
import { bytes, count, duration, outcomeWord } from "../text/words.ts";
import { cutTo, padded, widthOf } from "../text/width.ts";
import { wrapped } from "../text/wrapped.ts";

/** The inputs of the recap other than the last event. */
export interface RecapContext {
  readonly paint: Paint;
  readonly folder: string;
  readonly verbose: boolean;
  /** Whether hosts with equal results share a line. */
  readonly fold: boolean;
  /** Failures that were neither ignored nor rescued, in the order in which they happened. */
  readonly failures: readonly Failed[];
  /** The titles of the earlier tasks that undecided tasks depend on. */
  readonly dependencies: readonly string[];
  readonly warnings: number;
  /** In check mode, for each host: how many of its ok tasks would wait. */
  readonly waits: ReadonlyMap<string, number>;
  /** The command that completes what this run left unfinished. */
  readonly rerun: string | undefined;
  /** The hosts to which furrow has connected. */
  readonly connected: ReadonlySet<string>;
  /** The hosts on which a step has started. */
  readonly begun: ReadonlySet<string>;
  /** The width of the terminal; undefined for a pipe or a file. */
  readonly columns?: number;
}

type RunFinished = Extract<RunEvent, { type: "runFinished" }>;

const order: readonly Outcome[] = ["changed", "undecided", "ok", "skipped", "failed", "unreachable"];

/** Formats the end of a report: counts per host, the failures again with their hints, and a one-line summary. */
export function recapLines(event: RunFinished, context: RecapContext): string[] {
  const { paint } = context;
  return [
    "",
    paint.strong("recap"),
    ...hostLines(event, context),
    ...failureLines(context.failures, {
      ...context,
      hosts: event.recap.map(({ host }) => host),
      isAlone: event.recap.length === 1,
    }),
    ...rerunLines(event, context),
    "",
    ...confirmedLines(event, context),
    ...revertedLines(event, context),
    ...sumLines(event, context),
  ];
}

/** Says which tasks were confirmed over a new connection. Hosts with the same tasks share a line. */
function confirmedLines({ recap }: RunFinished, { paint, columns }: RecapContext): string[] {
  const hostsOf = new Map<string, string[]>();
  for (const { host, confirmed = [] } of recap) {
    const tasks = safeLine(confirmed.join("; "));
    if (tasks !== "") hostsOf.set(tasks, [...(hostsOf.get(tasks) ?? []), host]);
  }
  return [...hostsOf].flatMap(([tasks, hosts]) => {
    const where = hosts.length > mostNamed ? `${hosts.length} hosts` : hosts.join(", ");
    return fitted(paint.dim(`confirmed over a new connection on ${where}: ${tasks}`), columns, "  ");
  });
}

/** Says which of the tasks that are counted as changed were reverted by their hosts. */
function revertedLines({ recap }: RunFinished, { paint, columns }: RecapContext): string[] {
  return recap.flatMap(({ host, reverted = [], counts }) => {
    if (reverted.length === 0) return [];
    const sum = `${host} reverted ${reverted.length} of its ${count(counts.changed, "changed task")}`;
    return fitted(paint.bad(`${sum}: ${safeLine(reverted.join("; "))}`), columns, "  ");
  });
}

/** Shows the command to run next, unless all hosts are done. */
function rerunLines({ recap }: RunFinished, { paint, rerun }: RecapContext): string[] {
  const isLeft = recap.some(({ end }) => end !== "done");
  return rerun === undefined || !isLeft ? [] : ["", `${paint.strong("next")}  ${safeLine(rerun)}`];
}

/**
 * In a line for hosts with equal results, up to this many hosts are named, in up to this many columns. The other hosts
 * are only counted.
 */
const [mostNamed, nameRoom] = [6, 24];

/** Formats the counts of every host. Hosts with equal counts share a line, at the position of the first of them. */
function hostLines({ recap, mode }: RunFinished, context: RecapContext): string[] {
  const groups: { hosts: string[]; counts: string }[] = [];
  const known = new Grouped<(typeof groups)[number]>();
  for (const one of recap) {
    const counts = hostCounts(one, mode, context);
    // A host's name may also be one of furrow's own words in the counts, such as "ok".
    const keys = context.fold ? namelessAndWhole(counts, one.host) : [one.host];
    let group = known.find(keys);
    if (group === undefined) groups.push((group = { hosts: [], counts }));
    known.add(keys, group);
    group.hosts.push(one.host);
    if (group.counts !== counts) group.counts = withoutName(counts, one.host);
  }
  const rows = groups.map(({ hosts, counts }): readonly [string, string] => {
    const names = hosts.length <= mostNamed ? shortNames(hosts, Number.POSITIVE_INFINITY) : "";
    if (hosts.length === 1 || (names !== "" && widthOf(names) <= nameRoom)) return [names, counts];
    const which = whichHosts(
      hosts,
      recap.flatMap(({ host }) => (hosts.includes(host) ? [] : [host])),
    );
    return [count(hosts.length, "host"), counts + (which === "" ? "" : context.paint.dim(`  (${which})`))];
  });
  const width = Math.max(0, ...rows.map(([label]) => widthOf(label)));
  const indent = " ".repeat(width + 4);
  return rows.flatMap(([label, counts]) => fitted(`  ${padded(label, width)}  ${counts}`, context.columns, indent));
}

function hostCounts(recap: HostRecap, mode: Mode, context: RecapContext): string {
  const { paint, verbose, waits, failures, begun } = context;
  const unreached = unreachedOf(recap, context);
  const waiting = waits.get(recap.host) ?? 0;
  const held = heldHosts(failures).has(recap.host);
  const parts = order.flatMap((outcome) => {
    const less =
      outcome === "ok" ? waiting : outcome === "failed" && held ? 1 : outcome === "unreachable" ? unreached : 0;
    const number = recap.counts[outcome] - less;
    const after = outcome === "failed" ? afterChange(failures, recap.host) : 0;
    const more = after === 0 ? "" : number === 1 ? " after a change" : ` (${after} after a change)`;
    const said = number > 0 ? [paintOutcome(paint, outcome)(`${number} ${outcomeWord(outcome, mode)}${more}`)] : [];
    return outcome === "ok" && waiting > 0 ? [`${waiting} would wait`, ...said] : said;
  });
  if (held) parts.push(paint.bad("held by another run"));
  if (parts.length === 0 && recap.end !== "notStarted") parts.push(withoutTasks(recap, begun.has(recap.host), paint));
  if (recap.tolerated > 0) parts.push(`${recap.tolerated} tolerated`);
  const traffic = `${count(recap.frames, "frame")}, ${bytes(recap.bytesSent)} sent, ${bytes(recap.bytesReceived)} received`;
  const left = (recap.left ?? 0) + unreached;
  if (left > 0) parts.push(paint.unsure(`${left} not reached${fromText(recap, unreached)}`));
  if (recap.end === "notStarted") parts.unshift(paint.unsure("not started"));
  return parts.join(", ") + (verbose ? paint.dim(`  (${traffic})`) : "");
}

/**
 * Returns 1 if a host's counts include a task that the host has not reached: its first task, counted as failed because
 * another run held the host, or as unreachable because furrow never connected to it. Otherwise returns 0.
 */
function unreachedOf({ host, counts }: HostRecap, { failures, connected }: RecapContext): 0 | 1 {
  const sum = order.reduce((all, outcome) => all + counts[outcome], 0);
  if (sum !== 1) return 0;
  const isHeldHost = counts.failed === 1 && heldHosts(failures).has(host);
  return isHeldHost || (counts.unreachable === 1 && !connected.has(host)) ? 1 : 0;
}

/** The longest task title in a host's line, in terminal columns. */
const longestTitle = 40;

/** Says where a host stopped: at the first task that it did not reach. */
function fromText({ next, counts }: HostRecap, unreached: number): string {
  const isNew = unreached > 0 || order.every((outcome) => counts[outcome] === 0);
  if (next === undefined || isNew) return "";
  return ` (from ${cutTo(safeLine(next), longestTitle)})`;
}

/** Formats the result of a host that did not finish any task. */
function withoutTasks({ end, left }: HostRecap, hasBegun: boolean, paint: Paint): string {
  if (end === "failed") return paint.bad("failed before its first task");
  if (left !== undefined && end === "stopped")
    return paint.unsure(`stopped ${hasBegun ? "during" : "before"} its first task`);
  return end === "unreachable" ? paint.bad("unreachable") : "nothing to do";
}

/** Formats the totals of all hosts on one line, or on two lines if a single line would be too long for the terminal. */
function sumLines({ recap, mode, durationMs, interrupted }: RunFinished, context: RecapContext): readonly string[] {
  const { paint, dependencies, warnings, waits, columns } = context;
  const waiting = [...waits.values()].reduce((sum, number) => sum + number, 0);
  const total = (outcome: Outcome): number => recap.reduce((sum, host) => sum + host.counts[outcome], 0);
  const tolerated = recap.reduce((sum, host) => sum + host.tolerated, 0);
  const held = heldHosts(context.failures);
  const after = afterChange(context.failures);
  const failed = total("failed") - recap.filter(({ host, counts }) => held.has(host) && counts.failed > 0).length;
  const lost = recap.filter(({ counts, end }) => counts.unreachable > 0 || end === "unreachable").length;
  const alone = recap.filter(
    ({ host, counts, end, tolerated: good }) =>
      end === "failed" && !held.has(host) && counts.failed + counts.unreachable <= good,
  ).length;
  const left = recap.reduce((sum, host) => sum + (host.left ?? 0) + unreachedOf(host, context), 0);
  const parts = [
    (total("changed") > 0 ? paint.changed : paint.good)(`${total("changed")} ${outcomeWord("changed", mode)}`),
    total("undecided") > 0 && paint.unsure(`${total("undecided")} undecided${listDependencies(dependencies)}`),
    waiting > 0 && `${waiting} would wait`,
    `${total("ok") - waiting} ok`,
    failed > 0 &&
      paint.bad(
        `${failed} failed${inBrackets([
          [tolerated, "tolerated"],
          [after, "after a change"],
        ])}`,
      ),
    alone > 0 && paint.bad(failed > 0 ? `${count(alone, "more host")} failed` : `${alone} failed`),
    held.size > 0 && paint.bad(`${count(held.size, "host")} held`),
    lost > 0 && paint.bad(`${lost} unreachable`),
    left > 0 && paint.unsure(`${left} not reached`),
    warnings > 0 && paint.unsure(count(warnings, "warning")),
  ];
  const said = parts.filter((part) => part !== false).join(", ");
  const verb = interrupted ? paint.bad("interrupted: ") : "";
  const [sums, place] = [`${verb}${said}`, `on ${count(recap.length, "host")} in ${duration(durationMs)}`];
  const fits = columns === undefined || widthOf(`${sums} ${place}`) <= columns;
  return fits ? [`${sums} ${place}`] : [...wrapped(sums, columns, "  "), `  ${place}`];
}

/** Counts the failures of tasks that had already changed something, on one host or on all hosts. */
function afterChange(failures: readonly Failed[], host?: string): number {
  return failures.filter((one) => (host ?? one.host) === one.host && one.error.failure.hasChanged === true).length;
}

/** The numbers that are not zero, each with what it counts: ` (1 tolerated, 2 after a change)`. */
function inBrackets(numbers: readonly (readonly [number, string])[]): string {
  const said = numbers.flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`]));
  return said.length === 0 ? "" : ` (${said.join(", ")})`;
}

/** The hosts that another run held. */
function heldHosts(failures: readonly Failed[]): ReadonlySet<string> {
  return new Set(failures.flatMap(({ host, error }) => (isHeld(error) ? [host] : [])));
}
