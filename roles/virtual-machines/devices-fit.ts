import { refuse, type Refusal, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt, type Seen } from "../cluster-answers/answers.ts";
import type { PciDeviceObject } from "../cluster-answers/device-objects.ts";

/** The query that is sent before machines get devices. */
export const deviceLists = ["addons", "pciDevices", "pciClaims", "machines"] as const;

type Cluster = Seen<"pciDevices" | "pciClaims" | "machines">;

const wantedSchema = z.strictObject({
  name: z.string().describe("Machine: NAMESPACE/NAME"),
  devices: z.array(z.string()).min(1).describe("The machine's devices, by Harvester's names"),
});

type Wanted = z.output<typeof wantedSchema>;

/** The add-on for PCI devices and their passthrough (docs.harvesterhci.io, PCI Devices). */
const addon = "harvester-system/pcidevices-controller";

/**
 * Refuses devices that a machine cannot have: the add-on is off, the device does not exist, is not claimed, belongs to
 * another machine, is on a different node from the machine's other devices, or shares its IOMMU group with a device
 * that is not listed. Outputs the node of each machine, and the devices that the machine's definition lists.
 *
 * furrow never claims a device, because a claim takes the device away from the node, which may need it.
 */
export const devicesFit = task({
  name: "devicesFit",
  summary: "Refuse devices that virtual machines cannot have",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    machines: z.array(wantedSchema).min(1).describe("Machines with devices"),
  }),
  examples: [],
  title: ({ machines }) => `the devices of ${machines.map(({ name }) => name).join(", ")}`,
})
  .facts((p) => askCluster(p.kubeconfig, ...deviceLists))
  .want((p, now) => {
    const question = "whether the machines can have their devices";
    // The kinds of the other lists exist only after the add-on has been enabled once.
    return decideOn(now, ["addons"], question, ({ addons }) => {
      const own = addons.find(({ name }) => name === addon);
      if (own?.isEnabled !== true) return addonOff(p.machines, own === undefined ? "does not exist" : "is off");
      return decideOn(now, ["pciDevices", "pciClaims", "machines"], question, (seen) => {
        const problems = p.machines.flatMap((machine) => problemsOf(machine, seen));
        if (problems.length === 0) return {};
        return refuse({
          code: "device-conflict",
          message: problems.join("; "),
          hint: "Look at the devices in the Harvester UI, Advanced > PCI Devices; enable passthrough there, which takes the device away from its node",
        });
      });
    });
  })
  .steps(() => [])
  .outputs((p, now) => {
    const look = lookAt(now, "pciDevices", "machines");
    return Object.fromEntries(
      p.machines.map((machine) => [machine.name, "seen" in look ? attached(machine, look.seen) : nothing(machine)]),
    );
  });

function addonOff(machines: readonly Wanted[], state: string): Refusal {
  return refuse({
    code: "addon-off",
    message: `the add-on ${addon}, which passes devices through, ${state}; ${machines
      .map(({ name, devices }) => `${name} needs ${devices.join(", ")}`)
      .join("; ")}`,
    hint: "Enable the add-on in the Harvester UI, Advanced > Add-ons",
  });
}

function problemsOf({ name, devices }: Wanted, { pciDevices, pciClaims, machines }: Cluster): string[] {
  const found = devices.flatMap((one) => pciDevices.find((device) => device.name === one) ?? []);
  const nodes = [...new Set(found.map(({ node }) => node))];
  const own = machines.find((one) => one.name === name);
  const single = devices.flatMap((one) => {
    const device = found.find((known) => known.name === one);
    if (device === undefined) return [`the device ${one} of ${name} does not exist`];
    const what = `the device ${one} (${device.description || device.resource}, on ${device.node}) of ${name}`;
    const claim = pciClaims.find((known) => known.name === one);
    if (claim === undefined) return [`${what} is not claimed`];
    if (claim.isDeleted) return [`the claim of ${what} is being deleted`];
    if (!claim.isReady) return [`${what} is claimed, but its passthrough is not enabled yet`];
    const others = machines.filter((other) => other !== own && holds(other, one)).map((other) => other.name);
    const missing = pciDevices.filter(
      (other) =>
        device.group !== undefined &&
        other.group === device.group &&
        other.node === device.node &&
        !devices.includes(other.name),
    );
    return [
      // If there are two devices of the same model, KubeVirt may have given the machine the other one.
      ...(others.length > 0 && !own?.given.includes(one) ? [`${what} belongs to ${others.join(" and ")}`] : []),
      ...missing.map(
        (other) => `${what} shares its IOMMU group ${device.group} with ${other.name}, so list that one too`,
      ),
    ];
  });
  return [
    ...single,
    ...(nodes.length > 1 ? [`the devices of ${name} are on ${nodes.join(" and ")}: a machine runs on one node`] : []),
  ];
}

function holds({ devices, given }: Cluster["machines"][number], device: string): boolean {
  return devices.some(({ name }) => name === device) || given.includes(device);
}

/**
 * Returns the node and the devices of a machine. If the machine already has devices of the same models on that node, it
 * keeps them: after each shutdown, the controller writes the devices that the machine was given into its definition.
 */
export function attached(
  { name, devices }: Wanted,
  {
    pciDevices,
    machines,
  }: {
    readonly pciDevices: readonly PciDeviceObject[];
    readonly machines: readonly Pick<Cluster["machines"][number], "name" | "devices">[];
  },
) {
  const found = devices.map((one) => pciDevices.find((device) => device.name === one));
  const node = found[0]?.node ?? "";
  const wanted = devices.map((one, index) => ({ name: one, deviceName: found[index]?.resource ?? "" }));
  const live = machines.find((one) => one.name === name)?.devices ?? [];
  const models = (all: readonly string[]): string => all.toSorted().join();
  const isSame =
    models(live.map(({ resource }) => resource)) === models(wanted.map(({ deviceName }) => deviceName)) &&
    live.every((one) => pciDevices.some((device) => device.name === one.name && device.node === node));
  return { node, devices: isSame ? live.map((one) => ({ name: one.name, deviceName: one.resource })) : wanted };
}

function nothing({ devices }: Wanted) {
  return { node: "", devices: devices.map((one) => ({ name: one, deviceName: "" })) };
}
