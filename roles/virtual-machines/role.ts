import { role } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { idOf, imageClasses, imagesReady } from "./images-ready.ts";
import { type Machine, machinesSchema, placeOf } from "./machines.ts";
import { machinesFit } from "./machines-fit.ts";
import { claimTemplates, cloudInitObject, machineObject } from "./objects.ts";

/**
 * Keeps virtual machines of a Harvester cluster, and waits until they run. Machines that are not named stay. A machine
 * that runs takes a change when it is started the next time.
 */
export const virtualMachines = role(
  {
    name: "virtual machines",
    summary: "Keep virtual machines of a Harvester cluster",
    params: machinesSchema,
  },
  ({ kubeconfig, fieldManager, machines, imageDeadlineSeconds, deadlineSeconds }) => {
    const own = { kubeconfig, fieldManager };
    const named = Object.entries(machines).map(([name, machine]) => ({ name, machine }));
    return [
      machinesFit({ kubeconfig, machines: named.map(({ name, machine }) => wishOf(name, machine)) }),
      named.map((one) => {
        const { name, machine } = one;
        const images = imagesOf(machine);
        const asked = { kubeconfig, machine: name, images };
        const classes = images.length > 0 ? imageClasses(asked) : undefined;
        const templates = classes?.output.map((found) => claimTemplates(one, found)) ?? claimTemplates(one, {});
        const secret = cloudInitObject(one);
        return [
          classes !== undefined && [imagesReady({ ...asked, deadlineSeconds: imageDeadlineSeconds }), classes],
          secret !== undefined && t.kubeObject({ ...own, object: secret }),
          t.kubeObject({ ...own, object: machineObject(one, templates) }),
          runs(machine) &&
            t.kubeWait({
              kubeconfig,
              apiVersion: "kubevirt.io/v1",
              kind: "VirtualMachine",
              name,
              namespace: machine.namespace,
              field: "status.printableStatus",
              value: "Running",
              deadlineSeconds,
            }),
        ];
      }),
    ];
  },
);

/** True if KubeVirt itself starts the machine. */
function runs({ run }: Machine): boolean {
  return run === "Always" || run === "RerunOnFailure";
}

function imagesOf({ namespace, disks }: Machine) {
  const places = disks.flatMap(({ image }) => (image === undefined ? [] : [placeOf(image, namespace)]));
  return [...new Map(places.map((place) => [idOf(place), place])).values()];
}

function wishOf(name: string, { namespace, networks }: Machine) {
  return {
    name: `${namespace}/${name}`,
    networks: networks.map(({ network }) => idOf(placeOf(network, namespace))),
    macs: networks.flatMap(({ mac }) => mac ?? []),
  };
}
