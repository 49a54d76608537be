import type { Counts, EventSink, HostRecap, Outcome, RunEvent } from "../../core/events.ts";
import { addStats, noStats } from "../host/host.ts";
import type { HostEnding } from "./host-progress.ts";
import type { Hosts } from "./hosts.ts";

const none: Counts = { ok: 0, changed: 0, skipped: 0, failed: 0, unreachable: 0, undecided: 0 };

/** Counts what happens on each host, and passes the events on. */
export class Tally {
  readonly #counts = new Map<string, Record<Outcome, number>>();
  readonly #tolerated = new Map<string, number>();
  readonly #reverted = new Map<string, readonly string[]>();
  readonly #confirmed = new Map<string, readonly string[]>();
  readonly #connectMs = new Map<string, number>();
  readonly #next: EventSink;

  constructor(next: EventSink) {
    this.#next = next;
  }

  readonly sink: EventSink = (event) => {
    this.#count(event);
    this.#next(event);
  };

  #count(event: RunEvent): void {
    if (event.type === "taskFinished") {
      const counts = this.#counts.get(event.host) ?? { ...none };
      counts[event.outcome] += 1;
      this.#counts.set(event.host, counts);
      if (event.ignored) this.#countTolerated(event.host, 1);
    } else if (event.type === "hostConnected") {
      this.#connectMs.set(event.host, (this.#connectMs.get(event.host) ?? 0) + event.durationMs);
    } else if (event.type === "warning" && event.host !== undefined && event.reverted !== undefined) {
      this.#reverted.set(event.host, [...(this.#reverted.get(event.host) ?? []), ...event.reverted]);
    } else if (event.type === "hostDone" && event.confirmed !== undefined) {
      this.#confirmed.set(event.host, [...(this.#confirmed.get(event.host) ?? []), ...event.confirmed]);
    } else if (event.type === "rescued") {
      this.#countTolerated(event.host, event.failures);
    }
  }

  #countTolerated(host: string, failures: number): void {
    this.#tolerated.set(host, (this.#tolerated.get(host) ?? 0) + failures);
  }

  /** True if something changed, would change, or may change. */
  get changed(): boolean {
    return [...this.#counts.values()].some(({ changed, undecided }) => changed + undecided > 0);
  }

  /**
   * The recap of each host, in the given order. `endOf` returns how a host's part ended. Without `hosts`, the recap has
   * no connection counters.
   */
  async recap(
    names: readonly string[],
    hosts: Hosts | undefined,
    endOf: (host: string) => HostEnding,
  ): Promise<HostRecap[]> {
    return Promise.all(
      names.map(async (host) => {
        const stats = await Promise.all((hosts?.of(host) ?? []).map((session) => session.stats()));
        const sum = stats.reduce(addStats, noStats);
        const [reverted, confirmed] = [this.#reverted.get(host), this.#confirmed.get(host)];
        return {
          host,
          ...endOf(host),
          counts: this.#counts.get(host) ?? none,
          tolerated: this.#tolerated.get(host) ?? 0,
          ...(reverted && { reverted }),
          ...(confirmed && { confirmed }),
          frames: sum.frames,
          bytesSent: sum.bytesSent,
          bytesReceived: sum.bytesReceived,
          ...(sum.profile && { profile: { connectMs: this.#connectMs.get(host) ?? 0, ...sum.profile } }),
        };
      }),
    );
  }
}

/** Milliseconds of processor time that this process has used so far. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1000);
}
