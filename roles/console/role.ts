import { absent, fileTail, libvirtDomain, role, task, z } from "../../src/authoring.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { type ClusterNode, clusterNodes, consoleLog } from "../cluster/nodes.ts";
import { lastLine } from "../cluster-ready/fetched.ts";
import { screenPasswordFile } from "../vm-network/screen-password.ts";
import { consoleCommand, forwardCommand, type LoginHost, loginOf } from "./ssh-command.ts";

/** Shows how to open a node's graphical and serial consoles, without exposing a port. */
export const nodeConsole = task({
  name: "nodeConsole",
  summary: "Show how to open a node's graphical and serial consoles",
  params: z.strictObject({
    node: z.custom<ClusterNode>().describe("The node"),
    login: z
      .strictObject({
        ssh: z.string().describe("Arguments of ssh for the login; empty on the controller"),
        user: z.string().describe("The user who logs in"),
      })
      .describe("How to log in to the host"),
    password: z.string().describe("Where to find the VNC password"),
  }),
  examples: [],
  title: ({ node }) => `console of ${node.name}`,
})
  .facts(({ node }) => ({ domain: libvirtDomain(node.name), console: fileTail(consoleLog(node), 20) }))
  .want(() => ({}))
  .steps(() => [])
  .notes(({ node, login, password }, { domain, console: screen }) => {
    if (domain === absent) return [`${node.name} is not defined on this host`];
    const { vnc } = domain;
    const local = vnc === absent ? 0 : vnc.port || 5900 + node.index;
    return [
      `serial line (kernel, login): ${consoleCommand(login, node.name)} (end it with Ctrl-])`,
      ...(vnc === absent
        ? []
        : [
            `screen (installer, Harvester's own console): ${forwardCommand(login, local, `127.0.0.1:${local}`)}, then a VNC viewer at 127.0.0.1:${local}; ${password}`,
          ]),
      ...(screen === absent ? [] : [`its last line: ${lastLine(screen.text) || "nothing"}`]),
    ];
  });

/** Shows how to open the nodes' consoles. */
export const consoles = role(
  {
    name: "console",
    summary: "Show how to open the nodes' graphical and serial consoles",
    params: z.strictObject({ cluster: z.custom<Cluster>(), host: z.custom<LoginHost>() }),
  },
  ({ cluster, host }) => {
    const login = loginOf(host);
    const password =
      cluster.vncPassword === undefined
        ? `its password is in ${screenPasswordFile} on the host`
        : "its password is the var vncPassword";
    return clusterNodes(cluster).map((node) => nodeConsole({ node, login, password }));
  },
);
