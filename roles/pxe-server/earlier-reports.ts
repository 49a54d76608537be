import { absent, file, type FileValue, port, refuse, task, z } from "../../src/authoring.ts";
import { cardLink, createdReport, installedFolder } from "./boot-files.ts";
import { reportsFolder } from "./places.ts";
import type { RackNode } from "./rack-fields.ts";

/** The port on which a cluster answers. */
const clusterPort = 443;

/** Refuses to let the first node create a cluster if the virtual address already belongs to another cluster. */
export const clusterKnown = task({
  name: "clusterKnown",
  summary: "Refuse to create a cluster if another one has its virtual address",
  params: z.strictObject({ vip: z.string().describe("The cluster's virtual address") }),
  examples: [],
  title: ({ vip }) => `no cluster at ${vip} except the rack's own`,
})
  .facts(({ vip }) => ({ report: file(`${reportsFolder}${createdReport}`), answer: port(vip, clusterPort) }))
  .want(({ vip }, { report, answer }) => {
    if (report !== absent || !answer.open) return {};
    return refuse({
      code: "unknown-cluster",
      message: `a cluster answers at ${vip}, and no node has reported to this host that it created one: the first node would create a second cluster`,
      current: `${vip} accepts connections on port ${clusterPort}, and ${reportsFolder}${createdReport} does not exist`,
      expected: "no answer, or a node's report that it created the cluster",
      hint: "Set the var `join` to true if this is the rack's cluster, or else set another `vip`",
    });
  })
  .steps(() => []);

/** Refuses to reinstall a machine just because the vars have a new name for it. */
export const machineKnown = task({
  name: "machineKnown",
  summary: "Refuse to reinstall a machine just because its name has changed",
  params: z.strictObject({
    node: z.custom<RackNode>().describe("The machine"),
    reinstalls: z.boolean().describe("Whether the machine should be reinstalled"),
  }),
  examples: [],
  title: ({ node }) => `${node.mac} is not installed under a name other than ${node.name}`,
})
  .facts(({ node }) => ({
    link: file(cardLink(node).path),
    own: file(`${reportsFolder}${installedFolder(node)}`),
  }))
  .facts(({ node }, { link }) => {
    const earlier = earlierName(node, link);
    return earlier === undefined ? {} : { other: file(`${reportsFolder}${installedFolder({ name: earlier })}`) };
  })
  .want(({ node, reinstalls }, now) => {
    const earlier = earlierName(node, now.link);
    if (reinstalls || earlier === undefined || now.own !== absent || now.other === absent) return {};
    const [from, to] = [{ name: earlier }, node].map((one) => `${reportsFolder}${installedFolder(one)}`);
    return refuse({
      code: "renamed",
      message: `${node.mac} is installed as ${earlier}; as ${node.name}, it would be reinstalled at its next boot from the network`,
      current: earlier,
      expected: `${node.name} in \`reinstall\`, which erases its disks after a confirmation`,
      hint: `Change its name back to ${earlier}; name ${node.name} in \`reinstall\`; or keep its disks under the new name with mv ${from} ${to} on the host`,
    });
  })
  .steps(() => []);

/** Returns the name under which the server knows a node's card, if it differs from the node's own. */
function earlierName(node: RackNode, link: FileValue): string | undefined {
  const target = link === absent ? undefined : link.target;
  const start = `${reportsFolder}${installedFolder({ name: "" })}`;
  if (target === undefined || !target.startsWith(start)) return undefined;
  const name = target.slice(start.length);
  return /^[a-z0-9-]+$/.test(name) && name !== node.name ? name : undefined;
}
