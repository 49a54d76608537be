import { kubernetesCall, operator, refuse, type Refusal, seconds, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt, type Seen } from "../cluster-answers/answers.ts";
import { askObject, decideOnObject } from "../cluster-answers/one-object.ts";
import { nodePath } from "../node-removal/node-gone.ts";
import { enterParams, noNode } from "./may-enter.ts";
import { enterLists, enterObstacle } from "./obstacles.ts";
import { askedBy, drainForced, drainRequested, failedMaintenance, keptError, maintenanceOf } from "./state.ts";

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  node: z.string().describe("Name of the node"),
});

/**
 * Asks Harvester, without force, to put a node into maintenance if that is still allowed: Harvester then shuts down
 * only the machines that carry Harvester's own label. Harvester removes the request once it has processed it, so furrow
 * leaves its own annotation.
 */
export const maintenanceAsked = task({
  name: "maintenanceAsked",
  summary: "Ask Harvester to put a node into maintenance",
  params: enterParams,
  examples: [],
  title: ({ node }) => `Harvester has a maintenance request for ${node}`,
})
  .facts((p) => ({
    node: askObject(p.kubeconfig, nodePath(p.node)),
    operator: operator(),
    ...askCluster(p.kubeconfig, ...enterLists),
  }))
  .want((p, { node, operator: who, ...answers }) =>
    decideOnObject(node, { kind: "Node", name: p.node }, `whether ${p.node} exists`, (found) =>
      decideOn(answers, enterLists, `whether ${p.node} may enter maintenance`, (seen) => {
        const own = seen.nodes.find(({ name }) => name === p.node);
        if (found === undefined || own === undefined) return noNode(p.node, seen.nodes);
        // Shutting down the machines took time, and others may have moved to the node in the meantime.
        const obstacle = maintenanceOf(own).is === "none" ? enterObstacle(p, own, seen) : failedMaintenance(own);
        const object = { metadata: { annotations: { [askedBy]: stamp(who) } } };
        return obstacle ?? { node: { found: true as const, object } };
      }),
    ),
  )
  .steps((p, { change, now }) => [
    change.node &&
      kubernetesCall(
        p.kubeconfig,
        "PATCH",
        nodePath(p.node),
        `request the maintenance of ${p.node}`,
        requestPatch(stamp(now.operator)),
      ),
  ]);

/** The patch that asks Harvester to put a node into maintenance. @param who the user who asks, and since when */
export function requestPatch(who: string) {
  return { metadata: { annotations: { [drainRequested]: "true", [drainForced]: null, [askedBy]: who } } };
}

function stamp({ who, since }: { readonly who: string; readonly since: string }): string {
  return `${who} ${since}`;
}

const lists = ["nodes", "instances"] as const;

/** Waits until Harvester has drained a node, and says what is still on it. Fails at once if Harvester refuses. */
export const nodeEmptied = task({
  name: "nodeEmptied",
  summary: "Wait until Harvester has put a node into maintenance",
  params: params.extend({ deadlineSeconds: seconds().describe("Seconds after which the wait fails") }),
  examples: [],
  title: ({ node }) => `${node} is in maintenance`,
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want((p, now) =>
    decideOn(now, lists, `how far the maintenance of ${p.node} has progressed`, (seen) => notYet(p.node, seen) ?? {}),
  )
  .wait((p) => ({
    intervalSeconds: 5,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: `Harvester to empty ${p.node}`,
  }))
  .notes((p, now) => {
    const look = lookAt(now, ...lists);
    return "seen" in look && notYet(p.node, look.seen) === undefined
      ? [`${p.node} is empty: work on it, then run this playbook with --var action=leave`]
      : [];
  });

function notYet(node: string, { nodes, instances }: Seen<(typeof lists)[number]>): Refusal | undefined {
  const own = nodes.find(({ name }) => name === node);
  if (own === undefined) return noNode(node, nodes);
  const { is, trouble } = maintenanceOf(own);
  if (is === "completed") return undefined;
  const failed = failedMaintenance(own);
  if (failed !== undefined) return failed;
  if (is === "none") {
    // Harvester cancels a request that it cannot fulfill; furrow's own annotation stays.
    const isRefused = askedBy in own.annotations;
    return refuse({
      code: "maintenance-refused",
      message: isRefused
        ? `Harvester has refused the maintenance of ${node}: ${trouble || "see its log in the namespace harvester-system"}`
        : `nobody has asked Harvester to put ${node} into maintenance`,
      hint: keptError(own)?.reason.hint ?? "Fix the cause, then rerun",
      ...(isRefused && { final: true as const }),
    });
  }
  const left = instances.filter((one) => one.running && one.node === node);
  const machines =
    left.length === 0 ? "no machine is left on it" : `still on it: ${left.map(({ name }) => name).join(", ")}`;
  return refuse({
    code: "not-yet",
    message: `${is === "requested" ? "it is being drained" : "its machines are moving away"}; ${machines}${trouble === "" ? "" : `; Harvester reports: ${trouble}`}`,
    hint: "Harvester keeps trying; action=leave withdraws the request",
  });
}
