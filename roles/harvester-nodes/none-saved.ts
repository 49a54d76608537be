import { absent, libvirtDomain, task, z } from "../../src/authoring.ts";
import { savedDomain } from "../../tasks/libvirt-domain/obstacle.ts";

/**
 * Refuses a node that libvirt has saved: it is off, but has not been shut down, and its memory still has the old
 * devices and everything that was running.
 */
export const noneSaved = task({
  name: "noneSaved",
  summary: "Refuse nodes whose memory libvirt has saved",
  params: z.strictObject({ names: z.array(z.string()).min(1).describe("The names of the nodes") }),
  examples: [],
  title: ({ names }) => `no saved memory of ${names.join(", ")}`,
})
  .facts((p) => ({ domains: p.names.map(libvirtDomain) }))
  .want((p, { domains }) => {
    const refusals = p.names.map((name, at) => savedDomain(name, domains[at] ?? absent));
    return refusals.find((refusal) => refusal !== undefined) ?? {};
  })
  .steps(() => []);
