import { absent, kubernetesCall, refuse, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt, type Seen } from "../cluster-answers/answers.ts";
import { askObject, decideOnObject } from "../cluster-answers/one-object.ts";
import { nodePath } from "../node-removal/node-gone.ts";
import { annotationsWithout } from "./annotations.ts";
import { type Restart, startsByHand } from "./machines.ts";
import { noNode } from "./may-enter.ts";
import { earlierStrategy, nodeStoppedFor, stoppedFor } from "./record.ts";
import { askedBy, drainForced, drainRequested, drainTaint, maintainStatus, maintenanceOf } from "./state.ts";

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  node: z.string().describe("Name of the node"),
});

const lists = ["nodes", "machines"] as const;

/** The actions that end the maintenance of a node. */
export interface LeavePlan {
  /** True if the node is in maintenance, or if that has been requested. */
  readonly ends: boolean;
  /** True if the node only has furrow's own annotation, left over from a request that Harvester has canceled. */
  readonly forgets: boolean;
  readonly restarts: readonly Restart[];
  /** The machines that stay off, because others have set their run strategy to Halted since they were shut down. */
  readonly staysOff: readonly { readonly machine: string; readonly by: readonly string[] }[];
}

/** Finds out whether a node is in maintenance, or will be, and which machines were shut down for it. */
export const mayReturn = task({
  name: "mayReturn",
  summary: "Find out what has to be undone after the maintenance of a node",
  params,
  examples: [],
  title: ({ node }) => `${node} may leave maintenance`,
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want((p, now) =>
    decideOn(now, lists, `whether ${p.node} is in maintenance`, ({ nodes }) => {
      const own = nodes.find(({ name }) => name === p.node);
      if (own === undefined) return noNode(p.node, nodes);
      return maintenanceOf(own).byCondition
        ? refuse({
            code: "newer-maintenance",
            message: `this version of Harvester stores the maintenance of ${p.node} in a condition, which furrow does not change`,
            hint: "End it in the Harvester UI: Hosts, the node's menu, Disable Maintenance Mode",
          })
        : {};
    }),
  )
  .steps(() => [])
  .notes((p, now) => {
    const look = lookAt(now, ...lists);
    if ("unseen" in look) return [];
    const own = look.seen.nodes.find(({ name }) => name === p.node);
    const { ends, forgets, restarts, staysOff } = planOf(p.node, look.seen);
    const kept = new Map(staysOff.map(({ machine, by }) => [machine, by.join(" and ")]));
    const starts = restarts.map(({ machine, strategy }) =>
      kept.has(machine)
        ? `${machine} STAYS OFF: ${kept.get(machine)} has set its run strategy to Halted since it was shut down`
        : strategy === undefined
          ? `somebody has already started ${machine}`
          : startsByHand(strategy)
            ? `${machine} STAYS OFF: with the run strategy ${strategy}, KubeVirt starts it only on request; start it yourself`
            : `${machine} starts again (${strategy})`,
    );
    if (ends) return [...starts, "machines that have moved away do not come back by themselves"];
    const notes = forgets
      ? [...starts, `${p.node} is not in maintenance: only furrow's annotation for a withdrawn request is removed`]
      : starts;
    if (notes.length === 0 && own?.cordoned === false)
      return [`${p.node} is not in maintenance, and no machine was shut down for it: nothing to undo`];
    return own?.cordoned === true
      ? [...notes, `${p.node} is not in maintenance, but it stays cordoned: uncordon it if you do not want that`]
      : notes;
  })
  .outputs((p, now): LeavePlan => {
    const look = lookAt(now, ...lists);
    return "seen" in look ? planOf(p.node, look.seen) : { ends: false, forgets: false, restarts: [], staysOff: [] };
  });

type Cluster = Seen<(typeof lists)[number]>;

function planOf(node: string, { nodes, machines }: Cluster): LeavePlan {
  const own = nodes.find(({ name }) => name === node);
  const stopped = machines.flatMap((machine) => {
    const earlier = earlierOf(node, machine);
    return earlier === undefined ? [] : [{ ...machine, earlier, isOff: machine.strategy === "Halted" }];
  });
  // The patch that shut a machine down took the field away from all other owners, so any other owner has set it since
  // then.
  const staysOff = stopped.flatMap(({ name: machine, isOff, strategyAppliers: by }) =>
    isOff && by.length > 0 ? [{ machine, by }] : [],
  );
  const restarts = stopped.map(({ name: machine, earlier, isOff, strategyAppliers }): Restart => {
    return { machine, ...(isOff && strategyAppliers.length === 0 && { strategy: earlier }) };
  });
  const ends = own !== undefined && maintenanceOf(own).is !== "none";
  return { ends, forgets: own !== undefined && !ends && askedBy in own.annotations, restarts, staysOff };
}

/** The run strategy that a machine had before it was shut down for this node; undefined if it was not. */
function earlierOf(node: string, machine: Cluster["machines"][number]): string | undefined {
  if (nodeStoppedFor(machine) !== node) return undefined;
  const recorded = machine.annotations[stoppedFor] === node ? earlierStrategy : "harvesterhci.io/vmRunStrategy";
  return machine.annotations[recorded] ?? "RerunOnFailure";
}

const ownAnnotations = [drainRequested, drainForced, maintainStatus, askedBy];

const taintsSchema = z.looseObject({
  metadata: z.looseObject({ resourceVersion: z.string() }),
  spec: z.looseObject({ taints: z.array(z.looseObject({ key: z.string() })).default([]) }),
});

/** The taints that stay, and the version of the node in which they were seen; undefined if none has to be removed. */
function taintsLeft(object: unknown) {
  const read = taintsSchema.safeParse(object);
  if (!read.success || !read.data.spec.taints.some(({ key }) => key === drainTaint)) return undefined;
  const { metadata, spec } = read.data;
  return {
    resourceVersion: metadata.resourceVersion,
    taints: spec.taints.filter(({ key }) => key !== drainTaint),
  };
}

/**
 * Removes furrow's own annotation from a node that is not in maintenance. A cordon then belongs to someone else, and
 * stays.
 */
export const requestForgotten = task({
  name: "requestForgotten",
  summary: "Remove furrow's annotation for maintenance that Harvester has refused",
  params,
  examples: [],
  title: ({ node }) => `the refused request for the maintenance of ${node} is removed`,
})
  .facts((p) => ({ node: askObject(p.kubeconfig, nodePath(p.node)) }))
  .want((p, { node }) =>
    decideOnObject(node, { kind: "Node", name: p.node }, `whether ${p.node} has an annotation for a request`, (own) =>
      own === undefined
        ? noNode(p.node, [])
        : {
            node: { found: true as const, object: { metadata: { annotations: annotationsWithout(own, [askedBy]) } } },
          },
    ),
  )
  .steps((p, { change }) => [
    change.node &&
      kubernetesCall(
        p.kubeconfig,
        "PATCH",
        nodePath(p.node),
        `remove furrow's annotation from ${p.node}`,
        forgetPatch(),
      ),
  ]);

/** The patch that removes furrow's own annotation from a node. */
export function forgetPatch() {
  return { metadata: { annotations: { [askedBy]: null } } };
}

/** Ends the maintenance of a node, as Harvester itself does: the node may then run machines again. */
export const nodeReturned = task({
  name: "nodeReturned",
  summary: "End the maintenance of a node",
  params,
  examples: [],
  title: ({ node }) => `${node} is in service`,
})
  .facts((p) => ({ node: askObject(p.kubeconfig, nodePath(p.node)) }))
  .want((p, { node }) =>
    decideOnObject(node, { kind: "Node", name: p.node }, `whether ${p.node} is in service`, (own) => {
      if (own === undefined) return noNode(p.node, []);
      const left = taintsLeft(own)?.taints;
      const annotations = annotationsWithout(own, ownAnnotations);
      const taints = left !== undefined && { taints: left.length === 0 ? absent : left };
      return {
        node: {
          found: true as const,
          object: { metadata: { annotations }, spec: { unschedulable: absent, ...taints } },
        },
      };
    }),
  )
  .steps((p, { change, now: { node } }) => {
    const left = "object" in node ? taintsLeft(node.object) : undefined;
    return [
      change.node &&
        kubernetesCall(p.kubeconfig, "PATCH", nodePath(p.node), `end the maintenance of ${p.node}`, returnPatch(left)),
    ];
  });

/** The patch that ends the maintenance of a node. */
export function returnPatch(left?: ReturnType<typeof taintsLeft>) {
  return {
    metadata: {
      annotations: Object.fromEntries(ownAnnotations.map((name) => [name, null])),
      // A list is replaced as a whole, so the patch must not undo what somebody else has changed in it.
      ...(left !== undefined && { resourceVersion: left.resourceVersion }),
    },
    spec: { unschedulable: null, ...(left !== undefined && { taints: left.taints as never }) },
  };
}
