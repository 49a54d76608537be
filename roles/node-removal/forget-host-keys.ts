import { absent, task, z } from "../../src/authoring.ts";
import { keptHostKeys, removeHostKeys } from "../../src/facts/catalogue.ts";

const params = z.strictObject({
  node: z.string().describe("Name of the removed node"),
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller; the host keys are kept next to it"),
});

/**
 * Removes the SSH host key of a removed node from the controller: a new node at the same address has a different key,
 * and furrow would refuse to log in.
 */
export const forgetHostKeys = task({
  name: "forgetHostKeys",
  summary: "Remove a removed node's host key from the controller",
  params,
  examples: [],
  title: ({ node }) => `the host key of the old ${node} is removed`,
})
  .facts((p) => ({ keys: keptHostKeys(p.kubeconfig) }))
  .want(() => ({ keys: absent }))
  .steps((p, { change }) => [change.keys && removeHostKeys(p.kubeconfig)]);
