import type { Seen } from "../../core/seen.ts";

/** A systemd unit as `systemctl show` tells it (properties of org.freedesktop.systemd1(5)). */
export interface UnitState {
  /** LoadState: `loaded`, `masked`, `not-found`, `bad-setting`, `error`. */
  readonly load: string;
  /** ActiveState: `active`, `inactive`, `failed`, `activating` … */
  readonly active: string;
  /** SubState: `running`, `exited`, `dead`, `auto-restart` … */
  readonly sub: string;
  /** UnitFileState: `enabled`, `disabled`, `static`, `masked` …; empty where there is no unit file. */
  readonly file: string;
  /** Type of a service: `simple`, `notify`, `oneshot` …; empty for other units. */
  readonly type: string;
  /** `started`: it serves; `stopped`: inactive or failed; `between`: on the way, or waiting for its next start. */
  readonly state: "started" | "stopped" | "between";
  readonly enabled: boolean;
  readonly masked: boolean;
  /** NeedDaemonReload: its files on disk are newer than what systemd has loaded. */
  readonly outdated: boolean;
  /** CanReload. */
  readonly reloadable: boolean;
  /** False for a oneshot without RemainAfterExit: it is never left started. */
  readonly lasting: boolean;
  /** InvocationID: another one at every start. */
  readonly invocation: string;
  /** When it last left the inactive state, in microseconds since the epoch; 0 where that is not known. */
  readonly since: number;
  /** What was noted for this very invocation at its start, or a restart. */
  readonly startedWith: Seen;
  /** What was noted for this very invocation at its last reload. */
  readonly reloadedWith: Seen;
  /** What was noted for the invocation before. */
  readonly startedBefore: Seen;
}
