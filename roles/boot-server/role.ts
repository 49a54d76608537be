import { type HostFacts, type Node, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { baseUrl, type ClusterNode, clusterNodes, documentRoot } from "../cluster/cluster.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { markerThere } from "../cluster/marker-there.ts";
import { rebuiltMarker } from "../cluster/places.ts";
import { renderConfig } from "../harvester-config/config-text.ts";
import { nodeConfig } from "../harvester-config/node-config.ts";
import { familyOf } from "../host-packages/families.ts";
import { bootScript, nginxConf, nginxDropIn, nodeFile, nodeScript } from "./templates.ts";

const nodesFolder = `${documentRoot}/nodes`;

/** Serves the boot artifacts to all nodes, and to each node its own boot script and configuration. */
export const bootServer = role(
  {
    name: "boot server",
    summary: "Serve the boot artifacts and each node's own script and configuration, only on the nodes' network",
    params: z.strictObject({
      cluster: z.custom<Cluster>(),
      facts: z.custom<HostFacts>(),
      publicAddress: z.string().describe("The cluster's address as seen from outside"),
    }),
  },
  ({ cluster, facts, publicAddress }) => {
    const { nginxUser: user, libvirt } = familyOf(facts);
    const conf = t.file({
      path: "/etc/nginx/nginx.conf",
      content: nginxConf(cluster, user),
      mode: "0644",
      owner: "root",
      group: "root",
    });
    const dropIns = "/etc/systemd/system/nginx.service.d";
    return [
      conf,
      t.file({ path: dropIns, state: "directory", mode: "0755" }),
      t.file({ path: `${dropIns}/furrow.conf`, content: nginxDropIn(libvirt.network), mode: "0644" }),
      t.file({ path: `${documentRoot}/boot.ipxe`, content: bootScript(cluster), mode: "0644" }),
      // Configurations contain the token and the password: nginx may read them, but other users on the host must not.
      t.file({ path: nodesFolder, state: "directory", mode: "0750", owner: "root", group: user }),
      clusterNodes(cluster).map((node) => nodeFiles(cluster, node, publicAddress, user)),
      t.service({ name: "nginx", state: "started", enabled: true, restartOn: [conf] }),
      // Check the server here: if it did not answer, nodes would retry until their deadline.
      t.httpWait(
        {
          url: `${baseUrl(cluster)}/boot.ipxe`,
          from: "host",
          body: bootScript(cluster),
          intervalSeconds: 1,
          deadlineSeconds: 30,
        },
        { name: `nginx serves the nodes at ${baseUrl(cluster)}` },
      ),
    ];
  },
);

/** Returns the files that one node boots and installs from. */
function nodeFiles(cluster: Cluster, node: ClusterNode, publicAddress: string, user: string): Node {
  const own = { mode: "0640", owner: "root", group: user };
  const script = `${nodesFolder}/${nodeFile(node, ".ipxe")}`;
  const path = `${nodesFolder}/${nodeFile(node, ".yaml")}`;
  const content = (rebuilt: boolean): string => renderConfig(nodeConfig(cluster, node, publicAddress, { rebuilt }));
  const scriptFile = t.file({ path: script, content: nodeScript(cluster, node), ...own });
  if (node.index > 1) return [scriptFile, t.file({ path, content: content(true), ...own })];
  // A reinstalled first node joins the cluster that it once created; otherwise it would create a second one.
  const rebuilt = markerThere({ path: rebuiltMarker(node.name) });
  return [
    scriptFile,
    rebuilt,
    t.file({ path, content: rebuilt.output.map(content), ...own }, { name: `file ${path}` }),
  ];
}
