import { type Absent, absent, type KnownAfterApply, knownAfterApply } from "../../core/symbols.ts";
import { changedLater } from "../../core/watched.ts";
import type { UnitState } from "./unit-state.ts";

/** Whatever made a runtime unit may make it again after a boot, or not (systemctl(1), is-enabled). */
const runtime = /-runtime$|^transient$|^generated$/;

/**
 * A unit after a boot: enabled ones have been started, with their files as they then are; disabled ones have not. What another
 * unit, a socket or a timer starts, and what did not run before though it is enabled, nobody can tell.
 */
export function unitAfterBoot(_key: string, value: Absent | UnitState): Absent | UnitState | KnownAfterApply {
  if (value === absent) return absent;
  // Parts of a prediction may not be knowable.
  const { enabled, masked, state, lasting, file } = value as { readonly [K in keyof UnitState]: unknown };
  if (typeof file === "string" && runtime.test(file)) return knownAfterApply;
  const unknown = knownAfterApply as never;
  const fresh = { outdated: false, startedWith: {}, reloadedWith: {}, startedBefore: {} };
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
