import { role } from "../../src/authoring.ts";
import { changesAccepted } from "../cluster-answers/changes-accepted.ts";
import { enterChanges, leaveChanges } from "./later-changes.ts";
import { mayReturn, nodeReturned, requestForgotten } from "./leave.ts";
import { machinesHalted, machinesOff, machinesRestarted } from "./machines.ts";
import { maintenanceAsked, nodeEmptied } from "./maintenance.ts";
import { mayEnter } from "./may-enter.ts";
import { nodeMaintenanceSchema } from "./vars.ts";

const accepted = "the cluster accepts the changes";

/**
 * Puts one node into Harvester's maintenance mode, or takes it out. Machines migrate; one that cannot is shut down only
 * if `shutDown` names it, and is restarted at the end.
 */
export const nodeMaintenance = role(
  {
    name: "node maintenance",
    summary: "Put one node of a Harvester cluster into maintenance, or take it out",
    params: nodeMaintenanceSchema,
  },
  ({ kubeconfig, node, action, shutDown, acceptOutOfReach, deadlineSeconds }) => {
    const own = { kubeconfig, node };
    if (action === "leave") {
      const plan = mayReturn(own);
      return [
        plan,
        changesAccepted(
          plan.output.map((one) => ({ kubeconfig, changes: leaveChanges(node, one) })),
          { when: plan.output.map((one) => leaveChanges(node, one).length > 0), name: accepted },
        ),
        nodeReturned(own, { when: plan.output.map(({ ends }) => ends) }),
        requestForgotten(own, { when: plan.output.map(({ forgets }) => forgets) }),
        machinesRestarted(
          plan.output.map(({ restarts }) => ({ kubeconfig, machines: [...restarts] })),
          { when: plan.output.map(({ restarts }) => restarts.length > 0), name: "start the machines again" },
        ),
      ];
    }
    const wish = { ...own, shutDown, acceptOutOfReach };
    const plan = mayEnter(wish);
    const halts = plan.output.map((one) => one.halts.length > 0);
    return [
      plan,
      changesAccepted(
        plan.output.map((one) => ({ kubeconfig, changes: enterChanges(node, one) })),
        { when: plan.output.map(({ begins }) => begins), name: accepted },
      ),
      machinesHalted(
        plan.output.map((one) => ({ ...own, machines: [...one.halts] })),
        { when: halts, name: "shut the listed machines down" },
      ),
      machinesOff(
        plan.output.map((one) => ({ kubeconfig, machines: [...one.halts], deadlineSeconds })),
        { when: halts, name: "the listed machines are off" },
      ),
      maintenanceAsked(wish, { when: plan.output.map(({ begins }) => begins) }),
      nodeEmptied({ ...own, deadlineSeconds }),
    ];
  },
);
