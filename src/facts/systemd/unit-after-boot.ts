import { type Absent, absent, type KnownAfterApply, knownAfterApply } from "../../core/facts/symbols.ts";
import { changedLater } from "../../core/facts/watched.ts";
import type { UnitState } from "./unit-state.ts";

/** States of unit files that may or may not be recreated after a reboot (systemctl(1), is-enabled). */
const runtime = /-runtime$|^transient$|^generated$/;

/**
 * Predicts a unit's state after a reboot. Enabled units have been started with their current files; disabled units have
 * not been started. The state is unknown for units that another unit, a socket or a timer starts, and for enabled units
 * that were not running before the boot.
 */
export function unitAfterBoot(_key: string, value: Absent | UnitState): Absent | UnitState | KnownAfterApply {
  if (value === absent) return absent;
  // Parts of a prediction may be unknown.
  const { enabled, masked, state, lasting, file } = value as { readonly [K in keyof UnitState]: unknown };
  if (typeof file === "string" && runtime.test(file)) return knownAfterApply;
  const unknown = knownAfterApply as never;
  const fresh = { outdated: false, startedWith: {}, reloadedWith: {}, noted: 0, startedBefore: {} };
  const open = { active: unknown, sub: unknown, invocation: unknown };
  const stopped = {
    ...value,
    ...fresh,
    active: "inactive",
    sub: "dead",
    invocation: "",
    since: 0,
    state: "stopped",
  } as const;
  if (masked === true) return stopped;
  if (enabled === false && (file === "disabled" || file === knownAfterApply)) return stopped;
  if (enabled === true && state === "started" && lasting !== false) {
    return { ...value, ...fresh, ...open, since: changedLater };
  }
  return { ...value, ...fresh, ...open, state: unknown, since: unknown };
}
