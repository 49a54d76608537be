import { type Absent, absent, type FileState, refuse, type Refusal, type UnitState } from "../../src/authoring.ts";
import type { UnitVerdict } from "./verdict.ts";

type Found = FileState | typeof absent;

/** True for the link that masks a unit (systemd.unit(5)). */
export function isMask(found: Found | undefined): boolean {
  return found !== undefined && found !== absent && found.type === "link" && found.target === "/dev/null";
}

/** Refuses to write over a mask, or to write a drop-in that a mask makes useless. */
export function masked(name: string, isDropIn: boolean): Refusal {
  const remedy = isDropIn
    ? `Put service({ name: "${name}", masked: false }) before this task`
    : `Run systemctl unmask ${name} on the host`;
  return refuse({
    code: "unit-masked",
    message: `${name} is masked, so nothing can start it`,
    current: "masked",
    expected: "not masked",
    hint: `${remedy} if it was masked by mistake`,
  });
}

/** Refuses to write over something that is not a regular file. */
export function inTheWay(path: string, found: Found): Refusal | undefined {
  if (found === absent || found.type === "file") return undefined;
  const what =
    found.type === "link" ? `a link to ${found.target}` : found.type === "directory" ? "a directory" : "a special file";
  return refuse({
    code: "not-a-file",
    message: `${path} is ${what}`,
    expected: "a regular file or nothing",
    hint:
      found.type === "link"
        ? "Use the name of the unit that the link points to, or run systemctl disable on the host to remove the link"
        : "Find out what created it, and remove it by hand",
  });
}

/**
 * Refuses to define a unit that a package defines: the file in /etc would hide the package's file and any later version
 * of it.
 */
export function packaged(name: string, path: string): Refusal {
  return refuse({
    code: "packaged-unit",
    message: `a package defines ${name}, and a file in /etc would hide the package's file`,
    current: path,
    expected: "no such unit",
    hint: 'Change some of its settings with dropIn: "10-local", or choose another name',
  });
}

/** Refuses a drop-in for a unit that does not exist. */
export function noUnit(name: string): Refusal {
  return refuse({
    code: "unit-not-found",
    message: `there is no unit named ${name}, so a drop-in for it has no effect`,
    current: "not found",
    expected: "a unit file in one of systemd's directories",
    hint: "Check its spelling, or first install the package that provides it",
    missing: `unit:${name}`,
  });
}

/** Refuses to remove the file of a unit that is still running or starts at boot. */
export function inUse(name: string, unit: UnitState): Refusal | undefined {
  if (unit.state === "stopped" && !unit.enabled) return undefined;
  return refuse({
    code: "unit-in-use",
    message: `${name} is still ${unit.state === "stopped" ? "enabled" : "running"}`,
    current: [unit.active, ...(unit.enabled ? ["enabled"] : [])].join(", "),
    expected: "stopped and disabled",
    hint: `Put service({ name: "${name}", state: "stopped", enabled: false }) before this task`,
  });
}

/** Refuses to remove a template while instances of it are still running or start at boot. */
export function instancesInUse(
  template: string,
  names: readonly string[],
  units: readonly (Absent | UnitState)[],
): Refusal | undefined {
  const used = names.flatMap((name, at) => {
    const one = units[at];
    if (one === undefined || one === absent || (one.state === "stopped" && !one.enabled)) return [];
    return [{ name, is: [one.active, ...(one.enabled ? ["enabled"] : [])].join(", ") }];
  });
  const [first, ...others] = used;
  return first === undefined
    ? undefined
    : refuse({
        code: "unit-in-use",
        message: `${template} has instances that are still running or enabled`,
        current: used.map(({ name, is }) => `${name} (${is})`).join(", "),
        expected: "all instances stopped and disabled",
        hint: `Put service({ name: "${first.name}", state: "stopped", enabled: false }) before this task${others.length === 0 ? "" : ", and one for each other instance"}`,
      });
}

/**
 * Refuses text that systemd would not load, or would partly ignore. A missing program does not count: a later task may
 * install it.
 */
export function notAccepted(path: string, verdict: UnitVerdict | typeof absent | undefined): Refusal | undefined {
  if (verdict === undefined || verdict === absent) return undefined;
  const faults = verdict.said.filter((line) =>
    /\bignor(ing|ed)\b|refusing|fatal error|bad unit file|failed to (load|parse)/i.test(line),
  );
  return faults.length === 0
    ? undefined
    : refuse({
        code: "not-accepted",
        message: `systemd does not accept the new content of ${path}`,
        current: faults.join("; "),
        expected: "systemd-analyze verify to accept it",
        hint: "Correct the settings in sections",
      });
}
