import { type KubernetesAnswer, refuse, type Refusal, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt, type Seen } from "../cluster-answers/answers.ts";
import { askObject, lookAtObject } from "../cluster-answers/one-object.ts";
import { nodeStoppedFor } from "../node-maintenance/record.ts";
import { adoptedTexts, diskProblems } from "./disks-fit.ts";

/** The query that is sent before machines are created. */
export const machineLists = ["machines", "claims", "vmNetworks"] as const;

type Cluster = Seen<(typeof machineLists)[number]>;

const wantedSchema = z.strictObject({
  name: z.string().describe("Machine: NAMESPACE/NAME"),
  networks: z.array(z.string()).describe("The machine's networks: NAMESPACE/NAME"),
  macs: z.array(z.string()).describe("MAC addresses that the machine must have"),
  disks: z
    .array(
      z.strictObject({
        claim: z.string().describe("Name of the claim"),
        image: z.string().optional().describe("Image from which the disk is created: NAMESPACE/NAME"),
        size: z.string().describe("Size"),
        storageClass: z.string().optional().describe("Storage class of an empty disk"),
      }),
    )
    .describe("The machine's disks"),
  run: z.string().describe("KubeVirt's runStrategy"),
});

type Wanted = z.output<typeof wantedSchema>;

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  machines: z.array(wantedSchema).describe("The requested machines"),
  classes: z.array(z.string()).describe("Storage classes of the machines' empty disks"),
  acceptVolumes: z.array(z.string()).describe("Existing volumes that machines may get: NAMESPACE/NAME"),
  force: z.boolean().default(false).describe("Whether a machine that was shut down for maintenance may start"),
  volumesBy: z.enum(["Harvester", "KubeVirt"]).describe("Which system creates the machines' volumes"),
});

/**
 * Refuses machines that belong to others, use a network that does not exist, have another machine's MAC address, would
 * lose a disk or get an existing one, or have been shut down and would stay off.
 */
export const machinesFit = task({
  name: "machinesFit",
  summary: "Refuse machines that belong to others or conflict with the cluster",
  params,
  examples: [],
  title: () => "the machines fit the cluster",
})
  .facts((p) => ({
    ...askCluster(p.kubeconfig, ...machineLists),
    classes: p.classes.map((name) => askObject(p.kubeconfig, classPath(name))),
  }))
  .want((p, { classes, ...answers }) =>
    decideOn(answers, machineLists, "whether the machines fit the cluster", (seen) => {
      const problems = [
        ...p.classes.flatMap((name, index) => classProblem(name, classes[index] as KubernetesAnswer)),
        ...p.machines.flatMap((machine) => problemsOf(machine, seen, p)),
      ];
      if (problems.length === 0) return p.force ? {} : (maintenanceProblem(p.machines, seen) ?? {});
      return refuse({
        code: "machine-conflict",
        message: problems.join("; "),
        hint: `Correct the machine in the vars${p.volumesBy === "Harvester" ? "; networks are created with gitops/networks, storage classes with gitops/storage" : ""}`,
      });
    }),
  )
  .steps(() => [])
  .notes((p, now) => {
    const look = lookAt(now, "machines", "claims");
    if ("unseen" in look) return [];
    return p.machines.flatMap((machine) => [...adoptedTexts(machine, look.seen), ...detachedTexts(machine, look.seen)]);
  });

/** The path of a storage class in the API. */
export function classPath(name: string): string {
  return `/apis/storage.k8s.io/v1/storageclasses/${name}`;
}

function classProblem(name: string, answer: KubernetesAnswer): string[] {
  const look = lookAtObject(answer, { kind: "StorageClass", name });
  if ("unseen" in look) return [look.unseen.message];
  return look.seen === undefined ? [`the storage class ${name} does not exist`] : [];
}

function problemsOf(machine: Wanted, cluster: Cluster, rules: z.output<typeof params>): string[] {
  const { name, networks, macs } = machine;
  const { machines, vmNetworks } = cluster;
  const live = machines.find((one) => one.name === name);
  const owners = live?.owners ?? [];
  const unknown = networks.filter((network) => !vmNetworks.some((one) => one.name === network));
  const taken = macs.flatMap((mac) => {
    const other = machines.find((one) => one.name !== name && one.macs.includes(mac.toLowerCase()));
    return other === undefined ? [] : [`${mac} of ${name} is already the MAC address of ${other.name}`];
  });
  return [
    ...(owners.length > 0 ? [`${name} belongs to ${owners.join(" and ")}, which would change it back`] : []),
    ...unknown.map((network) => `the network ${network} of ${name} does not exist`),
    ...taken,
    ...diskProblems(machine, cluster, rules),
    ...offProblems(machine, live),
  ];
}

/** Says what to do about a machine that KubeVirt does not start, although the vars want it to run. */
function offProblems({ name, run }: Wanted, live: Cluster["machines"][number] | undefined): string[] {
  if (live?.staysOff !== true || run !== live.strategy) return [];
  const [namespace = "", own = ""] = name.split("/");
  return [
    `${name} was shut down, and KubeVirt starts a machine with ${run} only on request: start it with virtctl start ${own} -n ${namespace}, or set \`run: Halted\``,
  ];
}

/**
 * Refuses to start a machine that is off because of a node's maintenance: it is started again when the maintenance
 * ends.
 */
function maintenanceProblem(wanted: readonly Wanted[], { machines }: Cluster): Refusal | undefined {
  const texts = wanted.flatMap(({ name, run }) => {
    const live = machines.find((one) => one.name === name);
    const node = live?.strategy === "Halted" && run !== "Halted" ? nodeStoppedFor(live) : undefined;
    return node === undefined
      ? []
      : [`the maintenance of ${node} has shut ${name} down, so its run strategy is Halted until the maintenance ends`];
  });
  if (texts.length === 0) return undefined;
  return refuse({
    code: "machine-in-maintenance",
    message: texts.join("; "),
    hint: "Run this again after gitops/node-maintenance with --var action=leave",
  });
}

/** Reports the volumes that a machine loses; these stay in the cluster. */
function detachedTexts({ name, disks }: Wanted, { machines }: Pick<Cluster, "machines">): string[] {
  const live = machines.find((one) => one.name === name)?.disks ?? [];
  const gone = live.filter(({ claim }) => !disks.some((one) => one.claim === claim));
  return gone.length === 0
    ? []
    : [
        `${name} loses ${gone.map(({ claim, size }) => `${claim} (${size})`).join(", ")}; the volume stays in the cluster`,
      ];
}
