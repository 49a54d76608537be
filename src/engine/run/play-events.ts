import type { Play } from "../../core/authoring/playbook.ts";
import type { RunEvent } from "../../core/events.ts";
import type { Planned } from "../plan/plan.ts";
import type { RunHost } from "../plan/request.ts";
import { batches } from "./serial-batches.ts";

type Event<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

/** The event that begins a play. `plans`: the plans that are already known. */
export function playStarted(
  play: string,
  hosts: readonly RunHost[],
  plans: ReadonlyMap<string, readonly Planned[]> | undefined,
): Event<"playStarted"> {
  const isEmpty = hosts.length > 0 && hosts.every(({ name }) => plans?.get(name)?.length === 0);
  return { type: "playStarted", play, hosts: namesOf(hosts), ...(isEmpty && { empty: true }) };
}

/**
 * The batches of a play, each with the event that begins it; a play with a single batch, or without tasks, has no such
 * event.
 */
export function batchesOf(
  hosts: readonly RunHost[],
  serial: Play["serial"],
  { empty }: Event<"playStarted">,
): readonly { readonly batch: readonly RunHost[]; readonly events: readonly Event<"batchStarted">[] }[] {
  const all = batches(hosts, serial);
  return all.map((batch, at) => {
    const event = { type: "batchStarted", batch: at + 1, batches: all.length, hosts: namesOf(batch) } as const;
    return { batch, events: all.length > 1 && empty !== true ? [event] : [] };
  });
}

function namesOf(hosts: readonly RunHost[]): string[] {
  return hosts.map(({ name }) => name);
}
