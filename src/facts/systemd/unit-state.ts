import type { Seen } from "../../core/facts/pending-restart.ts";

/** A systemd unit as `systemctl show` prints it (properties of org.freedesktop.systemd1(5)). */
export interface UnitState {
  /** LoadState: `loaded`, `masked`, `not-found`, `bad-setting`, `error`. */
  readonly load: string;
  /** ActiveState: `active`, `inactive`, `failed`, `activating` … */
  readonly active: string;
  /** SubState: `running`, `exited`, `dead`, `auto-restart` … */
  readonly sub: string;
  /** UnitFileState: `enabled`, `disabled`, `static`, `masked` …; empty without a unit file. */
  readonly file: string;
  /** The type of a service: `simple`, `notify`, `oneshot` …; empty for other units. */
  readonly type: string;
  /** `started`: running; `stopped`: inactive or failed; `between`: changing state, or waiting for the next start. */
  readonly state: "started" | "stopped" | "between";
  readonly enabled: boolean;
  readonly masked: boolean;
  /** NeedDaemonReload: the unit's files on disk are newer than the definition that systemd has loaded. */
  readonly outdated: boolean;
  /** CanReload: the unit can be reloaded. */
  readonly reloadable: boolean;
  /** RefuseManualStart: systemd starts and restarts the unit only if another unit needs it, never on request. */
  readonly refusesStart: boolean;
  /** RefuseManualStop: systemd stops and restarts the unit only together with another unit, never on request. */
  readonly refusesStop: boolean;
  /** False for a oneshot service without RemainAfterExit, which never stays active. */
  readonly lasting: boolean;
  /** InvocationID, which changes at every start. */
  readonly invocation: string;
  /** The time at which the unit last left the inactive state, in microseconds since the epoch; 0 if unknown. */
  readonly since: number;
  /** The watched facts, as recorded when the current invocation began. */
  readonly startedWith: Seen;
  /** The watched facts, as recorded at the last reload of the current invocation. */
  readonly reloadedWith: Seen;
  /** The time of the record about the current invocation, in microseconds since the epoch; 0 without a record. */
  readonly noted: number;
  /** The watched facts, as recorded for the previous invocation. */
  readonly startedBefore: Seen;
}
