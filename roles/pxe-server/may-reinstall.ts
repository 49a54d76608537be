import { absent, file, refuse, type Refusal, task, z } from "../../src/authoring.ts";
import { askCluster, lookAt, notSeen, type Seen } from "../cluster-answers/answers.ts";
import { unwrittenNotes } from "../cluster-answers/longhorn/volumes.ts";
import { leaveLoss, lossNotes } from "../node-removal/accepted-loss.ts";
import { leaveLists, leaveObstacle } from "../node-removal/quorum.ts";
import { installedFolder } from "./boot-files.ts";
import { reportsFolder } from "./places.ts";

const node = z.object({ name: z.string(), address: z.string() });
type Machine = z.output<typeof node>;

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  nodes: z.array(node).describe("All machines of the rack"),
  reinstall: z.array(z.string()).describe("Names of the machines to reinstall"),
  acceptLoss: z.array(z.string()).describe("Volumes and virtual machines whose loss is accepted"),
});

type Params = z.output<typeof params>;
type Cluster = Seen<(typeof leaveLists)[number]>;

interface Now {
  readonly reports: readonly unknown[];
}

const unasked = "without the var `kubeconfig`, pxe does not ask the cluster";
const thirdNode = "add a machine to `nodes`, and boot it from the network";

/** Refuses to reinstall a node that its cluster cannot do without, or several nodes of a cluster at the same time. */
export const mayReinstall = task({
  name: "mayReinstall",
  summary: "Refuse to reinstall a node that the cluster cannot do without, or whose data is nowhere else",
  params,
  examples: [],
  title: ({ reinstall }) => `the cluster can do without ${reinstall.join(", ")}`,
})
  .facts((p) => ({
    ...askCluster(p.kubeconfig, ...leaveLists),
    reports: p.nodes.map((one) => file(`${reportsFolder}${installedFolder(one)}`)),
  }))
  .want((p, now) => {
    const asked = askedFor(p, now);
    if (asked.length === 0) return {};
    const look = lookAt(now, ...leaveLists);
    if ("seen" in look)
      return otherCluster(p, look.seen) ?? together(p, now, look.seen) ?? firstObstacle(p, asked, look.seen) ?? {};
    const names = asked.map(({ name }) => name).join(", ");
    return notSeen(`what would be lost with ${names}`, look.unseen, `; ${unasked}`);
  })
  .steps(() => [])
  .notes((p, now) => {
    const look = lookAt(now, ...leaveLists);
    if (!("seen" in look)) return [];
    const { seen } = look;
    const losses = askedFor(p, now).flatMap((machine) => {
      const leaving = asMember(p, machine, seen);
      return lossNotes(leaving, lossWith(leaving.node, seen));
    });
    return losses.length === 0 ? [] : [...losses, ...unwrittenNotes(seen.volumes, seen.replicas)];
  });

/** The machines to reinstall that have a report; this run removes their reports. */
function askedFor(p: Params, now: Now): Machine[] {
  return p.nodes.filter(({ name }, at) => p.reinstall.includes(name) && now.reports[at] !== absent);
}

/** What would be lost with a node. The nodes of a rack are not virtual machines, so there is no state from libvirt. */
function lossWith(node: string, cluster: Cluster): ReturnType<typeof leaveLoss> {
  return leaveLoss(node, cluster, absent);
}

function firstObstacle(p: Params, asked: readonly Machine[], cluster: Cluster): Refusal | undefined {
  return asked
    .map((machine) => {
      const leaving = asMember(p, machine, cluster);
      return leaveObstacle(leaving, cluster, lossWith(leaving.node, cluster), thirdNode);
    })
    .find((refusal) => refusal !== undefined);
}

function asMember({ acceptLoss }: Params, machine: Machine, cluster: Cluster) {
  return { node: nameInCluster(machine, cluster) ?? machine.name, acceptLoss };
}

/** Refuses a cluster that lists none of the rack's machines: it cannot know what would be lost. */
function otherCluster({ kubeconfig, nodes }: Params, cluster: Cluster): Refusal | undefined {
  if (nodes.some((one) => nameInCluster(one, cluster) !== undefined)) return undefined;
  return refuse({
    code: "other-cluster",
    message: `the cluster of the kubeconfig ${kubeconfig} lists none of the rack's nodes`,
    current: cluster.nodes.map(({ name }) => name).join(", ") || "no nodes",
    expected: nodes.map(({ name }) => name).join(", "),
    hint: `Use the kubeconfig of the rack's own cluster; ${unasked}`,
  });
}

/**
 * Refuses if the cluster would lose several nodes at the same time: each of them alone could leave, but together they
 * may hold etcd's quorum or the last replica of a volume. A node without a report is installed at its next boot too.
 */
function together(p: Params, now: Now, cluster: Cluster): Refusal | undefined {
  const going = p.nodes
    .filter(({ name }, at) => p.reinstall.includes(name) || now.reports[at] === absent)
    .flatMap((machine) => nameInCluster(machine, cluster) ?? []);
  if (going.length < 2) return undefined;
  return refuse({
    code: "reinstalled-together",
    message: `several nodes of the cluster would be reinstalled at the same time: ${going.join(", ")}`,
    current: `each is named in \`reinstall\`, or has no report in ${reportsFolder}/installed`,
    expected: "one node of the cluster at a time",
    hint: "Name one node in `reinstall`, boot it from the network, and wait until pxe-status says that it is part of the cluster and installed; then name the next one",
  });
}

/** The name under which the cluster lists a machine; the vars may have a new name for it. */
function nameInCluster({ name, address }: Machine, { nodes }: Cluster): string | undefined {
  const own = nodes.find((one) => one.name === name) ?? nodes.find(({ addresses }) => addresses.includes(address));
  return own?.name;
}
