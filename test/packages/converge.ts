import { expect } from "vitest";
import type { Node } from "../../src/core/authoring/group.ts";
import type { TaskEnd, TaskHost } from "../tasks/on-host.ts";

/** The outcome of each task. */
export function outcomes(ends: readonly TaskEnd[]): string[] {
  return ends.map(({ outcome }) => outcome);
}

/** Returns the outcomes of check and of the run. Fails if a task fails, or if a second run makes changes. */
export async function converge(
  host: TaskHost,
  ...nodes: readonly Node[]
): Promise<{ checked: string[]; ran: string[] }> {
  const checked = outcomes(await host.check(...nodes));
  const ends = await host.apply(...nodes);
  expect(ends.map(({ error }) => error?.failure)).toEqual(ends.map(() => undefined));
  expect(outcomes(await host.apply(...nodes))).toEqual(ends.map(() => "ok"));
  return { checked, ran: outcomes(ends) };
}
