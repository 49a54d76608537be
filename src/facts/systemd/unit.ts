import { decodeBytes, encodeText } from "../../core/host/bytes.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type Lines, printPart, type PrintedLines } from "../../core/facts/kind.ts";
import type { Seen } from "../../core/facts/pending-restart.ts";
import { type Absent, absent, isRecord, type KnownAfterApply, knownAfterApply } from "../../core/facts/symbols.ts";
import { changedLater } from "../../core/facts/watched.ts";
import type { UnitState } from "./unit-state.ts";
import { unitAfterBoot } from "./unit-after-boot.ts";
import { unitFunctions, unitScript } from "./unit-script.ts";

/** The full name of a unit; a name without a suffix means a service. */
export function unitName(name: string): string {
  return /\.(service|socket|timer|mount|automount|path|target|slice|swap|device|scope)$/.test(name)
    ? name
    : `${name}.service`;
}

/**
 * The folder with notes about the facts that each unit was started and reloaded with; the notes last until the next
 * boot.
 */
export const unitNotes = "/run/furrow/units";

/** Asks about a systemd unit; a name without a suffix means a service. */
export function unit(name: string): HostFact<Absent | UnitState> {
  return ask(unitKind, unitName(name));
}

/** Units, all read with a single `systemctl show`. */
export const unitKind = defineKind<Absent | UnitState>({
  name: "unit",
  summary:
    "A systemd unit: loaded, active, enabled, masked, and which versions of the watched files its process has loaded",
  facets: {},
  volatile: ["noted", "since", "sub"],
  unwatched: ["noted", "outdated", "refusesStart", "refusesStop", "since", "sub"],
  read: unitScript,
  functions: unitFunctions(unitNotes),
  failed(key, found) {
    if (!("said" in found) || !found.said.includes("not been booted with systemd")) return undefined;
    return {
      what: `${key} cannot be read, because the host does not run systemd`,
      current: found.said,
      hint: "Leave the task out for this host, or boot the host with systemd; containers often run without it",
    };
  },
  parse(lines) {
    if (lines["load"] === "absent") return absent;
    const { load = "", active = "", sub = "", file = "", type = "", invocation = "" } = lines;
    return {
      load,
      active,
      sub,
      file,
      type,
      invocation,
      state: (lines["state"] ?? "between") as UnitState["state"],
      enabled: lines["enabled"] === "yes",
      masked: lines["masked"] === "yes",
      outdated: lines["outdated"] === "yes",
      reloadable: lines["reloadable"] === "yes",
      refusesStart: lines["refusesStart"] === "yes",
      refusesStop: lines["refusesStop"] === "yes",
      lasting: lines["lasting"] !== "no",
      since: Number(lines["since"] ?? 0),
      startedWith: notes(lines, "start"),
      reloadedWith: notes(lines, "reload"),
      noted: Number(lines["noted"] ?? 0),
      startedBefore: notes(lines, "before"),
    };
  },
  print(value): PrintedLines {
    if (value === absent) return { load: "absent" };
    const yes = (flag: boolean): string => (flag ? "yes" : "no");
    return {
      active: printPart(value, "active"),
      ...printNotes(value.startedBefore, "before"),
      enabled: printPart(value, "enabled", yes),
      file: printPart(value, "file"),
      invocation: printPart(value, "invocation"),
      lasting: printPart(value, "lasting", yes),
      load: printPart(value, "load"),
      masked: printPart(value, "masked", yes),
      ...(value.noted !== 0 && { noted: printPart(value, "noted") }),
      outdated: printPart(value, "outdated", yes),
      ...printNotes(value.reloadedWith, "reload"),
      ...(value.refusesStart && { refusesStart: printPart(value, "refusesStart", yes) }),
      ...(value.refusesStop && { refusesStop: printPart(value, "refusesStop", yes) }),
      reloadable: printPart(value, "reloadable", yes),
      since: printPart(value, "since"),
      ...printNotes(value.startedWith, "start"),
      state: printPart(value, "state"),
      sub: printPart(value, "sub"),
      type: printPart(value, "type"),
    };
  },
  predict,
  // The unit's processes start or stop, so the facts about what uses a user or a mount must be read again.
  touches: (_key, from, to) =>
    from !== absent && to !== absent && from.state === to.state ? [] : ["userUse:**", "mountUse:**"],
  // Starting or stopping an instance of a template loads or unloads the instance; enabling it may also load it.
  renews: (key) => (key.includes("@") || key.includes("-") ? ["unitInstances:**"] : []),
  afterBoot: unitAfterBoot,
});

function notes(lines: Lines, mark: string): Seen {
  return Object.fromEntries(
    Object.entries(lines)
      .filter(([name]) => name.startsWith(`${mark}:`))
      .map(([name, digests]) => [fromId64(name.slice(mark.length + 1)), JSON.parse(digests) as Seen[string]]),
  );
}

/** The facts as lines of a notes file, one line per fact, marked with `start`, `reload` or `before`. */
export function printNotes(seen: Seen, mark: string): Lines {
  const lines = Object.entries(seen).map(([id, parts]): [string, string] => [
    `${mark}:${Buffer.from(encodeText(id)).toString("base64url")}`,
    JSON.stringify(Object.fromEntries(Object.entries(parts).toSorted(([a], [b]) => (a < b ? -1 : 1)))),
  ]);
  return Object.fromEntries(lines.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function fromId64(text: string): string {
  return decodeBytes(Buffer.from(text, "base64url"));
}

function predict(before: Absent | UnitState | KnownAfterApply, wanted: unknown): Absent | UnitState {
  if (!isRecord(wanted)) return wanted as Absent;
  const unknown = knownAfterApply as never;
  const want = wanted as Partial<UnitState>;
  const old: Partial<UnitState> = isRecord(before) ? (before as UnitState) : {};
  const state = want.state ?? old.state ?? (before === absent ? "stopped" : unknown);
  const restarted = want.startedWith !== undefined || (state === "started" && old.state === "stopped");
  const moved = restarted || (want.state !== undefined && want.state !== old.state);
  const kept = <T>(value: T | undefined, fresh: T = unknown): T => (moved ? fresh : (value ?? unknown));
  return {
    load: want.masked === undefined ? (old.load ?? unknown) : want.masked ? "masked" : unknown,
    active: kept(old.active),
    sub: kept(old.sub),
    file: want.enabled === undefined && want.masked === undefined ? (old.file ?? unknown) : unknown,
    type: old.type ?? unknown,
    state,
    enabled: want.masked === true ? false : (want.enabled ?? old.enabled ?? (before === absent ? false : unknown)),
    masked: want.masked ?? old.masked ?? (before === absent ? false : unknown),
    outdated: want.outdated ?? old.outdated ?? (before === absent ? false : unknown),
    reloadable: old.reloadable ?? unknown,
    refusesStart: old.refusesStart ?? unknown,
    refusesStop: old.refusesStop ?? unknown,
    lasting: old.lasting ?? unknown,
    invocation: kept(old.invocation),
    since: kept(old.since, changedLater),
    startedWith: want.startedWith ?? kept(old.startedWith, {}),
    reloadedWith: want.reloadedWith ?? kept(old.reloadedWith, {}),
    noted: want.startedWith !== undefined || want.reloadedWith !== undefined ? changedLater : kept(old.noted, 0),
    startedBefore: kept(old.startedBefore, old.startedWith ?? unknown),
  };
}
