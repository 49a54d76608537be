import { absent, file, libvirtDomain, peek, refuse, task, z } from "../../src/authoring.ts";
import { diskImage, libvirtOverview } from "../../src/facts/catalogue.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { clusterNodes, documentRoot, imageAt, tftpRoot } from "../cluster/nodes.ts";
import { fingerprintPath, memoryFolder } from "../cluster/places.ts";
import { supervisorOpen } from "./served.ts";

const params = z.strictObject({
  nodes: z.array(z.string()).min(1).describe("Names of the cluster's nodes"),
  images: z.array(z.string()).describe("The disk images of the nodes"),
  vip: z.string().describe("The cluster's virtual address"),
  bridge: z.string().describe("Bridge of the nodes' network"),
});

type Params = z.output<typeof params>;

/** The traces that a cluster leaves on its host, even if the cluster is off or half removed. */
function tracesOf(p: Params) {
  return {
    domains: p.nodes.map(libvirtDomain),
    libvirt: libvirtOverview(),
    records: p.nodes.map((name) => file(fingerprintPath(name))),
    images: p.images.map(diskImage),
    open: supervisorOpen(p),
  };
}

interface Traces {
  readonly domains: readonly unknown[];
  readonly libvirt: { readonly daemon: unknown };
  readonly records: readonly unknown[];
  readonly images: readonly unknown[];
  readonly open: { readonly open: unknown };
}

/** Says why the host certainly has no cluster; undefined if there is a trace of one, or if libvirt cannot tell. */
function nothingIn(now: Traces): string | undefined {
  const areAbsent = (facts: readonly unknown[]): boolean => facts.every((_, at) => peek(facts, at) === absent);
  if (![now.domains, now.records, now.images].every(areAbsent) || peek(now.open, "open") !== false) return undefined;
  // A daemon that is down lists nothing.
  const daemon = peek(now.libvirt, "daemon");
  if (daemon === "none") return "libvirt is not installed";
  return daemon === "up" ? "libvirt has none of these virtual machines" : undefined;
}

const listed = ({ nodes }: Params): string => nodes.join(", ");

/** Refuses a host that certainly has no cluster, because a day-two playbook has nothing to do there. */
export const clusterHere = task({
  name: "clusterHere",
  summary: "Refuse a host on which no cluster was deployed",
  params,
  examples: [],
  title: () => "a Harvester cluster is on this host",
})
  .facts(tracesOf)
  .want((p, now) => {
    const nothing = nothingIn(now);
    if (nothing === undefined) return {};
    return refuse({
      code: "no-cluster-here",
      message: `there is no Harvester cluster on this host: no ${listed(p)}`,
      current: `${nothing}; no disk image of a node, no record of one, and no answer at ${p.vip}`,
      expected: "a cluster that harvester.ts has deployed",
      hint: "Check that the inventory has the right host and the cluster's vars; if so, deploy the cluster first with playbooks/harvester.ts",
    });
  })
  .steps(() => []);

/**
 * Reports that there is nothing to remove, so that a run with the wrong inventory is not mistaken for a successful
 * removal.
 */
export const nothingHere = task({
  name: "nothingHere",
  summary: "Report if there is nothing to remove on the host",
  params,
  examples: [],
  title: () => "what is there to remove",
})
  .facts((p) => ({
    ...tracesOf(p),
    folders: [memoryFolder, documentRoot, tftpRoot].map((path) => file(path)),
  }))
  .want(() => ({}))
  .steps(() => [])
  .notes((p, now) => {
    const nothing = now.folders.every((folder) => folder === absent) ? nothingIn(now) : undefined;
    return nothing === undefined
      ? []
      : [
          `there is no Harvester cluster to remove on this host: no ${listed(p)} (${nothing}), and no disk image or record of a node; if you expected one, check the inventory`,
        ];
  });

/** Returns the params of `clusterHere` and `nothingHere` for a cluster. */
export function tracesOfCluster(cluster: Cluster): Params {
  const nodes = clusterNodes(cluster);
  return {
    nodes: nodes.map(({ name }) => name),
    images: nodes.flatMap((node) => [node, ...node.extraDisks].map(imageAt)),
    vip: cluster.network.vip,
    bridge: cluster.network.bridge,
  };
}
