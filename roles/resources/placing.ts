import type { NodeObject } from "../cluster-answers/objects.ts";
import type { PodObject, Requests } from "../cluster-answers/workload-objects.ts";
import { requestedOn } from "./nodes.ts";

/** The node of a pod, or undefined if the pod does not fit. */
export interface Placed {
  readonly pod: PodObject;
  readonly node: string | undefined;
}

interface Room {
  readonly node: NodeObject;
  free: Requests;
}

/**
 * Places pods on nodes, the largest first, each on the node with the most memory left. It compares requests, and the
 * labels that a pod's selector names; it ignores affinity, and may miss an arrangement that the scheduler finds.
 * Returns undefined if the size of a node is not known.
 */
export function placed(
  moving: readonly PodObject[],
  nodes: readonly NodeObject[],
  pods: readonly PodObject[],
): Placed[] | undefined {
  const rooms: Room[] = [];
  for (const node of nodes) {
    const { cpu, memory } = node.allocatable;
    const requested = requestedOn(node.name, pods);
    if (cpu === undefined || memory === undefined) return undefined;
    rooms.push({ node, free: { cpu: cpu - (requested.cpu ?? 0), memory: memory - (requested.memory ?? 0) } });
  }
  const largestFirst = moving.toSorted(
    (a, b) => b.requests.memory - a.requests.memory || b.requests.cpu - a.requests.cpu,
  );
  return largestFirst.map((pod) => {
    const { requests, selector } = pod;
    const room = rooms
      .filter(
        ({ node, free }) => hasLabels(node, selector) && free.cpu >= requests.cpu && free.memory >= requests.memory,
      )
      .toSorted((a, b) => b.free.memory - a.free.memory)[0];
    if (room !== undefined)
      room.free = { cpu: room.free.cpu - requests.cpu, memory: room.free.memory - requests.memory };
    return { pod, node: room?.node.name };
  });
}

/** True if a node has all labels of a selector; one of them may be the label with the name of a node. */
function hasLabels({ labels }: NodeObject, selector: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(([label, value]) => labels[label] === value);
}
