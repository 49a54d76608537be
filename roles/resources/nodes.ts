import { task, z } from "../../src/authoring.ts";
import { askCluster } from "../cluster-answers/answers.ts";
import { lookAtEach, needsKubeconfig, notSeenTexts, unseenLists } from "../cluster-answers/not-seen.ts";
import type { NodeObject } from "../cluster-answers/objects.ts";
import type { PodObject, Requests } from "../cluster-answers/workload-objects.ts";
import { amount, gib, sum, table } from "./table.ts";

const lists = ["nodes", "pods"] as const;

/** Reports the processors and the memory of each node: what it has, what is reserved, requested and free. */
export const nodeResources = task({
  name: "nodeResources",
  summary: "Report the processors and the memory of each node",
  params: z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") }),
  examples: [],
  title: () => "nodes",
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want((_p, now) => needsKubeconfig(now))
  .steps(() => [])
  .notes((_p, now) => {
    const { seen, unseen } = lookAtEach(now, lists);
    const { nodes, pods } = seen;
    return [
      ...(nodes === undefined ? [] : [...resourceTable("cores", nodes, pods), ...resourceTable("memory", nodes, pods)]),
      ...(nodes ?? []).flatMap(stateTexts),
      ...waitingTexts(pods ?? []),
      ...notSeenTexts(unseenLists(unseen)),
    ];
  });

/** The sum of the requests of all pods on a node; undefined if the pods are unknown. */
export function requestedOn(node: string, pods: readonly PodObject[] | undefined): Partial<Requests> {
  const own = pods?.filter((pod) => pod.node === node && !pod.hasEnded);
  return {
    cpu: sum(own?.map(({ requests }) => requests.cpu) ?? [undefined]),
    memory: sum(own?.map(({ requests }) => requests.memory) ?? [undefined]),
  } as Partial<Requests>;
}

function resourceTable(
  what: "cores" | "memory",
  nodes: readonly NodeObject[],
  pods: readonly PodObject[] | undefined,
): string[] {
  const [key, text, heading] =
    what === "cores" ? (["cpu", amount, "cores"] as const) : (["memory", gib, "memory, GiB"] as const);
  const rows = nodes.map(({ name, capacity, allocatable }) => {
    const [has, usable, requested] = [capacity[key], allocatable[key], requestedOn(name, pods)[key]];
    return { name, has, reserved: minus(has, usable), usable, requested, free: minus(usable, requested) };
  });
  const total = {
    name: "all",
    has: sum(rows.map(({ has }) => has)),
    reserved: sum(rows.map(({ reserved }) => reserved)),
    usable: sum(rows.map(({ usable }) => usable)),
    requested: sum(rows.map(({ requested }) => requested)),
    free: sum(rows.map(({ free }) => free)),
  };
  return table(
    [0],
    [
      [heading, "has", "reserved", "usable", "requested", "free"],
      ...[...rows, ...(rows.length > 1 ? [total] : [])].map(({ name, has, reserved, usable, requested, free }) => [
        name,
        ...[has, reserved, usable, requested, free].map((number) => text(number)),
      ]),
    ],
  );
}

/** The difference; undefined if one of the numbers is unknown. */
export function minus(from: number | undefined, less: number | undefined): number | undefined {
  return from === undefined || less === undefined ? undefined : from - less;
}

function stateTexts({ name, ready, cordoned, maintained, capacity, allocatable }: NodeObject): string[] {
  const known = [capacity.cpu, capacity.memory, allocatable.cpu, allocatable.memory];
  return [
    ...(ready ? [] : [`${name} is not ready: its pods might not be running`]),
    ...(maintained
      ? [`${name} is in maintenance: it gets no machines`]
      : cordoned
        ? [`${name} is cordoned: it gets no pods`]
        : []),
    ...(known.includes(undefined) ? [`unknown: the size of ${name}, because its kubelet has not reported it`] : []),
  ];
}

function waitingTexts(pods: readonly PodObject[]): string[] {
  const waiting = pods.filter(({ node, hasEnded }) => node === undefined && !hasEnded);
  return waiting.length === 0
    ? []
    : [`not counted, because they are waiting for a node: ${waiting.map(({ name }) => name).join(", ")}`];
}
