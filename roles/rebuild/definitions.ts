import { task, z } from "../../src/authoring.ts";
import { askCluster, clusterLists, type ListName } from "../cluster-answers/answers.ts";
import { lookAtEach, needsKubeconfig, notSeenTexts, unseenLists } from "../cluster-answers/not-seen.ts";

/** Objects that are defined in files, with the playbook that creates them and the list that contains them. */
export interface Defined {
  readonly playbook: string;
  readonly list: DefinedList;
  readonly names: readonly string[];
}

/** The lists that a rebuild requests from the cluster. */
export const definedLists = [
  "clusterNetworks",
  "networkConfigs",
  "vmNetworks",
  "storageClasses",
  "images",
  "machines",
] as const satisfies readonly ListName[];

type DefinedList = (typeof definedLists)[number];

/** Reports which of the definitions the cluster already has, in the order in which they are created. */
export const definitionsThere = task({
  name: "definitionsThere",
  summary: "Report the order in which a cluster is rebuilt from its definitions, and what already exists",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    defined: z
      .array(z.strictObject({ playbook: z.string(), list: z.enum(definedLists), names: z.array(z.string()) }))
      .describe("The defined objects, in order"),
  }),
  examples: [],
  title: () => "which of the defined objects the cluster has",
})
  .facts((p) => askCluster(p.kubeconfig, ...definedLists))
  .want((_p, now) => needsKubeconfig(now))
  .steps(() => [])
  .notes(({ defined }, now) => {
    const { seen, unseen } = lookAtEach(now, definedLists);
    const lines = defined.flatMap(({ playbook, list, names }) => {
      if (names.length === 0) return [];
      const there = seen[list]?.map(({ name }) => name);
      const what = `${playbook}: ${clusterLists[list].what}`;
      if (there === undefined) return [`${what}: ${names.length} defined; furrow cannot tell which of them exist`];
      const missing = names.filter((name) => !there.includes(name));
      return [
        `${what}: ${names.length - missing.length} of ${names.length} exist${missing.length > 0 ? `; missing: ${missing.join(", ")}` : ""}`,
      ];
    });
    return [
      "order: harvester.ts first, then what follows, one playbook after another",
      ...(lines.length === 0
        ? ["no definitions were given: pass the playbooks' vars files, for example `--var @networks.yaml`"]
        : lines),
      "gitops/vms creates new volumes, without data, and refuses volumes that still exist: restore a machine with data from its backup instead, with the gitops/restore playbook",
      ...notSeenTexts(unseenLists(unseen)),
    ];
  });
