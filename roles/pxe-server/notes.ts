import { task, z } from "../../src/authoring.ts";
import type { Rack } from "./rack-fields.ts";

/** Says what must still be done by hand, including on the switches. */
export const rackNotes = task({
  name: "rackNotes",
  summary: "Report what must be done by hand for a rack, including on its switches",
  params: z.strictObject({
    server: z.string().describe("Address of the server"),
    lines: z.array(z.string()).describe("What to report, one line per item"),
  }),
  examples: [],
  title: ({ server }) => `what ${server} serves`,
})
  .facts(() => ({}))
  .want(() => ({}))
  .steps(() => [])
  .notes(({ lines }) => lines);

/** Returns a line for each node and for each thing that furrow cannot do. */
export function notesOf(rack: Rack): string[] {
  const bonded = rack.nodes.filter((node) => {
    const options = node.management?.bond_options ?? rack.config.install?.management_interface?.bond_options;
    return options?.["mode"] === "802.3ad";
  });
  return [
    ...rack.nodes.map(
      ({ name, mac, address, firmware, device }) => `${name}: ${mac}, ${address}, ${firmware}, installs to ${device}`,
    ),
    ...(bonded.length === 0
      ? []
      : [`the bond of ${bonded.map(({ name }) => name).join(", ")} is 802.3ad: the switch needs LACP on their ports`]),
    "boot the nodes from the network once; playbooks/pxe-status.ts shows the progress of each node",
  ];
}
