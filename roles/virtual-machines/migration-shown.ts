import { task, z } from "../../src/authoring.ts";
import { askCluster, lookAt, unseenTexts } from "../cluster-answers/answers.ts";
import type { InstanceObject } from "../cluster-answers/instance-objects.ts";

/** Reports which machines cannot be live-migrated, and why. */
export const migrationShown = task({
  name: "migrationShown",
  summary: "Report which virtual machines cannot be live-migrated, and why",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    machines: z
      .array(
        z.strictObject({
          name: z.string().describe("Machine: NAMESPACE/NAME"),
          devices: z.array(z.string()).describe("Devices of a node that the machine uses"),
        }),
      )
      .describe("The machines"),
  }),
  examples: [],
  title: () => "machines that cannot be live-migrated",
})
  .facts((p) => askCluster(p.kubeconfig, "instances"))
  .want(() => ({}))
  .steps(() => [])
  .notes((p, now) => {
    const look = lookAt(now, "instances");
    const seen = "seen" in look ? look.seen.instances : [];
    return [
      ...("unseen" in look ? unseenTexts(look.unseen) : []),
      ...p.machines.flatMap(({ name, devices }) => {
        const live = seen.find((one) => one.name === name && one.running);
        const why = devices.length > 0 ? `it uses ${devices.join(", ")} of its node` : whyNot(live);
        if (why === undefined) return [];
        return why === ""
          ? [`KubeVirt has not reported yet whether ${name} can be live-migrated`]
          : [`${name} cannot be live-migrated: ${why}; it is shut down when its node is emptied`];
      }),
    ];
  });

/** Why a running machine cannot be live-migrated; undefined if it can, or is not running; empty if unknown. */
function whyNot(live: InstanceObject | undefined): string | undefined {
  if (live === undefined) return undefined;
  if (live.bound !== undefined) return live.bound;
  if (live.migratable?.status === "True") return undefined;
  if (live.migratable?.status !== "False") return "";
  return [live.migratable.reason, live.migratable.message].filter(Boolean).join(": ") || "KubeVirt gave no reason";
}
