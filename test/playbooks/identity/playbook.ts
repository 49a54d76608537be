/** Compares and records a cluster whose only node is this machine; the node starts in the middle of the run. */
import { playbook } from "furrow";
import * as t from "furrow/tasks";
import { clusterSchema } from "../../../roles/cluster/cluster.ts";
import { type ClusterNode, clusterNodes } from "../../../roles/cluster/nodes.ts";
import { askedNode } from "../../../roles/identity/fingerprint.ts";
import { keepFingerprint } from "../../../roles/identity/keep-fingerprint.ts";
import { sameCluster } from "../../../roles/identity/same-cluster.ts";
import { authorityShown } from "../../../roles/identity/served.ts";

const at = { vip: "127.0.0.1", bridge: "lo" };
const start = process.env["IDENTITY_START"] ?? "";
const answers = ["curl", "-sk", "-o", "/dev/null", "https://127.0.0.1:9345/cacerts"];

export default playbook({
  name: "Identity",
  vars: clusterSchema,
  plays: [
    {
      hosts: "all",
      tasks: ({ vars: cluster }) => {
        const node = askedNode(cluster, clusterNodes(cluster)[0] as ClusterNode, "203.0.113.10");
        return [
          sameCluster({ nodes: [node], ...at, version: cluster.version, installs: true, needsKubeconfig: false }),
          t.file({ path: "/etc/furrow-harvester", state: "directory" }),
          t.command(
            { command: ["sh", "-c", start], unless: answers, readOnly: true, disturbs: [] },
            { name: "the node starts" },
          ),
          authorityShown({ node: node.name, ...at }),
          keepFingerprint({ node, ...at }),
        ];
      },
    },
  ],
});
