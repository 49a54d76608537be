import { absent, fileTail, libvirtDomain, role, task, z } from "../../src/authoring.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { type ClusterNode, clusterNodes, consoleLog } from "../cluster/nodes.ts";
import { lastLine } from "../cluster-ready/fetched.ts";

/** Says how a node's screen and serial line are seen; nothing is opened to others for it. */
export const nodeConsole = task({
  name: "nodeConsole",
  summary: "Say how to see a node's screen and serial line",
  params: z.strictObject({
    node: z.custom<ClusterNode>().describe("The node"),
    host: z.string().describe("How SSH reaches the host"),
    password: z.string().describe("Where the password of the screen is kept"),
  }),
  examples: [],
  title: ({ node }) => `console of ${node.name}`,
})
  .facts(({ node }) => ({ domain: libvirtDomain(node.name), console: fileTail(consoleLog(node), 20) }))
  .want(() => ({}))
  .steps(() => [])
  .notes(({ node, host, password }, { domain, console: screen }) => {
    if (domain === absent) return [`${node.name} is not defined on this host`];
    const { vnc } = domain;
    const local = vnc === absent ? 0 : vnc.port || 5900 + node.index;
    return [
      `serial line: ssh -t ${host} virsh console ${node.name} (end it with Ctrl-])`,
      ...(vnc === absent
        ? []
        : [
            `screen: ssh -N -L ${local}:127.0.0.1:${local} ${host}, then a VNC viewer at 127.0.0.1:${local}; ${password}`,
          ]),
      ...(screen === absent ? [] : [`it says last: ${lastLine(screen.text) || "nothing"}`]),
    ];
  });

/** Says how the nodes' consoles are seen. */
export const consoles = role(
  {
    name: "console",
    summary: "Say how the nodes' screens and serial lines are seen",
    params: z.strictObject({ cluster: z.custom<Cluster>(), host: z.string() }),
  },
  ({ cluster, host }) => {
    const label = encodeURIComponent(`harvester/${cluster.prefix}/vnc`);
    const password =
      cluster.vncPassword === undefined
        ? `its password is in furrow's folder for generated secrets, ${label}`
        : "its password is the var vncPassword";
    return clusterNodes(cluster).map((node) => nodeConsole({ node, host, password }));
  },
);
