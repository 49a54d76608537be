import { knownAfterApply, port, task, z } from "../../src/authoring.ts";

const params = z.strictObject({
  address: z.string().describe("Address of a node"),
  bridge: z
    .string()
    .describe(
      "Bridge of the nodes' network; the same address behind another interface would belong to another machine",
    ),
});

/**
 * Checks whether a node accepts logins. Outputs true if it does. If it does not, the output in check mode is a value
 * that is known only during a run, so all facts about the node count as unknown.
 */
export const sshOpen = task({
  name: "sshOpen",
  summary: "Check whether a node accepts logins",
  params,
  examples: [],
  title: ({ address }) => `port 22 on ${address}`,
})
  .facts((p) => ({ ssh: port(p.address, 22, p.bridge) }))
  .want(() => ({}))
  .steps(() => [])
  .outputs((_p, { ssh }): boolean => (ssh.open ? true : (knownAfterApply as unknown as boolean)));
