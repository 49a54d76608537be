import { refuse, task, z } from "../../src/authoring.ts";
import { etcdSnapshotFolder } from "../../src/facts/catalogue.ts";
import { askCluster, decideOn, lookAt } from "../cluster-answers/answers.ts";
import { lookAtEach, notSeenTexts, unseenLists } from "../cluster-answers/not-seen.ts";
import { countVotes, etcdMembers, memberTroubles } from "../cluster-answers/nodes/etcd-members.ts";
import type { NodeObject } from "../cluster-answers/objects.ts";
import type { EtcdSnapshotObject } from "../cluster-answers/rebuild-objects.ts";
import { isOrAre } from "../cluster/count.ts";

const snapshotLists = ["nodes", "etcdSnapshots"] as const;

/** Shows the newest etcd snapshot, and, if etcd has lost its quorum, how to restore it by hand. */
export const newestSnapshot = task({
  name: "newestSnapshot",
  summary: "Show the newest etcd snapshot, and how to restore it if the quorum is lost",
  params: z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") }),
  examples: [],
  title: () => "the newest etcd snapshot",
})
  .facts((p) => askCluster(p.kubeconfig, ...snapshotLists))
  .want(() => ({}))
  .steps(() => [])
  .notes((_p, now) => {
    const { seen, unseen } = lookAtEach(now, snapshotLists);
    const newest = newestOf(seen.etcdSnapshots ?? []);
    const isHeld = seen.nodes !== undefined && quorumText(seen.nodes) === undefined;
    return [
      ...(newest === undefined
        ? seen.etcdSnapshots === undefined
          ? []
          : ["RKE2 has not recorded a usable etcd snapshot"]
        : [`${newest.name} of ${newest.created}, on ${newest.node}: ${pathOf(newest)}`]),
      ...notSeenTexts(unseenLists(unseen)),
      ...(isHeld ? [] : manualSteps(newest)),
    ];
  });

/**
 * Refuses to plan anything if etcd has lost its quorum: the cluster then accepts no changes, and must be repaired by
 * hand.
 */
export const quorumHeld = task({
  name: "quorumHeld",
  summary: "Refuse to continue if etcd has lost its quorum",
  params: z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") }),
  examples: [],
  title: () => "etcd has quorum",
})
  .facts((p) => askCluster(p.kubeconfig, "nodes"))
  .want((_p, now) =>
    decideOn(now, ["nodes"], "whether etcd has quorum", ({ nodes }) => {
      const lost = quorumText(nodes);
      if (lost === undefined) return {};
      if (mayHaveQuorum(nodes))
        return refuse({
          code: "quorum-unknown",
          message: `cannot tell whether etcd has quorum: ${lost}`,
          hint: "Find out on these nodes why RKE2 does not report it: journalctl -u rke2-server",
        });
      return refuse({
        code: "quorum",
        message: `etcd has lost its quorum: ${lost}`,
        hint: "Follow the steps above by hand; furrow does not restore a cluster",
      });
    }),
  )
  .steps(() => [])
  .notes((_p, now) => {
    const look = lookAt(now, "nodes");
    return "seen" in look ? [votesText(look.seen.nodes)] : [];
  });

/** The newest snapshot that can be restored. */
export function newestOf(snapshots: readonly EtcdSnapshotObject[]): EtcdSnapshotObject | undefined {
  return snapshots
    .filter(({ isUsable }) => isUsable)
    .toSorted((a, b) => (Date.parse(a.created) || 0) - (Date.parse(b.created) || 0))
    .at(-1);
}

function pathOf({ location }: EtcdSnapshotObject): string {
  return location.replace(/^file:\/\//, "");
}

/** Says that etcd has lost its quorum, or that it is not known whether it has one; undefined if etcd has its quorum. */
function quorumText(nodes: readonly NodeObject[]): string | undefined {
  const { up, needed } = countVotes(etcdMembers(nodes));
  return up >= needed ? undefined : votesText(nodes);
}

/** True if etcd may still have its quorum, because the state of some members is unknown. */
function mayHaveQuorum(nodes: readonly NodeObject[]): boolean {
  const { up, unknown, needed } = countVotes(etcdMembers(nodes));
  return up + unknown >= needed;
}

function votesText(nodes: readonly NodeObject[]): string {
  const members = etcdMembers(nodes);
  const { up, of, needed } = countVotes(members);
  const troubles = memberTroubles(members);
  const why = troubles === "" ? "" : ` (${troubles})`;
  return `${up} of ${of} voting nodes ${isOrAre(up)} up, and ${needed} ${isOrAre(needed)} needed${why}`;
}

/** How to restore the quorum by hand (RKE2 docs, "Backup and Restore": Cluster Reset, Restoring a Snapshot). */
function manualSteps(newest: EtcdSnapshotObject | undefined): string[] {
  const path = newest === undefined ? `${etcdSnapshotFolder}/SNAPSHOT` : pathOf(newest);
  return [
    "if the quorum is lost, as root on the nodes:",
    "1. bring nodes back: with more than half of them, nothing has to be restored",
    ...(newest === undefined
      ? [`2. find the newest snapshot on each management node: \`ls -lt ${etcdSnapshotFolder}\``]
      : [`2. use the snapshot above, on ${newest.node}; what changed since then is lost`]),
    "3. on every management node: `systemctl stop rke2-server`",
    `4. on that node: \`/opt/rke2/bin/rke2 server --cluster-reset --cluster-reset-restore-path=${path}\``,
    "5. when it tells you to, on the same node: `systemctl start rke2-server`; wait until it is Ready",
    "6. on the others: move /var/lib/rancher/rke2/server/db away, then `systemctl start rke2-server`",
    "7. run this playbook again; https://docs.rke2.io/datastore/backup_restore explains each step",
  ];
}
