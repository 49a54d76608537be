import { task, z } from "../../src/authoring.ts";
import { askCluster, type Seen } from "../cluster-answers/answers.ts";
import { lookAtEach, needsKubeconfig, notSeenTexts, unseenLists } from "../cluster-answers/not-seen.ts";
import { counted } from "../cluster/count.ts";
import { amount, gib, sizeText, sum, table } from "./table.ts";

const lists = ["machines", "instances"] as const;
type Cluster = Seen<(typeof lists)[number]>;
type Machine = Cluster["machines"][number];

/** Reports the virtual machines: their processors and memory, the node that each is on, and its state. */
export const machineResources = task({
  name: "machineResources",
  summary: "Report the processors, memory, node and state of each virtual machine",
  params: z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") }),
  examples: [],
  title: () => "virtual machines",
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want((_p, now) => needsKubeconfig(now))
  .steps(() => [])
  .notes((_p, now) => {
    const { seen, unseen } = lookAtEach(now, lists);
    return [
      ...(seen.machines === undefined ? [] : machineTexts(seen.machines, seen.instances)),
      ...withoutMachine(seen.machines, seen.instances),
      ...notSeenTexts(unseenLists(unseen)),
    ];
  });

function machineTexts(machines: readonly Machine[], instances: Cluster["instances"] | undefined): string[] {
  if (machines.length === 0) return ["the cluster has no virtual machines"];
  const running = machines.filter(({ name }) => instances?.some((one) => one.name === name && one.running));
  const rows = machines
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((machine) => {
      const { name, size, state } = machine;
      const node = instances?.find((one) => one.name === name && one.running)?.node;
      const place = instances === undefined ? "?" : (node ?? "–");
      return [amount(size.cores), gib(size.memory), state ?? "?", place, name];
    });
  return [
    ...table([2, 3, 4], [["cores", "GiB", "state", "node", "machine"], ...rows]),
    ...(instances === undefined ? [] : [totalText(running, "running"), totalText(machines, "defined")]),
    ...unknownTexts(machines),
  ];
}

function totalText(machines: readonly Machine[], are: string): string {
  const cores = sum(machines.map(({ size }) => size.cores));
  const memory = sum(machines.map(({ size }) => size.memory));
  return `${counted(machines.length, "machine")} ${are}: ${sizeText(cores, memory)}`;
}

function unknownTexts(machines: readonly Machine[]): string[] {
  const stateless = machines.filter(({ state }) => state === undefined).map(({ name }) => name);
  return stateless.length === 0
    ? []
    : [`unknown: the state of ${stateless.join(", ")}, because KubeVirt has not reported it`];
}

/** Instances that nothing would restart once they have stopped. */
function withoutMachine(machines: Cluster["machines"] | undefined, instances: Cluster["instances"] = []): string[] {
  if (machines === undefined)
    return instances.filter(({ running }) => running).map(({ name, node }) => `runs: ${name} on ${node ?? "no node"}`);
  const alone = instances.filter((one) => one.running && !machines.some(({ name }) => name === one.name));
  return alone.map(
    ({ name, node }) => `${name} runs on ${node ?? "no node"} without a definition: nothing restarts it`,
  );
}
