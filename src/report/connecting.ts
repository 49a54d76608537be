import type { RunEvent } from "../core/events.ts";

/**
 * Subtracts the time of the first connection to a host from the duration of the task that waited for it. On a large
 * fleet, hosts wait for their turn to connect, and the first task would otherwise seem to take all that time. The time
 * of a later connection counts as part of its task: a reboot, for example, waits for a new connection.
 */
export class Connecting {
  /** For each connected host, how much of its current task's time was spent connecting, in milliseconds. */
  readonly #ms = new Map<string, number>();
  readonly #working = new Set<string>();

  /** Returns the event with the task's own duration; must be called for each event, in order. */
  without(event: RunEvent): RunEvent {
    if (event.type === "taskStarted") this.#working.add(event.host);
    if (event.type === "hostConnected" && !this.#ms.has(event.host))
      this.#ms.set(event.host, this.#working.has(event.host) ? event.durationMs : 0);
    if (event.type !== "taskFinished") return event;
    this.#working.delete(event.host);
    const ms = this.#ms.get(event.host) ?? 0;
    if (ms === 0) return event;
    this.#ms.set(event.host, 0);
    return { ...event, durationMs: Math.max(0, event.durationMs - ms) };
  }
}
