import { nested, type OrRef, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { kindDefined } from "../kubevirt-stack/kind-defined.ts";
import { fieldManager } from "../kubevirt-stack/role.ts";
import { machinesFit } from "../virtual-machines/machines-fit.ts";
import { restartShown } from "../virtual-machines/restart-shown.ts";
import { imageFits } from "./image-fits.ts";
import { loginOpen } from "./login-open.ts";
import { cloudInitObject, imageObject, machineObject, networkObject } from "./objects.ts";
import type { LocalVm, LocalVms } from "./vms.ts";
import { wishesOf } from "./wishes.ts";

/**
 * Manages networks, images and machines on local volumes, and waits until the machines are running and accept logins.
 * A running machine applies most changes at its next start; the role reports which ones must be restarted.
 */
export const localVms = role(
  {
    name: "local vms",
    summary: "Manage networks, images and virtual machines whose volumes are local to the nodes",
    params: z.strictObject({
      kubeconfig: z.custom<OrRef<string>>(),
      vms: z.custom<LocalVms>(),
      via: z.string(),
      knownHosts: z.string(),
    }),
  },
  ({ kubeconfig, vms, via, knownHosts }) => {
    const { namespace, networks, images, machines, acceptVolumes, imageSeconds, machineSeconds } = vms;
    const as = { kubeconfig, fieldManager };
    const hasImages = kindDefined({ kubeconfig, definition: "datavolumes.cdi.kubevirt.io" });
    const hasMachines = kindDefined({ kubeconfig, definition: "virtualmachines.kubevirt.io" });
    return [
      namespace !== "default" &&
        t.kubeObject({ ...as, object: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } } }),
      Object.entries(networks).map(([name, network]) =>
        t.kubeObject({ ...as, object: networkObject(name, network, namespace) }),
      ),
      Object.keys(images).length > 0 && hasImages,
      Object.entries(images).map(([image, { source }]) =>
        imageFits({ kubeconfig, namespace, image, source }, { when: hasImages.output }),
      ),
      Object.entries(images).map(([name, image]) =>
        t.kubeObject({ ...as, object: imageObject(name, image, namespace) }),
      ),
      Object.keys(images).map((name) =>
        t.kubeWait({
          kubeconfig,
          apiVersion: "cdi.kubevirt.io/v1beta1",
          kind: "DataVolume",
          name,
          namespace,
          field: "status.phase",
          value: "Succeeded",
          deadlineSeconds: imageSeconds,
        }),
      ),
      Object.keys(machines).length > 0 && [
        hasMachines,
        machinesFit(
          {
            kubeconfig,
            classes: [],
            machines: wishesOf(vms),
            acceptVolumes,
            volumesBy: "KubeVirt",
          },
          { when: hasMachines.output },
        ),
      ],
      Object.entries(machines).map(([name, machine]) => [
        t.kubeObject({ ...as, object: cloudInitObject(name, machine, namespace) }),
        t.kubeObject({ ...as, object: machineObject(name, machine, namespace) }),
      ]),
      Object.entries(machines).map(
        ([name, machine]) =>
          runs(machine) && [
            t.kubeWait({
              kubeconfig,
              apiVersion: "kubevirt.io/v1",
              kind: "VirtualMachine",
              name,
              namespace,
              field: "status.printableStatus",
              value: "Running",
              deadlineSeconds: machineSeconds,
            }),
            loginTasks(name, machine, via, knownHosts, machineSeconds),
          ],
      ),
      Object.keys(machines).length > 0 &&
        restartShown(
          { kubeconfig, machines: Object.keys(machines).map((name) => `${namespace}/${name}`) },
          { when: hasMachines.output },
        ),
    ];
  },
);

/** True if KubeVirt itself starts the machine. */
function runs({ run }: LocalVm): boolean {
  return run === "Always" || run === "RerunOnFailure";
}

/** Logs in to a machine with a static address as its user, through the first server. */
function loginTasks(name: string, machine: LocalVm, via: string, knownHosts: string, deadlineSeconds: number) {
  const { user, login, nics, sshKeys } = machine;
  const address = nics.find((nic) => nic.address !== undefined)?.address?.split("/")[0];
  if (login === false || address === undefined || sshKeys.length === 0) return [];
  const open = loginOpen({ machine: name, address });
  return [
    t.waitFor({ port: 22, address, deadlineSeconds }, { name: `port 22 of ${name}, at ${address}` }),
    open,
    nested(
      {
        name: `${name}.${via}`,
        address,
        via,
        user,
        ...(login.identityFile !== undefined && { identityFile: login.identityFile }),
        // A machine that is recreated under the same name has a new key.
        hostKeyPolicy: "accept-new",
        knownHostsFile: knownHosts,
      },
      [t.command({ command: ["true"], readOnly: true }, { name: `${user} can log in to ${name}` })],
      { there: open.output },
    ),
  ];
}
