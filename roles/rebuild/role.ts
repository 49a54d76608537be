import { role, secretText, z } from "../../src/authoring.ts";
import { definitionsThere, type Defined } from "./definitions.ts";
import { lostNodes } from "./lost-nodes.ts";
import { newestSnapshot, quorumHeld } from "./quorum.ts";

const anything = z.record(z.string(), z.unknown()).default({});
const placed = z.looseObject({ namespace: z.string().default("default") });
const inNamespace = z.record(z.string(), placed).default({});
// What gitops/vms never shows is not shown here either.
const machine = placed.extend({ userData: secretText().optional(), networkData: secretText().optional() });

/** The vars of a rebuild: the vars files of the other playbooks in `gitops` can be passed unchanged. */
export const rebuildSchema = z.looseObject({
  kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller; read permission is enough"),
  node: z.string().optional().describe("Lost node to examine; default: the nodes that are not ready"),
  clusterNetworks: z
    .record(z.string(), z.looseObject({ uplinks: anything, networks: inNamespace }))
    .default({})
    .describe("Cluster networks, in the form of gitops/networks"),
  storageClasses: anything.describe("Storage classes, in the form of gitops/storage"),
  images: inNamespace.describe("Images, in the form of gitops/images"),
  machines: z.record(z.string(), machine).default({}).describe("Virtual machines, in the form of gitops/vms"),
});

/** The validated vars of a rebuild. */
export type Rebuild = z.output<typeof rebuildSchema>;

/** Plans a rebuild: the quorum, the loss of nodes, and which of the definitions exist. Changes nothing. */
export const rebuild = role(
  {
    name: "rebuild",
    summary: "Report what a loss means and what to do, and change nothing",
    params: rebuildSchema,
  },
  (vars) => [
    newestSnapshot({ kubeconfig: vars.kubeconfig }),
    quorumHeld({ kubeconfig: vars.kubeconfig }),
    lostNodes({ kubeconfig: vars.kubeconfig, ...(vars.node !== undefined && { node: vars.node }) }),
    definitionsThere({ kubeconfig: vars.kubeconfig, defined: definedIn(vars) }),
  ],
);

/** The objects that the files define, in the order in which they are created. */
export function definedIn({
  clusterNetworks,
  storageClasses,
  images,
  machines,
}: Pick<Rebuild, "clusterNetworks" | "storageClasses" | "images" | "machines">): Defined[] {
  const paths = (all: Readonly<Record<string, { readonly namespace: string }>>): string[] =>
    Object.entries(all).map(([name, { namespace }]) => `${namespace}/${name}`);
  const networks = Object.values(clusterNetworks);
  return [
    { playbook: "gitops/networks", list: "clusterNetworks", names: Object.keys(clusterNetworks) },
    {
      playbook: "gitops/networks",
      list: "networkConfigs",
      names: networks.flatMap(({ uplinks }) => Object.keys(uplinks)),
    },
    { playbook: "gitops/networks", list: "vmNetworks", names: networks.flatMap((one) => paths(one.networks)) },
    { playbook: "gitops/storage", list: "storageClasses", names: Object.keys(storageClasses) },
    { playbook: "gitops/images", list: "images", names: paths(images) },
    { playbook: "gitops/vms", list: "machines", names: paths(machines) },
  ];
}
