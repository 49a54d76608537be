import { knownAfterApply, port, task, z } from "../../src/authoring.ts";

const params = z.strictObject({
  address: z.string().describe("Address of a node"),
  bridge: z
    .string()
    .describe("The bridge of the nodes' network; through anything else it would be somebody else's host"),
});

/**
 * Looks whether a node can be logged in to. Puts out true, or in check mode, where it cannot yet, that only a run can
 * tell: nothing on the node is then known.
 */
export const sshOpen = task({
  name: "sshOpen",
  summary: "Look whether a node takes logins",
  params,
  examples: [],
  title: ({ address }) => `port 22 of ${address}`,
})
  .facts((p) => ({ ssh: port(p.address, 22, p.bridge) }))
  .want(() => ({}))
  .steps(() => [])
  .outputs((_p, { ssh }): boolean => (ssh.open ? true : (knownAfterApply as unknown as boolean)));
