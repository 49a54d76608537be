import type { Seen } from "../../core/facts/pending-restart.ts";

/** A systemd unit as printed by `systemctl show` (properties of org.freedesktop.systemd1(5)). */
export interface UnitState {
  /** LoadState: `loaded`, `masked`, `not-found`, `bad-setting`, `error`. */
  readonly load: string;
  /** ActiveState: `active`, `inactive`, `failed`, `activating` … */
  readonly active: string;
  /** SubState: `running`, `exited`, `dead`, `auto-restart` … */
  readonly sub: string;
  /** UnitFileState: `enabled`, `disabled`, `static`, `masked` …; empty if there is no unit file. */
  readonly file: string;
  /** Type of a service: `simple`, `notify`, `oneshot` …; empty for other units. */
  readonly type: string;
  /**
   * `started`: it is running; `stopped`: inactive or failed; `between`: changing state, or waiting for its next start.
   */
  readonly state: "started" | "stopped" | "between";
  readonly enabled: boolean;
  readonly masked: boolean;
  /** NeedDaemonReload: its files on disk are newer than the definition that systemd has loaded. */
  readonly outdated: boolean;
  /** CanReload. */
  readonly reloadable: boolean;
  /** False for a oneshot without RemainAfterExit, which never stays started. */
  readonly lasting: boolean;
  /** InvocationID: new at every start. */
  readonly invocation: string;
  /** When it last left the inactive state, in microseconds since the epoch; 0 if unknown. */
  readonly since: number;
  /** What was noted for the current invocation when it started or was restarted. */
  readonly startedWith: Seen;
  /** What was noted for the current invocation at its last reload. */
  readonly reloadedWith: Seen;
  /** What was noted for the previous invocation. */
  readonly startedBefore: Seen;
}
