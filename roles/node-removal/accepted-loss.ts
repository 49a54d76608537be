import { absent, refuse, type Refusal } from "../../src/authoring.ts";
import { isActiveState, type LibvirtDomain } from "../../src/facts/catalogue.ts";
import type { Seen } from "../cluster-answers/answers.ts";
import { counted } from "../cluster/count.ts";
import { type Loss, lossLists, lossOf, lostText } from "./loss.ts";
import { imagesLostWith, lostImagesText, type LostImage } from "./lost-images.ts";

/** The lists that show what would be lost if a node were removed. */
export const leaveLossLists = [...lossLists, "backingImages", "images"] as const;

type Cluster = Seen<(typeof leaveLossLists)[number]>;

/** What would be lost if a node were removed now. */
export interface LeaveLoss extends Loss {
  readonly images: readonly LostImage[];
  /** Virtual machines that may still be running on the node, although its kubelet does not answer. */
  readonly killed: readonly string[];
}

/** The node and the loss that the user accepts. */
export interface Acceptance {
  readonly node: string;
  readonly acceptLoss: readonly string[];
}

/**
 * Simulates the removal of a node. If only its kubelet has failed, its virtual machines keep running, and nobody can
 * move them; once the node's own machine is off in libvirt, they have stopped.
 */
export function leaveLoss(node: string, cluster: Cluster, domain: LibvirtDomain | typeof absent): LeaveLoss {
  const loss = lossOf(node, cluster);
  const own = cluster.nodes.find(({ name }) => name === node);
  const mayRun = own?.isUp === false && domain !== absent && isActiveState(domain.state);
  const running = cluster.instances.filter((one) => mayRun && one.running && one.node === node);
  return {
    ...loss,
    images: imagesLostWith(node, cluster),
    killed: running.flatMap(({ name }) => (loss.machines.includes(name) ? [] : [name])).toSorted(),
  };
}

/** Refuses names that do not exist in the cluster: a misspelled name would have no effect. */
export function unknownNames({ acceptLoss }: Acceptance, cluster: Cluster, loss: LeaveLoss): Refusal | undefined {
  const named = [
    ...cluster.volumes,
    ...loss.volumes,
    ...cluster.instances,
    ...cluster.images,
    ...cluster.backingImages,
  ];
  const known = new Set(named.map(({ name }) => name));
  const unknown = acceptLoss.filter((name) => !known.has(name));
  if (unknown.length === 0) return undefined;
  return refuse({
    code: "loss-unknown",
    message: `acceptLoss lists names that do not exist in the cluster: ${unknown.join(", ")}`,
    hint: "Correct the names, or remove them from acceptLoss",
  });
}

/** Refuses to lose what the user has not accepted by name. */
export function unacceptedLoss({ node, acceptLoss }: Acceptance, loss: LeaveLoss): Refusal | undefined {
  const open = (name: string): boolean => !acceptLoss.includes(name);
  const rest: LeaveLoss = {
    volumes: loss.volumes.filter(({ name }) => open(name)),
    machines: loss.machines.filter(open),
    images: loss.images.filter(({ name }) => open(name)),
    killed: loss.killed.filter(open),
  };
  if (namesOf(rest).length === 0) return undefined;
  const isOnlyKilled = namesOf(rest).length === rest.killed.length;
  const first = isOnlyKilled ? "" : "Move or back up this data first";
  const off = rest.killed.length === 0 ? "" : `Repair the kubelet, or shut ${node} down and rerun`;
  return refuse({
    code: "data-would-be-lost",
    message: `without ${node} these would be lost: ${lossText(node, rest)}`,
    hint: `${[off, first].filter(Boolean).join("; ")}; or, to lose it, add --var acceptLoss='${JSON.stringify(namesOf(loss))}'`,
  });
}

function namesOf({ volumes, machines, images, killed }: LeaveLoss): string[] {
  return [...volumes.map(({ name }) => name), ...machines, ...images.map(({ name }) => name), ...killed];
}

function lossText(node: string, { volumes, machines, images, killed }: LeaveLoss): string {
  return [
    ...(volumes.length > 0 ? [`${counted(volumes.length, "volume")}: ${lostText(volumes)}`] : []),
    ...(machines.length > 0 ? [`${counted(machines.length, "virtual machine")}: ${machines.join(", ")}`] : []),
    ...(images.length > 0 ? [`${counted(images.length, "image")}: ${lostImagesText(images)}`] : []),
    ...(killed.length > 0
      ? [
          `the memory of ${counted(killed.length, "virtual machine")} (${node} is not ready, but it is running in libvirt, so they may be too): ${killed.join(", ")}`,
        ]
      : []),
  ].join("; and ");
}

/** Says what will be lost, and which names were accepted needlessly. */
export function lossNotes({ node, acceptLoss }: Acceptance, loss: LeaveLoss): string[] {
  const lost = namesOf(loss);
  const spared = acceptLoss.filter((name) => !lost.includes(name));
  return [
    lost.length === 0
      ? `without ${node} no volume, no image and no virtual machine would be lost`
      : `lost with ${node}, as accepted: ${lossText(node, loss)}`,
    ...(spared.length > 0 ? [`listed in acceptLoss, but not lost with ${node}: ${spared.join(", ")}`] : []),
  ];
}
