import { absent, certificateDigest, file, task, z } from "../../src/authoring.ts";
import { fileText } from "../../src/facts/catalogue.ts";
import { places } from "./config.ts";

/** The placeholder for the digest of the first server's CA if the run does not query it. */
export const notAsked = "not asked";

/**
 * Outputs the digest of the CA of the first server's cluster; empty if it has none. The other hosts compare their own
 * digest with it: if the first server has no data, it would create a second cluster.
 */
export const firstAuthority = task({
  name: "firstAuthority",
  summary: "Find out which cluster the first server belongs to",
  params: z.strictObject({ first: z.boolean().describe("Whether the host is the server that creates the cluster") }),
  examples: [],
  title: () => "the cluster of the first server",
})
  .facts(() => ({ authority: file(places.serverAuthority, ["text"]) }))
  .want(() => ({}))
  .steps(() => [])
  .outputs((p, { authority }): string => {
    if (!p.first) return notAsked;
    return authority === absent ? "" : (certificateDigest(fileText(authority) ?? "") ?? "unreadable");
  });
