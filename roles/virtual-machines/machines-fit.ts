import { type KubernetesAnswer, refuse, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, lookAt, type Seen } from "../cluster-answers/answers.ts";
import { askObject, lookAtObject } from "../cluster-answers/one-object.ts";
import { bytesOf } from "./sizes.ts";

/** The query that is sent before machines are created. */
export const machineLists = ["machines", "vmNetworks"] as const;

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
      }),
    )
    .describe("The machine's disks"),
});

type Wanted = z.output<typeof wantedSchema>;

/**
 * Refuses machines that belong to others, use a network that does not exist, have another machine's MAC address, or
 * would lose a disk.
 */
export const machinesFit = task({
  name: "machinesFit",
  summary: "Refuse machines that belong to others or conflict with the cluster",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    machines: z.array(wantedSchema).describe("The requested machines"),
    classes: z.array(z.string()).describe("Storage classes of the machines' empty disks"),
  }),
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
        ...p.machines.flatMap((machine) => problemsOf(machine, seen)),
      ];
      if (problems.length === 0) return {};
      return refuse({
        code: "machine-conflict",
        message: problems.join("; "),
        hint: "Correct the machine; networks are created with gitops/networks, storage classes with gitops/storage",
      });
    }),
  )
  .steps(() => [])
  .notes((p, now) => {
    const look = lookAt(now, "machines");
    if ("unseen" in look) return [];
    return look.seen.machines.flatMap(
      (live) =>
        detachedText(
          live,
          p.machines.find(({ name }) => name === live.name),
        ) ?? [],
    );
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

function problemsOf({ name, networks, macs, disks }: Wanted, { machines, vmNetworks }: Cluster): string[] {
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
    ...disks.flatMap(
      (disk) =>
        diskProblem(
          name,
          disk,
          live?.disks.find(({ claim }) => claim === disk.claim),
        ) ?? [],
    ),
  ];
}

/** A claim keeps its volume, so a disk that is described differently would be the old volume under a new description. */
function diskProblem(
  machine: string,
  { claim, image, size }: Wanted["disks"][number],
  live: Cluster["machines"][number]["disks"][number] | undefined,
): string | undefined {
  if (live === undefined) return undefined;
  const was = (one: string | undefined): string => (one === undefined ? "an empty disk" : `the image ${one}`);
  if (live.image !== image)
    return `the volume ${claim} of ${machine} was made from ${was(live.image)}, and cannot become ${was(image)}: give the new disk another name`;
  const [now, then] = [bytesOf(size), bytesOf(live.size)];
  return now !== undefined && then !== undefined && now < then
    ? `the volume ${claim} of ${machine} has ${live.size}, and cannot shrink to ${size}`
    : undefined;
}

/** Says which volumes a machine no longer has; they stay in the cluster. */
function detachedText(live: Cluster["machines"][number], wanted: Wanted | undefined): string | undefined {
  const gone = live.disks.filter(
    ({ claim }) => wanted !== undefined && !wanted.disks.some((one) => one.claim === claim),
  );
  return gone.length === 0
    ? undefined
    : `${live.name} loses ${gone.map(({ claim, size }) => `${claim} (${size})`).join(", ")}; the volume stays in the cluster`;
}
