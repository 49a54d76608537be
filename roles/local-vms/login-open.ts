import { knownAfterApply, port, task, z } from "../../src/authoring.ts";

/**
 * Checks whether a machine accepts logins. Outputs true if it does. If it does not, the output in check mode is a value
 * that is known only during a run, so all facts about the machine count as unknown.
 */
export const loginOpen = task({
  name: "loginOpen",
  summary: "Check whether a machine accepts logins",
  params: z.strictObject({
    machine: z.string().describe("Name of the machine"),
    address: z.string().describe("Address of the machine"),
  }),
  examples: [],
  title: ({ machine }) => `${machine} accepts logins`,
})
  .facts((p) => ({ ssh: port(p.address, 22) }))
  .want(() => ({}))
  .steps(() => [])
  .outputs((_p, { ssh }): boolean => (ssh.open ? true : (knownAfterApply as unknown as boolean)));
