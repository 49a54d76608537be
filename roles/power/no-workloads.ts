import {
  absent,
  absolutePath,
  file,
  libvirtDomain,
  operator,
  refuse,
  type Refusal,
  task,
  z,
} from "../../src/authoring.ts";
import { fileText, isActiveState, isSaved } from "../../src/facts/catalogue.ts";
import { askCluster, lookAt, notSeen, type Seen, type Unseen } from "../cluster-answers/answers.ts";
import { volumeInUse } from "../cluster-answers/longhorn/volumes.ts";
import { isUnproven, pathOf, pinnedKubeconfig } from "../cluster-answers/pinned.ts";
import { listingHint } from "../cluster/unlisted.ts";
import { refuseDuringUpgrade } from "../cluster-upgrade/attempts.ts";
import { maintenanceMarker } from "../cluster/places.ts";
import { reasonsIn } from "../maintenance/marker.ts";
import { freshRecord } from "./checked.ts";

const lists = ["instances", "volumes", "upgrades", "nodes"] as const;
const question = "whether anything runs on the cluster";

const params = z.strictObject({
  kubeconfig: pinnedKubeconfig,
  nodes: z.array(z.string()).min(1).describe("Names of all nodes"),
  order: absolutePath().describe(
    "The recorded shutdown order on the host, which exists while a shutdown is unfinished",
  ),
  record: absolutePath().describe("The file on the host that records when the cluster was last checked"),
});

/**
 * Refuses to shut down a cluster that has running virtual machines or attached volumes, is being upgraded, has nodes
 * that are not listed, or cannot be checked. The cluster need not answer if an unfinished shutdown, which checked it
 * recently, has already switched off too many nodes for it to answer. Outputs whether the cluster answered.
 */
export const noWorkloads = task({
  name: "noWorkloads",
  summary: "Refuse to switch off a cluster that is in use",
  params,
  examples: [],
  title: () => "nothing runs on the cluster",
})
  .facts((p) => ({
    // If the kubeconfig may be for a different cluster, the answers are ignored, but a missing answer still counts.
    ...askCluster(isUnproven(p.kubeconfig) ? pathOf(p.kubeconfig) : p.kubeconfig, ...lists),
    order: file(p.order, ["text"]),
    record: file(p.record, ["text"]),
    marker: file(maintenanceMarker, ["text"]),
    operator: operator(),
    domains: p.nodes.map((name) => libvirtDomain(name)),
  }))
  .want((p, now) => {
    const look = lookAt(now, ...lists);
    if ("seen" in look) {
      if (isUnproven(p.kubeconfig)) return unproven(p);
      return notListed(p.nodes, look.seen) ?? inUse(look.seen) ?? {};
    }
    return needsNoAnswer(p, now, look.unseen) === undefined
      ? notSeen(question, look.unseen, "; force=true switches the cluster off without asking")
      : {};
  })
  .steps(() => [])
  .notes((p, now) => {
    const look = lookAt(now, ...lists);
    const why = "unseen" in look ? needsNoAnswer(p, now, look.unseen) : undefined;
    return why === undefined ? [] : [why];
  })
  .outputs((_p, now) => "seen" in lookAt(now, ...lists));

function unproven({ kubeconfig }: z.output<typeof params>): Refusal {
  return refuse({
    code: "unproven-kubeconfig",
    message: `cannot tell ${question}: nothing shows that the kubeconfig ${pathOf(kubeconfig)} is for the cluster on this host`,
    current: "no record of a node, and no CA certificate that the cluster serves",
    expected: "one of them",
    hint: "Start the cluster with harvester-restart and rerun: a running cluster serves its CA certificate; force=true switches the cluster off without asking",
  });
}

/** Says, instead of `noWorkloads`, which checks were skipped. */
export const workloadsNotAsked = task({
  name: "workloadsNotAsked",
  summary: "Report what a forced shutdown does not check",
  params: z.strictObject({}),
  examples: [],
  title: () => "nothing is checked, because of force",
})
  .facts(() => ({}))
  .want(() => ({}))
  .steps(() => [])
  .notes(() => [
    "force is set, so the cluster was not asked whether virtual machines are running on it, whether its volumes are in use, whether it is being upgraded, or whether it has nodes that the vars do not list",
  ]);

/** Refuses a cluster with nodes that would stay on. */
function notListed(listed: readonly string[], { nodes }: Seen<"nodes">): Refusal | undefined {
  const others = nodes.map(({ name }) => name).filter((name) => !listed.includes(name));
  if (others.length === 0) return undefined;
  return refuse({
    code: "nodes-unlisted",
    message: `the cluster also has ${others.toSorted().join(" and ")}, which the vars do not list, so the shutdown would leave part of it running`,
    current: nodes
      .map(({ name }) => name)
      .toSorted()
      .join(", "),
    expected: listed.toSorted().join(", "),
    hint: `${listingHint}; to leave nodes on other hosts running, set force=true`,
  });
}

/** Refuses a cluster that has running virtual machines or attached volumes, or is being upgraded. */
export function inUse({
  instances,
  volumes,
  upgrades,
}: Seen<"instances" | "volumes" | "upgrades">): Refusal | undefined {
  const upgrading = refuseDuringUpgrade(upgrades, ", or set force=true");
  if (upgrading !== undefined) return upgrading;
  const running = instances.filter((one) => one.running).map(({ name }) => name);
  if (running.length > 0) {
    return refuse({
      code: "machines-running",
      message: `virtual machines are running: ${running.toSorted().join(", ")}`,
      hint: "Shut them down first, or set force=true",
    });
  }
  const used = volumes.filter(({ state }) => state !== "detached").map(volumeInUse);
  if (used.length === 0) return undefined;
  return refuse({
    code: "volumes-attached",
    message: `volumes are in use: ${used.toSorted().join(", ")}`,
    hint: "Stop what uses them (including add-ons such as rancher-monitoring), or set force=true",
  });
}

interface HostState {
  readonly order: unknown;
  readonly record: unknown;
  readonly marker: unknown;
  readonly operator: { readonly since: string };
  readonly domains: readonly (typeof absent | { readonly state: string; readonly saved?: boolean })[];
}

/** Says why the cluster need not answer; undefined if it must. */
function needsNoAnswer(
  { nodes }: z.output<typeof params>,
  { domains, ...now }: HostState,
  unseen: readonly Unseen[],
): string | undefined {
  // A node that is not defined on this host may run elsewhere. A saved node may contain frozen virtual machines.
  const on = domains.filter((domain) => domain === absent || isActiveState(domain.state) || isSaved(domain)).length;
  if (on === 0) return "all nodes are off, so the cluster was not asked whether anything runs on it";
  const checked = freshRecord(nodes, now.record, now.operator.since);
  // A node that is shutting down no longer answers, and a single one of three voting nodes has no quorum. Any answer,
  // even a refusal, would show that the others are up after all.
  const up = domains.filter((domain) => domain === absent || isUp(domain.state)).length;
  const isSilent = up <= 1 && nodes.length > 1 && unseen.every(({ code }) => silence.test(code));
  if (checked === undefined || !hasBegun(nodes, now) || !isSilent) return undefined;
  const still =
    up === 0
      ? `none of its ${nodes.length} nodes is up`
      : `1 of ${nodes.length} nodes is still up, and cannot answer alone`;
  return `the cluster was checked at ${checked}, and its shutdown has begun: ${still}`;
}

/**
 * True if a shutdown of these nodes has begun and is not finished: its recorded order and its reason for maintenance
 * exist.
 */
function hasBegun(nodes: readonly string[], { order, marker }: Pick<HostState, "order" | "marker">): boolean {
  const recorded = (fileText(order) ?? "").split("\n").filter((line) => line !== "");
  const reasons = reasonsIn(fileText(marker) ?? "");
  return (
    recorded.toSorted().join() === nodes.toSorted().join() && reasons.some(({ by }) => by === "harvester-shutdown")
  );
}

function isUp(state: string): boolean {
  return isActiveState(state) && state !== "in shutdown";
}

/**
 * The errors of a cluster that has no quorum: nothing answers, or a server says that the API behind it does not answer.
 */
export const silence = /^(timeout|ETIMEDOUT|EHOSTDOWN|ECONN\w+|E\w+UNREACH|HTTP 5\d\d)$/;
