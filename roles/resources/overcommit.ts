import { type KubernetesAnswer, task, z } from "../../src/authoring.ts";
import { askCluster } from "../cluster-answers/answers.ts";
import { lookAtEach, needsKubeconfig, notSeenTexts, unseenLists } from "../cluster-answers/not-seen.ts";
import type { NodeObject } from "../cluster-answers/objects.ts";
import { askObject, lookAtObject, settingPath } from "../cluster-answers/one-object.ts";
import type { PodObject } from "../cluster-answers/workload-objects.ts";
import { minus, requestedOn } from "./nodes.ts";
import { takesPods } from "./spare-nodes.ts";
import { diskLimits } from "./storage.ts";
import { amount, sizeText, sum } from "./table.ts";

const lists = ["nodes", "pods", "longhornSettings"] as const;

/** The setting with Harvester's over-commitment. */
export const overcommitSetting = "overcommit-config";

/** Reports how much Harvester over-commits processors, memory and storage, and how large a machine still fits. */
export const overcommitment = task({
  name: "overcommitment",
  summary: "Report how much Harvester over-commits, and how large a machine still fits",
  params: z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") }),
  examples: [],
  title: () => "over-commitment",
})
  .facts((p) => ({
    ...askCluster(p.kubeconfig, ...lists),
    setting: askObject(p.kubeconfig, settingPath(overcommitSetting)),
  }))
  .want((_p, now) => needsKubeconfig(now))
  .steps(() => [])
  .notes((_p, now) => {
    const { seen, unseen } = lookAtEach(now, lists);
    const read = percentagesIn(now.setting);
    if ("problem" in read) return [read.problem, ...notSeenTexts(unseenLists(unseen))];
    const longhorn = diskLimits(seen.longhornSettings).promised;
    return [
      ...percentTexts(read.percent),
      ...(longhorn === undefined || longhorn === read.percent.storage
        ? []
        : [
            `Longhorn uses ${longhorn} % for storage, not Harvester's ${read.percent.storage} %: someone has changed storage-over-provisioning-percentage`,
          ]),
      ...(seen.nodes === undefined || seen.pods === undefined
        ? []
        : remainingTexts(read.percent, seen.nodes, seen.pods)),
      ...notSeenTexts(unseenLists(unseen)),
    ];
  });

const percentSchema = z.looseObject({ cpu: z.int().min(1), memory: z.int().min(1), storage: z.int().min(0) });

/** How far Harvester over-commits, in percent; 100 means not at all. */
export type Percentages = z.output<typeof percentSchema>;

/**
 * Reads Harvester's percentages. An empty value means the default in the same object; if that is empty too, a machine
 * requests what its author wrote (pkg/webhook/resources/virtualmachine/mutator.go in harvester/harvester).
 */
export function percentagesIn(
  answer: KubernetesAnswer,
): { readonly percent: Percentages } | { readonly problem: string } {
  const look = lookAtObject(answer, { kind: "Setting", name: overcommitSetting });
  if ("unseen" in look) return { problem: `unknown: how much Harvester over-commits, because ${look.unseen.message}` };
  if (look.seen === undefined)
    return {
      problem: `unknown: how much Harvester over-commits, because the setting ${overcommitSetting} does not exist`,
    };
  const { data } = z
    .looseObject({ value: z.string().default(""), default: z.string().default("") })
    .safeParse(look.seen);
  const text = data?.value || data?.default || "";
  if (text === "") return { percent: { cpu: 100, memory: 100, storage: 100 } };
  try {
    const read = percentSchema.safeParse(JSON.parse(text));
    if (read.success) return { percent: read.data };
  } catch {
    // A string that is not JSON is reported like JSON in an unknown form.
  }
  return {
    problem: `unknown: how much Harvester over-commits, because ${overcommitSetting} cannot be read: ${text}`,
  };
}

function percentTexts({ cpu, memory, storage }: Percentages): string[] {
  return [
    `cores ${cpu} %: a machine with 8 cores requests ${amount((8 * 100) / cpu)}`,
    `memory ${memory} %: a machine with 8 GiB requests ${amount((8 * 100) / memory)} GiB`,
    `storage ${storage} %: Longhorn promises up to ${amount(storage)} GiB to volumes on a disk of 100 GiB`,
  ];
}

function remainingTexts(percent: Percentages, nodes: readonly NodeObject[], pods: readonly PodObject[]): string[] {
  const free = nodes.filter(takesPods).map(({ name, allocatable, capacity }) => {
    const requested = requestedOn(name, pods);
    return {
      name,
      capacity,
      cores: scaled(minus(allocatable.cpu, requested.cpu), percent.cpu),
      memory: scaled(minus(allocatable.memory, requested.memory), percent.memory),
    };
  });
  if (free.length === 0) return ["nothing more fits: no node accepts pods"];
  const all = sizeText(sum(free.map(({ cores }) => cores)), sum(free.map(({ memory }) => memory)));
  return [
    `room for all additional machines together: about ${all}`,
    ...free.map(
      // One machine cannot have more than the node itself.
      ({ name, capacity, cores, memory }) =>
        `one more machine on ${name}: up to ${sizeText(least(cores, capacity.cpu), least(memory, capacity.memory))}`,
    ),
  ];
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.min(a, b);
}

function scaled(number: number | undefined, percent: number): number | undefined {
  return number === undefined ? undefined : (Math.max(0, number) * percent) / 100;
}
