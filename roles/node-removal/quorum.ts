import { libvirtDomain, refuse, type Refusal, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt, type Seen } from "../cluster-answers/answers.ts";
import { refuseDuringUpgrade, refuseHalfUpgraded } from "../cluster-upgrade/attempts.ts";
import { isOrAre } from "../cluster/count.ts";
import { countVotes, etcdMembers, memberTroubles, type VotingNode } from "../cluster-answers/nodes/etcd-members.ts";
import { unwrittenNotes } from "../cluster-answers/longhorn/volumes.ts";
import { pinnedKubeconfig } from "../cluster-answers/pinned.ts";
import {
  type Acceptance,
  leaveLoss,
  type LeaveLoss,
  leaveLossLists,
  lossNotes,
  unacceptedLoss,
  unknownNames,
} from "./accepted-loss.ts";

const params = z.strictObject({
  kubeconfig: pinnedKubeconfig,
  node: z.string().describe("Name of the node to remove"),
  acceptLoss: z.array(z.string()).describe("Volumes, images and virtual machines whose loss is accepted"),
});

/** The lists that the guard requests from the cluster. */
export const leaveLists = [...leaveLossLists, "upgrades"] as const;

type Cluster = Seen<(typeof leaveLists)[number]>;

/** Refuses to remove a node that the cluster cannot do without, or whose data is nowhere else. */
export const mayLeave = task({
  name: "mayLeave",
  summary: "Refuse to remove a node that the cluster cannot do without, or whose data is nowhere else",
  params,
  examples: [],
  title: ({ node }) => `${node} may leave`,
})
  .facts((p) => ({ ...askCluster(p.kubeconfig, ...leaveLists), domain: libvirtDomain(p.node) }))
  .want((p, now) =>
    decideOn(
      now,
      leaveLists,
      `what would be lost with ${p.node}`,
      (seen) => leaveObstacle(p, seen, leaveLoss(p.node, seen, now.domain)) ?? {},
    ),
  )
  .steps(() => [])
  .notes((p, now) => {
    const look = lookAt(now, ...leaveLists);
    if ("unseen" in look) return [];
    const loss = leaveLoss(p.node, look.seen, now.domain);
    return [...lossNotes(p, loss), ...unwrittenNotes(look.seen.volumes, look.seen.replicas)];
  });

const moreNodes = "raise nodes and disks, and run the harvester-add-node playbook";

/**
 * Refuses if the cluster cannot do without a node, or if its data is nowhere else.
 *
 * @param add how an operator adds a node
 */
export function leaveObstacle(p: Acceptance, cluster: Cluster, loss: LeaveLoss, add = moreNodes): Refusal | undefined {
  const upgrading = refuseDuringUpgrade(cluster.upgrades) ?? refuseHalfUpgraded(cluster.upgrades);
  if (upgrading !== undefined) return upgrading;
  const votes = quorumProblem(cluster.nodes, p.node);
  if (votes !== undefined) {
    return refuse({
      code: "quorum",
      message: votes,
      hint: quorumHint(cluster.nodes, p.node, add),
    });
  }
  // A node that is down cannot move its machines, and will not rebuild any replica.
  const own = cluster.nodes.find(({ name }) => name === p.node);
  const isUp = own?.isUp === true;
  const running = cluster.instances.filter((one) => one.running && one.node === p.node);
  const unexplained = running.filter(({ name }) => own === undefined && !p.acceptLoss.includes(name));
  if (unexplained.length > 0) return notListed(p, unexplained);
  if (isUp && running.length > 0) {
    return refuse({
      code: "machines-on-node",
      message: `virtual machines are running on ${p.node}: ${names(running)}`,
      hint: "Move them to another node, or stop them",
    });
  }
  const problem = unknownNames(p, cluster, loss) ?? unacceptedLoss(p, loss);
  if (problem !== undefined) return problem;
  // While replicas are missing, the remaining ones must not be lost.
  const weak = cluster.volumes.filter(
    ({ name, robustness }) => isUp && robustness === "degraded" && !p.acceptLoss.includes(name),
  );
  if (weak.length === 0) return undefined;
  return refuse({
    code: "volumes-degraded",
    message: `volumes lack replicas: ${names(weak)}`,
    hint: "Wait until Longhorn has rebuilt them",
  });
}

/**
 * Refuses if the cluster does not list the node, but still reports that machines are running on it. After an earlier
 * run has removed the node, the cluster takes a few minutes to notice that its machines have stopped.
 */
function notListed({ node }: Acceptance, running: readonly { readonly name: string }[]): Refusal {
  return refuse({
    code: "node-not-listed",
    message: `the cluster does not list ${node}, but reports that virtual machines are running on it: ${names(running)}`,
    hint: `If an earlier run removed the node, wait a few minutes and rerun; otherwise find out where they run; or, to lose them, add --var acceptLoss='${JSON.stringify(running.map(({ name }) => name).toSorted())}'`,
  });
}

function names(objects: readonly { readonly name: string }[]): string {
  return objects
    .map(({ name }) => name)
    .toSorted()
    .join(", ");
}

/** Says why a node must not leave, according to etcd's rule: more than half of all voting members must be running. */
export function quorumProblem(nodes: readonly VotingNode[], leaving: string): string | undefined {
  const members = etcdMembers(nodes);
  const others = members.filter(({ name }) => name !== leaving);
  if (others.length === 0) return `${leaving} is the only node with the cluster's data`;
  const { up } = countVotes(others);
  const { of, needed } = countVotes(members);
  if (up >= needed) return undefined;
  const troubles = memberTroubles(others);
  const why = troubles === "" ? "" : ` (${troubles})`;
  const both = isNeeded(members, leaving)
    ? ": with two voting nodes, etcd needs both, and loses its quorum without either"
    : "";
  return `without ${leaving} only ${up} of ${of} voting nodes ${isOrAre(up)} up${why}, but ${needed} ${isOrAre(needed)} needed${both}`;
}

/** What to do about a problem with the quorum. One of two voting nodes can never leave, even if both are up. */
export function quorumHint(nodes: readonly VotingNode[], leaving: string, add = moreNodes): string {
  const members = etcdMembers(nodes);
  const wrong = members.filter(({ name, isUp }) => name !== leaving && isUp !== true);
  const mute = wrong.filter(({ name }) => nodes.some((node) => node.name === name && node.ready));
  const repair = mute.map(({ name }) => `on ${name}: journalctl -u rke2-server`).join("; ");
  const first = repair === "" ? "" : `; find out why etcd does not vote (${repair})`;
  if (!isNeeded(members, leaving)) return `Bring the other nodes back up first${first}`;
  const more = `a third voting node first: ${add}`;
  return wrong.length > 0 ? `Bring the other node back up${first}, and then add ${more}` : `Add ${more}`;
}

/** True if the node is one of two voting members: etcd has a quorum only with both. */
function isNeeded(members: readonly { readonly name: string }[], leaving: string): boolean {
  return members.length === 2 && members.some(({ name }) => name === leaving);
}
