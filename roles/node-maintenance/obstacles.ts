import { refuse, type Refusal } from "../../src/authoring.ts";
import type { Seen } from "../cluster-answers/answers.ts";
import type { NodeObject } from "../cluster-answers/objects.ts";
import { counted } from "../cluster/count.ts";
import { refuseDuringUpgrade } from "../cluster-upgrade/attempts.ts";
import { lossLists, lossOf, lostText } from "../node-removal/loss.ts";
import { quorumHint, quorumProblem } from "../node-removal/quorum.ts";
import { fatesOf, strategyLabel } from "./fates.ts";
import { refuseByHand, startsByHand } from "./machines.ts";
import { isManagement, keptError, maintenanceOf } from "./state.ts";

/** The query that is sent before a node enters maintenance. */
export const enterLists = [...lossLists, "upgrades"] as const;

/** The cluster in which a node should enter maintenance. */
export type EnterCluster = Seen<(typeof enterLists)[number]>;

/** What the user requests and accepts. */
export interface EnterWish {
  readonly node: string;
  readonly shutDown: readonly string[];
  readonly acceptOutOfReach: readonly string[];
}

/**
 * Harvester drains a management node only if the cluster has three of them (DrainPossible in
 * pkg/util/drainhelper/helper.go).
 */
const neededManagers = 3;

/** The first reason why a node must not enter maintenance; undefined if it may. */
export function enterObstacle(wish: EnterWish, own: NodeObject, cluster: EnterCluster): Refusal | undefined {
  return (
    refuseDuringUpgrade(cluster.upgrades) ??
    keptError(own) ??
    nodesProblem(own, cluster.nodes) ??
    namesProblem(wish, cluster) ??
    machinesProblem(wish, cluster) ??
    byHandProblem(wish, cluster) ??
    volumesProblem(wish, cluster)
  );
}

function nodesProblem(own: NodeObject, nodes: readonly NodeObject[]): Refusal | undefined {
  const { name, ready } = own;
  const no = (code: string, message: string, hint: string): Refusal => refuse({ code, message, hint });
  if (!ready)
    return no(
      "node-not-ready",
      `${name} is not ready: nothing on it can move`,
      "Start the node, or remove or replace it with harvester-remove-node or harvester-replace-node",
    );
  const away = nodes.filter((one) => one.name !== name && (one.maintained || maintenanceOf(one).is !== "none"));
  if (away.length > 0)
    return no(
      "other-maintenance",
      `${away.map((one) => one.name).join(", ")} is in maintenance, or will be`,
      `End that maintenance first: --var action=leave --var node=${away[0]?.name}`,
    );
  const managers = nodes.filter(isManagement);
  if (isManagement(own) && managers.length !== neededManagers)
    return no(
      "management-node",
      managers.length === 1
        ? `${name} is the only management node`
        : `Harvester drains a management node only if the cluster has ${neededManagers} of them, and it has ${managers.length}`,
      "Add management nodes first, or shut the cluster down with the harvester-shutdown playbook",
    );
  const votes = quorumProblem(nodes, name);
  if (votes !== undefined) return no("quorum", votes, quorumHint(nodes, name));
  if (!nodes.some((one) => one.name !== name && one.ready && !one.cordoned))
    return no("last-node", `${name} is the last node that machines can run on`, "Uncordon or start another node first");
  return undefined;
}

/** Refuses names that would have no effect: misspelled ones, and machines that could stay where they are. */
function namesProblem({ node, shutDown, acceptOutOfReach }: EnterWish, cluster: EnterCluster): Refusal | undefined {
  const { volumes: lost } = lossOf(node, cluster);
  const defined = new Set(cluster.machines.map(({ name }) => name));
  const users = new Set(lost.flatMap(({ machines }) => machines));
  const wrong = shutDown.flatMap((name) => {
    if (!defined.has(name)) return [`shutDown names ${name}, which has no definition in the cluster`];
    const own = cluster.instances.find((one) => one.name === name && one.running);
    return own === undefined || own.node === node || users.has(name)
      ? []
      : [`shutDown names ${name}, which runs on ${own.node ?? "no node yet"} and can stay there`];
  });
  const known = new Set([...cluster.volumes, ...lost].map(({ name }) => name));
  const unknown = acceptOutOfReach.filter((name) => !known.has(name));
  const all = [
    ...wrong,
    ...unknown.map((name) => `acceptOutOfReach lists ${name}, which does not exist in the cluster`),
  ];
  if (all.length === 0) return undefined;
  return refuse({ code: "names-unknown", message: all.join("; "), hint: "Correct the names, or remove them" });
}

/**
 * What to do about machines that cannot stay on: furrow may shut down those that have a VirtualMachine object; it could
 * not restart the others.
 */
function shutDownHint(machines: readonly string[], shutDown: readonly string[], cluster: EnterCluster): string {
  const defined = new Set(cluster.machines.map(({ name }) => name));
  const names = machines.filter((name) => defined.has(name));
  const lone = machines.filter((name) => !defined.has(name));
  const allowed = JSON.stringify([...new Set([...shutDown, ...names])]);
  const [has, them] = lone.length === 1 ? ["has", "it"] : ["have", "them"];
  const deletions = lone.map((name) => {
    const [namespace = "", own = ""] = name.split("/");
    return `kubectl delete vmi ${own} -n ${namespace}`;
  });
  const texts = [
    names.length > 0 && `to let ${names.join(", ")} be shut down, add --var shutDown='${allowed}'`,
    lone.length > 0 &&
      `${lone.join(", ")} ${has} no VirtualMachine, so furrow could not start ${them} again: stop ${them} yourself, with ${deletions.join(" and ")}`,
  ];
  return texts.filter((text) => text !== false).join("; ");
}

function machinesProblem({ node, shutDown }: EnterWish, cluster: EnterCluster): Refusal | undefined {
  const open = fatesOf(node, cluster).filter(({ machine }) => !shutDown.includes(machine));
  const bound = open.filter(({ why, label }) => label !== undefined || why !== undefined);
  if (bound.length === 0) return undefined;
  const texts = bound.map(({ machine, why, label }) =>
    label === undefined ? `${machine} (${why})` : `${machine} (Harvester shuts it down because of its label, ${label})`,
  );
  const names = bound.map(({ machine }) => machine);
  return refuse({
    code: "machines-bound",
    message: `${counted(bound.length, "virtual machine")} on ${node} cannot move: ${texts.join(", ")}`,
    hint: `Remove what ties them to the node; or: ${shutDownHint(names, shutDown, cluster)}`,
  });
}

/** A machine that its owner wants to stay off has Harvester's label `Shutdown`. */
function byHandProblem({ node, shutDown }: EnterWish, { instances, machines }: EnterCluster): Refusal | undefined {
  const off = instances.filter(
    (one) =>
      one.running &&
      shutDown.includes(one.name) &&
      !(one.node === node && one.labels[strategyLabel] === "Shutdown") &&
      machines.some(({ name, strategy }) => name === one.name && startsByHand(strategy)),
  );
  return off.length === 0 ? undefined : refuseByHand(off.map(({ name }) => name));
}

function volumesProblem(wish: EnterWish, cluster: EnterCluster): Refusal | undefined {
  const { node, shutDown, acceptOutOfReach } = wish;
  const lost = lossOf(node, cluster).volumes;
  const open = lost.filter(({ name }) => !acceptOutOfReach.includes(name));
  if (open.length > 0)
    return refuse({
      code: "volumes-out-of-reach",
      message: `while ${node} is in maintenance, ${counted(open.length, "volume")} would be out of reach: ${lostText(open)}`,
      hint: `Give each volume a healthy replica on another node; or add --var acceptOutOfReach='${JSON.stringify(lost.map(({ name }) => name))}'`,
    });
  const running = new Set(cluster.instances.filter((one) => one.running).map(({ name }) => name));
  const using = lost.flatMap(({ name, machines }) =>
    machines.filter((one) => running.has(one) && !shutDown.includes(one)).map((one) => ({ one, name })),
  );
  if (using.length > 0)
    return refuse({
      code: "machines-without-volume",
      message: `virtual machines run on volumes that would be out of reach: ${using.map(({ one, name }) => `${one} (${name})`).join(", ")}`,
      hint: `Stop these machines first; or: ${shutDownHint([...new Set(using.map(({ one }) => one))], shutDown, cluster)}`,
    });
  // Longhorn keeps the last replica of an attached volume on its node, so the drain would never finish.
  const held = lost.filter(
    ({ name, machines }) =>
      !machines.some((one) => running.has(one)) &&
      cluster.volumes.some((one) => one.name === name && one.state === "attached"),
  );
  if (held.length > 0)
    return refuse({
      code: "volumes-attached",
      message: `volumes whose only replica is on ${node} are in use by something other than a virtual machine: ${held.map(({ name }) => name).join(", ")}`,
      hint: "Stop the pods that use them, and wait until Longhorn has detached the volumes",
    });
  const weak = cluster.volumes.filter(
    ({ name, robustness }) => robustness === "degraded" && !acceptOutOfReach.includes(name),
  );
  if (weak.length === 0) return undefined;
  return refuse({
    code: "volumes-degraded",
    message: `volumes lack replicas, and Longhorn would not let their machines migrate: ${weak.map(({ name }) => name).join(", ")}`,
    hint: "Wait until Longhorn has rebuilt them",
  });
}
