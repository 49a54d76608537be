import { type Refusal, refuse, type UnitState } from "../../src/authoring.ts";

/** The parts of a unit's desired state that an obstacle may prevent. */
interface Asked {
  readonly name: string;
  readonly state?: "started" | "stopped" | undefined;
  readonly enabled?: boolean | undefined;
  readonly masked?: boolean | undefined;
  readonly restartOn: readonly unknown[];
  readonly reloadOn: readonly unknown[];
}

/** Refuses a unit that no file defines. */
export function noUnit(name: string): Refusal {
  return refuse({
    code: "unit-not-found",
    message: `there is no unit named ${name}`,
    current: "not found",
    expected: "a unit file in one of systemd's directories",
    hint: 'Install the package that provides it, or put file({ path: "/etc/systemd/system/…" }) before this task',
  });
}

/**
 * Explains why an existing unit cannot be brought into the desired state; undefined if it can be. `renewed`: the unit's
 * file is about to change, so what systemd has loaded no longer matters.
 */
export function obstacleTo(asked: Asked, unit: UnitState, renewed: boolean): Refusal | undefined {
  if (unit.masked && asked.masked !== false && (asked.state === "started" || asked.enabled === true)) {
    return refuse({
      code: "unit-masked",
      message: `${asked.name} is masked, so it can be neither started nor enabled`,
      current: "masked",
      expected: "not masked",
      hint: "Set masked: false if it was masked by mistake",
    });
  }
  if (renewed || unit.outdated || unit.masked) return undefined;
  const starting = asked.state === "started" && unit.state === "stopped";
  const serving = asked.state === "started" || asked.enabled === true;
  return (
    (starting || (serving && isUnreadable(unit)) ? broken(asked, unit) : undefined) ??
    (starting ? fleeting(asked, unit) : undefined) ??
    guarded(asked, unit) ??
    fixed(asked, unit) ??
    deaf(asked, unit)
  );
}

/**
 * Refuses to mask a unit whose own file is in /etc/systemd/system: a mask is a link at that path, so `systemctl mask`
 * would fail.
 */
export function hidden(asked: Asked, unit: UnitState | undefined, own: unknown): Refusal | undefined {
  const isFile = typeof own === "object" && own !== null && "type" in own && own.type === "file";
  if (asked.masked !== true || unit?.masked === true || !isFile) return undefined;
  return refuse({
    code: "unit-file-in-the-way",
    message: `${asked.name} cannot be masked, because its own unit file is where the mask would go`,
    current: "a file in /etc/systemd/system",
    expected: "a unit whose file is elsewhere, such as in /usr/lib/systemd/system",
    hint: "Stop and disable the unit, or remove its file first",
  });
}

/**
 * Refuses units for which `systemctl enable` does nothing: they have no [Install] section, or the section only names
 * other units.
 */
export function fixed(
  asked: Pick<Asked, "name" | "enabled">,
  unit: Pick<UnitState, "file" | "enabled">,
): Refusal | undefined {
  const settled = ["static", "indirect", "alias", "transient", ""].includes(unit.file);
  if (asked.enabled !== true || unit.enabled || !settled) return undefined;
  return refuse({
    code: "unit-not-installable",
    message: `${asked.name} cannot be enabled, because its file does not say when to start it at boot`,
    current: unit.file === "" ? "no unit file" : unit.file,
    expected: "an [Install] section with WantedBy= or RequiredBy=",
    hint: "Enable the unit that starts it (such as its socket or timer), or remove enabled",
  });
}

function deaf(asked: Asked, unit: UnitState): Refusal | undefined {
  if (asked.reloadOn.length === 0 || unit.reloadable || unit.state !== "started") return undefined;
  return refuse({
    code: "unit-not-reloadable",
    message: `${asked.name} cannot be reloaded, because its file has no ExecReload=`,
    hint: "List these tasks in restartOn instead",
  });
}

/**
 * Refuses a start, stop or restart that systemd performs only if another unit requires it. systemd refuses a restart if
 * it refuses a start or a stop.
 */
export function guarded(
  asked: Pick<Asked, "name" | "state" | "restartOn">,
  unit: Pick<UnitState, "state" | "refusesStart" | "refusesStop">,
): Refusal | undefined {
  const isRestarting = asked.restartOn.length > 0 && asked.state !== "stopped" && unit.state !== "stopped";
  const isStopping = asked.state === "stopped" && unit.state !== "stopped";
  const isStarting = asked.state === "started" && unit.state !== "started";
  if ((isRestarting || isStopping) && unit.refusesStop) return onlyForOthers(asked.name, "stop", isRestarting);
  if ((isRestarting || isStarting) && unit.refusesStart) return onlyForOthers(asked.name, "start", isRestarting);
  return undefined;
}

function onlyForOthers(name: string, verb: "start" | "stop", isRestarting: boolean): Refusal {
  const setting = verb === "start" ? "RefuseManualStart" : "RefuseManualStop";
  const participle = isRestarting ? "restarted" : verb === "start" ? "started" : "stopped";
  const put = `put a drop-in with ${setting}=no before this task, for example with systemdUnit`;
  return refuse({
    code: `unit-refuses-${verb}`,
    message: `${name} cannot be ${participle}, because systemd does that only if another unit requires it`,
    current: `${setting}=yes`,
    expected: `${setting}=no`,
    hint: isRestarting
      ? `List these tasks in reloadOn if the unit can be reloaded; otherwise, ${put}`
      : `Remove state, or ${put}`,
  });
}

/**
 * True if systemd cannot parse the unit's file. Such a unit cannot be restarted, and will not start at the next boot.
 */
function isUnreadable({ load }: UnitState): boolean {
  return load === "error" || load === "bad-setting";
}

function broken(asked: Asked, unit: UnitState): Refusal | undefined {
  if (unit.load === "loaded") return undefined;
  return refuse({
    code: "unit-broken",
    message: `systemd cannot load ${asked.name}`,
    current: unit.load,
    expected: "loaded",
    hint: `See what is wrong with its file: systemctl status ${asked.name}`,
  });
}

/** Refuses to keep a unit started if the unit does its work and then ends. */
export function fleeting(asked: Pick<Asked, "name">, unit: Pick<UnitState, "lasting">): Refusal | undefined {
  if (unit.lasting) return undefined;
  return refuse({
    code: "unit-oneshot",
    message: `${asked.name} is a oneshot unit: it does its work and then is inactive, so it never stays "started"`,
    current: "Type=oneshot without RemainAfterExit=yes",
    hint: "Remove state, or add RemainAfterExit=yes to the unit",
  });
}
