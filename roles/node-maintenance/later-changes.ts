import type { LaterChange } from "../cluster-answers/changes-accepted.ts";
import { nodePath } from "../node-removal/node-gone.ts";
import { forgetPatch, type LeavePlan, returnPatch } from "./leave.ts";
import { haltPatch, machinePath, restartPatch } from "./machines.ts";
import { requestPatch } from "./maintenance.ts";
import type { EnterPlan } from "./may-enter.ts";
import { stoppedFor } from "./record.ts";

function ofNode(node: string, body: LaterChange["body"]): LaterChange {
  return { name: `Node ${node}`, path: nodePath(node), body };
}

function ofMachine(machine: string, body: LaterChange["body"]): LaterChange {
  return { name: `VirtualMachine ${machine}`, path: machinePath(machine), body };
}

/** Everything that is changed to put a node into maintenance, in order. */
export function enterChanges(node: string, { begins, halts }: EnterPlan): LaterChange[] {
  const machines = halts.map((machine) => ofMachine(machine, haltPatch({ [stoppedFor]: node })));
  return begins ? [...machines, ofNode(node, requestPatch("furrow"))] : machines;
}

/** Everything that is changed to end the maintenance of a node, in order. */
export function leaveChanges(node: string, { ends, forgets, restarts }: LeavePlan): LaterChange[] {
  return [
    ...(ends ? [ofNode(node, returnPatch())] : []),
    ...(forgets ? [ofNode(node, forgetPatch())] : []),
    ...restarts.map(({ machine, strategy }) => ofMachine(machine, restartPatch(strategy))),
  ];
}
