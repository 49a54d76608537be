import {
  absenceFacts,
  absent,
  entries,
  file,
  type FileState,
  isOutdated,
  isToChange,
  knownAfterApply,
  mayRefuse,
  peek,
  ran,
  run,
  type Seen,
  seenAgain,
  seenOf,
  type Step,
  task,
  unit,
  unitName,
  type UnitState,
  watched,
  watchedFacts,
  type WatchedThing,
  watchedThings,
  z,
} from "../../src/authoring.ts";
import { dropInFolder, ownDefinition, ownUnitFiles } from "../../src/facts/catalogue.ts";
import { hidden, noUnit, obstacleTo } from "./obstacle.ts";
import { faultOfNewUnit } from "./new-unit.ts";
import { reloadNotes, startNotes } from "./notes.ts";
import { note, turn } from "./turn.ts";

const params = z
  .strictObject({
    name: z
      .string({ error: 'the name of a systemd unit, like "nginx" or "libvirtd.socket"' })
      .regex(/^[\w:.\\-]+(@[\w:.\\@-]*)?$/, 'the name of a systemd unit, like "nginx" or "getty@tty1.service"')
      .refine((text) => !/@(\.\w+)?$/.test(text), 'an instance of the template, like "getty@tty1.service"')
      .describe("Name of the unit; without a suffix it is a service"),
    state: z
      .enum(["started", "stopped"], { error: '"started" or "stopped"' })
      .optional()
      .describe("Whether the unit is running; unchanged if not given"),
    enabled: z
      .boolean({ error: "true or false" })
      .optional()
      .describe("Whether the unit starts at boot; unchanged if not given"),
    masked: z
      .boolean({ error: "true or false" })
      .optional()
      .describe("Whether the unit is masked, so that nothing can start it; unchanged if not given"),
    restartOn: watched()
      .default([])
      .describe("Tasks in this playbook: restart the unit if it was started before one of them last changed something"),
    reloadOn: watched()
      .default([])
      .describe(
        "Tasks in this playbook: like restartOn, but reload the unit, for files that it can read again without a restart",
      ),
  })
  .refine((p) => !(p.masked === true && (p.state === "started" || p.enabled === true)), {
    path: ["masked"],
    message: "false, because a masked unit can be neither started nor enabled",
  });

type Params = z.output<typeof params>;

/** Keeps a systemd unit started or stopped, and enabled or masked, and restarts it after changes to what it watches. */
export const service = task({
  name: "service",
  summary: "Keep a systemd unit started, stopped, enabled or masked, and restart it after changes",
  params,
  examples: [
    { name: "nginx", state: "started", enabled: true },
    { name: "apt-daily.timer", state: "stopped", enabled: false },
    { name: "rpcbind", state: "stopped", masked: true },
  ],
  title: (p) => `service ${p.name}`,
  disturbs: (p) =>
    p.state === undefined && p.restartOn.length + p.reloadOn.length === 0
      ? ["unit:*", "file:/etc/systemd/system/**"]
      : ["everything"],
})
  .facts((p) => ({
    unit: unit(p.name),
    files: ownUnitFiles(unitName(p.name)).map((path) => file(path, ["changed"])),
    dropIns: entries(dropInFolder(unitName(p.name))),
    loaded: ran(`daemon-reload for ${unitName(p.name)}`, ownDefinition(unitName(p.name))),
    restartOn: watchedFacts(p.restartOn),
    reloadOn: watchedFacts(p.reloadOn),
  }))
  .facts((p, now) => ({
    restartGone: absenceFacts(p.restartOn, now.restartOn),
    reloadGone: absenceFacts(p.reloadOn, now.reloadOn),
  }))
  .facts((p, now) => {
    // If the text of a new unit alone would be refused, a drop-in that an earlier task writes may or may not fix it.
    const text = peek(now, "dropIns") === knownAfterApply && isServing(p) ? textToCome(now.files[0]) : undefined;
    const isFaulty = text !== undefined && faultOfNewUnit(p, text) !== undefined;
    return isFaulty ? { dropIns: mayRefuse(entries(dropInFolder(unitName(p.name)))) } : {};
  })
  .want((p, now) => {
    const { files } = now;
    // The drop-ins are unknown only in a prediction: an earlier task will have added or changed one.
    const renewed = files.some(isAboutToChange) || peek(now, "dropIns") === knownAfterApply;
    const isNew = peek(now, "unit") === knownAfterApply || now.unit === absent || isUnmasked(now.unit, files[0]);
    const text = isNew && isServing(p) && peek(now, "dropIns") === absent ? textToCome(files[0]) : undefined;
    const fault = text === undefined ? undefined : faultOfNewUnit(p, text);
    if (fault) return fault;
    // A package may also install a unit with this name, but the unit's own file is new, so the unit must be started or
    // loaded again.
    if (peek(now, "unit") === knownAfterApply && renewed && isServing(p)) {
      // `masked` is false, because a masked unit could not run; `outdated` is false, because systemd will load the file
      // that exists by then.
      return { unit: { state: p.state, enabled: p.enabled, masked: false, outdated: false }, loaded: true };
    }
    const found = withoutReplacedMask(now.unit, files[0]);
    if (found === undefined && !files.some(isUnitFile)) {
      if (isServing(p)) return noUnit(p.name);
      return p.masked === true ? { unit: { masked: true } } : {};
    }
    const obstacle = hidden(p, found, files[0]) ?? (found && obstacleTo(p, found, renewed));
    if (obstacle) return obstacle;
    // A transient unit disappears when it is stopped (systemd-run(1)).
    if (p.state === "stopped" && found?.file === "transient" && found.state !== "stopped") return { unit: absent };
    const due = dueTurn(p, found, now);
    const { start, reload } = seenNow(p, now, due === "reload" ? found : undefined);
    const seen = {
      startedWith: due === "start" || due === "restart" ? start : undefined,
      reloadedWith: due === undefined ? undefined : reload,
    };
    if (found === undefined) {
      const bound = { ...(isServing(p) && { state: p.state, enabled: p.enabled || undefined }), ...seen };
      if (!isServing(p) && p.masked !== true) return {};
      return { unit: { ...bound, masked: p.masked || undefined }, loaded: renewed && isServing(p) ? true : undefined };
    }
    // For a stopped and disabled unit, it does not matter what systemd has loaded, or whether it keeps the unit loaded
    // at all.
    const matters = isServing(p) || found.enabled || found.state !== "stopped";
    const outdated = found.outdated && matters ? false : undefined;
    const unit = { state: p.state, enabled: p.enabled, masked: p.masked, outdated, ...seen };
    return { unit, loaded: renewed && matters ? true : undefined };
  })
  .steps((p, { change, now }) => {
    const name = unitName(p.name);
    const found = now.unit === absent ? undefined : now.unit;
    const stale = found === undefined ? now.files.some(isUnitFile) : found.outdated;
    const due = dueTurn(p, found, now);
    const differs = (key: "enabled" | "masked" | "state"): boolean =>
      p[key] !== undefined && p[key] !== (found?.[key] ?? false);
    return [
      // A mask that was created with --runtime is in /run, where `systemctl unmask` without that option does not look.
      p.masked === false && differs("masked") && [systemctl("unmask", name), systemctl("unmask --runtime", name)],
      (stale || change.loaded) && run`systemctl daemon-reload`,
      p.enabled !== undefined && differs("enabled") && systemctl(p.enabled ? "enable" : "disable", name),
      p.state === "stopped" && found && differs("state") && turn("stop", name),
      due && turn(due, name),
      due &&
        isWatching(p) &&
        note(name, due === "reload" ? seenAfterReload(p, found, now) : seenNow(p, now, undefined)),
      p.masked === true && differs("masked") && systemctl("mask", name),
    ];
  });

type Watch = {
  readonly restartOn: readonly unknown[];
  readonly reloadOn: readonly unknown[];
  readonly restartGone: readonly unknown[];
  readonly reloadGone: readonly unknown[];
};

/** True if the unit must run or be enabled, and must therefore exist. */
function isServing(p: Params): boolean {
  return p.state === "started" || p.enabled === true;
}

/** Returns what the unit watches, with the facts as read or predicted. */
function thingsOf(p: Params, now: Watch): Readonly<Record<"start" | "reload", WatchedThing[]>> {
  return {
    start: watchedThings(p.restartOn, now.restartOn, now.restartGone),
    reload: watchedThings(p.reloadOn, now.reloadOn, now.reloadGone),
  };
}

function isWatching(p: Params): boolean {
  return p.restartOn.length + p.reloadOn.length > 0;
}

function systemctl(verb: string, name: string): Step {
  return run`systemctl ${verb.split(" ")} --quiet -- ${name}`;
}

/** Returns what the process will have seen after a start or restart or, if the process is given, after a reload. */
function seenNow(p: Params, now: Watch, found: UnitState | undefined): { readonly start: Seen; readonly reload: Seen } {
  const { start, reload } = thingsOf(p, now);
  return { start: seenOf(start), reload: found ? seenAgain(reload, reloadNotes(found)) : seenOf(reload) };
}

/**
 * Returns what the process will have seen after a reload. A reload is due only if no restart is, so the process has
 * also seen the files for which it would be restarted.
 */
function seenAfterReload(p: Params, found: UnitState | undefined, now: Watch): ReturnType<typeof seenNow> {
  const { start, reload } = seenNow(p, now, found);
  return { start: { ...found?.startedWith, ...start }, reload: { ...found?.reloadedWith, ...reload } };
}

/**
 * Returns the start, restart or reload that the unit needs to run with the current state of what it watches. Nothing is
 * due for a unit that must be stopped.
 */
function dueTurn(p: Params, found: UnitState | undefined, now: Watch): "start" | "restart" | "reload" | undefined {
  if (p.state === "stopped" || (p.state === undefined && !isWatching(p))) return undefined;
  if (found === undefined || found.state === "stopped") return p.state === "started" ? "start" : undefined;
  const things = thingsOf(p, now);
  if (isOutdated(things.start, startNotes(found))) return "restart";
  if (found.state === "between") return p.state === "started" ? "start" : undefined;
  return isOutdated(things.reload, reloadNotes(found)) ? "reload" : undefined;
}

type UnitFile = FileState | typeof absent;

/** A link to /dev/null is a mask; anything else defines a unit. */
function isUnitFile(file: UnitFile): boolean {
  return file !== absent && (file.type === "file" || (file.type === "link" && file.target !== "/dev/null"));
}

/**
 * True if a regular file replaces the link that masked the unit, but systemd has not loaded it yet. A unit with an
 * empty file stays masked.
 */
function isUnmasked(unit: UnitState, own: UnitFile | undefined): boolean {
  if (!unit.masked || own === undefined || own === absent || own.type !== "file") return false;
  return unit.outdated || (isAboutToChange(own) && textToCome(own) !== "");
}

/** Returns the unit as systemd will see it once it has loaded the unit's own file; undefined if there is no unit. */
function withoutReplacedMask(unit: UnitState | typeof absent, own: UnitFile | undefined): UnitState | undefined {
  if (unit === absent) return undefined;
  return isUnmasked(unit, own) ? { ...unit, masked: false } : unit;
}

/**
 * True if a file is about to change, which happens only in a prediction: after a real change, systemd itself reports
 * that it must load the file again.
 */
function isAboutToChange(file: UnitFile & { readonly changed?: number }): boolean {
  return file !== absent && isToChange(file.changed);
}

/** Returns the text that an earlier task will have written to a file; undefined if that is not known. */
function textToCome(file: UnitFile | undefined): string | undefined {
  if (file === undefined || file === absent || !isAboutToChange(file)) return undefined;
  const text: unknown = peek(file as { readonly text?: unknown }, "text");
  return typeof text === "string" ? text : undefined;
}
