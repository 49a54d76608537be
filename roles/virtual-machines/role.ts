import { role } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { inNamespaces } from "../cluster-answers/namespaces/namespaces-exist.ts";
import { onlyAfter } from "../cluster-guards/only-after.ts";
import { idOf } from "../vm-images/image-state.ts";
import { imagesImported } from "../vm-images/images-imported.ts";
import { cloudInitShown } from "./cloud-init-shown.ts";
import { devicesFit } from "./devices-fit.ts";
import { imageClasses } from "./image-classes.ts";
import { claimName, type Machine, machinesSchema, placeOf } from "./machines.ts";
import { machinesFit } from "./machines-fit.ts";
import { migrationShown } from "./migration-shown.ts";
import { restartShown } from "./restart-shown.ts";
import { claimTemplates, cloudInitObject, defaultClass, machineObject } from "./objects.ts";

/**
 * Manages virtual machines of a Harvester cluster, and waits until they are running. Machines that are not listed stay
 * unchanged. A running machine applies most changes at its next start; the role reports which ones must be restarted.
 */
export const virtualMachines = role(
  {
    name: "virtual machines",
    summary: "Manage virtual machines of a Harvester cluster",
    params: machinesSchema,
  },
  ({ kubeconfig, fieldManager, force, machines, acceptVolumes, imageDeadlineSeconds, deadlineSeconds }) => {
    const as = { kubeconfig, fieldManager, force };
    const named = Object.entries(machines).map(([name, machine]) => ({ name, machine }));
    const holders = named.flatMap(({ name, machine: { namespace, devices } }) =>
      devices.length > 0 ? [{ name: `${namespace}/${name}`, devices }] : [],
    );
    const plain = named.flatMap((one) =>
      cloudInitObject(one) === undefined ? [`${one.machine.namespace}/${one.name}`] : [],
    );
    const [spaces] = inNamespaces(
      kubeconfig,
      named.map(({ name, machine: { namespace } }) => ({ name: `the machine ${name}`, namespace })),
    );
    const fit = machinesFit(
      {
        kubeconfig,
        machines: named.map(({ name, machine }) => wishOf(name, machine)),
        classes: [
          ...new Set(named.flatMap(({ machine }) => machine.disks.flatMap(({ storageClass }) => storageClass ?? []))),
        ],
        acceptVolumes,
        force,
        volumesBy: "Harvester",
      },
      onlyAfter(spaces),
    );
    const devices = holders.length > 0 ? devicesFit({ kubeconfig, machines: holders }, onlyAfter(fit)) : undefined;
    const guarded = onlyAfter(devices ?? fit);
    return [
      spaces,
      fit,
      devices,
      named.map((one) => {
        const { name, machine } = one;
        const images = imagesOf(machine);
        const classes = images.length > 0 ? imageClasses({ kubeconfig, machine: name, images }, guarded) : undefined;
        const templates = classes?.output.map((found) => claimTemplates(one, found)) ?? claimTemplates(one, {});
        const secret = cloudInitObject(one);
        const own = `${machine.namespace}/${name}`;
        const attached =
          devices === undefined || machine.devices.length === 0
            ? undefined
            : {
                node: devices.output.map((found) => found[own]?.node ?? ""),
                devices: machine.devices.map((_, index) => ({
                  name: devices.output.map((found) => found[own]?.devices[index]?.name ?? ""),
                  deviceName: devices.output.map((found) => found[own]?.devices[index]?.deviceName ?? ""),
                })),
              };
        return [
          classes !== undefined && [
            imagesImported({ kubeconfig, images, deadlineSeconds: imageDeadlineSeconds }),
            classes,
          ],
          secret !== undefined && t.kubeObject({ ...as, object: secret }, guarded),
          t.kubeObject({ ...as, object: machineObject(one, templates, attached) }, guarded),
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
      restartShown({ kubeconfig, machines: named.map(({ name, machine }) => `${machine.namespace}/${name}`) }),
      plain.length > 0 && cloudInitShown({ kubeconfig, fieldManager, machines: plain }),
      migrationShown({
        kubeconfig,
        machines: named.map(({ name, machine: { namespace, devices: has } }) => ({
          name: `${namespace}/${name}`,
          devices: has,
        })),
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

function wishOf(name: string, { namespace, networks, disks, run }: Machine) {
  return {
    name: `${namespace}/${name}`,
    networks: networks.map(({ network }) => idOf(placeOf(network, namespace))),
    macs: networks.flatMap(({ mac }) => mac ?? []),
    disks: disks.map((disk, index) => ({
      claim: claimName(name, disk, index),
      size: disk.size,
      ...(disk.image === undefined
        ? { storageClass: disk.storageClass ?? defaultClass }
        : { image: idOf(placeOf(disk.image, namespace)) }),
    })),
    run,
  };
}
