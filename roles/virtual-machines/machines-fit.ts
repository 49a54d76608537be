import { refuse, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, type Seen } from "../cluster-answers/answers.ts";

/** What is asked before machines are made. */
export const machineLists = ["machines", "vmNetworks"] as const;

const wantedSchema = z.strictObject({
  name: z.string().describe("Machine: NAMESPACE/NAME"),
  networks: z.array(z.string()).describe("Its networks: NAMESPACE/NAME"),
  macs: z.array(z.string()).describe("MAC addresses that it must have"),
});

/** Refuses machines that belong to others, lack a network, or have the MAC address of another machine. */
export const machinesFit = task({
  name: "machinesFit",
  summary: "Refuse machines that belong to others or contradict the cluster",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    machines: z.array(wantedSchema).describe("Machines that are wanted"),
  }),
  examples: [],
  title: () => "the machines fit the cluster",
})
  .facts((p) => askCluster(p.kubeconfig, ...machineLists))
  .want((p, now) =>
    decideOn(now, machineLists, "whether the machines fit the cluster", (seen) => {
      const problems = p.machines.flatMap((machine) => problemsOf(machine, seen));
      if (problems.length === 0) return {};
      return refuse({
        code: "machine-conflict",
        message: problems.join("; "),
        hint: "Choose another name or MAC address, or make the networks first with gitops/networks",
      });
    }),
  )
  .steps(() => []);

function problemsOf(
  { name, networks, macs }: z.output<typeof wantedSchema>,
  { machines, vmNetworks }: Seen<(typeof machineLists)[number]>,
): string[] {
  const owners = machines.find((one) => one.name === name)?.owners ?? [];
  const unknown = networks.filter((network) => !vmNetworks.some((one) => one.name === network));
  const taken = macs.flatMap((mac) => {
    const other = machines.find((one) => one.name !== name && one.macs.includes(mac.toLowerCase()));
    return other === undefined ? [] : [`${mac} of ${name} is already the MAC address of ${other.name}`];
  });
  return [
    ...(owners.length > 0 ? [`${name} belongs to ${owners.join(" and ")}, which would change it back`] : []),
    ...unknown.map((network) => `the network ${network} of ${name} does not exist`),
    ...taken,
  ];
}
