import type { HostRecap } from "../../core/events.ts";
import type { Failures } from "./failures.ts";
import { labelOf, mainTasks, type Planned } from "../plan/plan.ts";

/** How a host's part of a run ended, and what it did not reach. */
export type HostEnding = Pick<HostRecap, "end" | "left" | "next">;

/** One host's part of a play: what it lists, and which tasks are through. */
interface Part {
  plan: readonly Planned[];
  readonly through: Set<string>;
}

/** How far each host has come on its way through the plays of a run. */
export class HostProgress {
  readonly #parts = new Map<string, Map<number, Part>>();
  readonly #begun = new Set<string>();

  /** A host is to go through this plan in the play of this number. */
  expect(host: string, play: number, plan: readonly Planned[]): void {
    const parts = this.#parts.get(host) ?? new Map<number, Part>();
    parts.set(play, { plan, through: new Set() });
    this.#parts.set(host, parts);
  }

  /** A host begins a play. Gives who hears of each task that is through. */
  begin(host: string, play: number): (task: string) => void {
    this.#begun.add(host);
    const part = this.#parts.get(host)?.get(play);
    return (task) => part?.through.add(task);
  }

  /** How a host has ended. `stopped`: the run was stopped before its end. */
  endOf(host: string, failures: Failures, stopped: boolean): HostEnding {
    const failed = failures.outcomeOf(host);
    if (failed === undefined && !stopped) return { end: "done" };
    const parts = [...(this.#parts.get(host)?.values() ?? [])];
    const left = parts.flatMap(({ plan, through }) => mainTasks(plan).filter(({ id }) => !through.has(id)));
    const [first] = left;
    const open = first !== undefined && { left: left.length, next: labelOf(first, host).title };
    if (failed !== undefined) return { end: failed, ...open };
    const isNew = !this.#begun.has(host);
    return { end: isNew ? "notStarted" : open ? "stopped" : "done", ...open };
  }
}
