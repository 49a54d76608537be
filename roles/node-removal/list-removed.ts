import { task, z } from "../../src/authoring.ts";

/** Says what the inventory must list once a node has been removed. */
export const listRemoved = task({
  name: "listRemoved",
  summary: "Show how the inventory must list a removed node",
  params: z.strictObject({ number: z.int().describe("Number of the removed node") }),
  examples: [],
  title: ({ number }) => `node ${number} is removed`,
})
  .facts(() => ({}))
  .want(() => ({}))
  .steps(() => [])
  .notes(({ number }) => [
    `add ${number} to \`removedNodes\` in the inventory now, and leave \`nodes\` as it is; otherwise the harvester playbook would install the node again`,
  ]);
