import { absent, libvirtDomain, task, z } from "../../src/authoring.ts";
import { isSaved } from "../../src/facts/catalogue.ts";

/**
 * Names the nodes in which virtual machines may be frozen: those that are saved or paused. The cluster cannot say which
 * machines these are, and a removal kills them without a shutdown, as on a running node.
 */
export const lostMemory = task({
  name: "lostMemory",
  summary: "Report the nodes whose memory is lost although they look idle",
  params: z.strictObject({ names: z.array(z.string()).min(1).describe("The nodes that will be removed") }),
  examples: [],
  title: () => "what the nodes have in memory",
})
  .facts((p) => ({ domains: p.names.map(libvirtDomain) }))
  .want(() => ({}))
  .steps(() => [])
  .notes((p, { domains }) =>
    p.names.flatMap((name, at) => {
      const domain = domains[at] ?? absent;
      const state = domain === absent ? "" : isSaved(domain) ? "saved" : domain.state;
      return ["saved", "paused", "pmsuspended"].includes(state)
        ? [
            `${name} is ${state}: everything in its memory is lost with it, and the cluster cannot say what was running there`,
          ]
        : [];
    }),
  );
