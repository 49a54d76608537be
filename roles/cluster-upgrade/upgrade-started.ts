import { kubernetesCall, task, z } from "../../src/authoring.ts";
import { clusterLists } from "../cluster-answers/answers.ts";
import { askObject, decideOnObject } from "../cluster-answers/one-object.ts";
import { pinnedKubeconfig } from "../cluster-answers/pinned.ts";
import { systemNamespace } from "./attempts.ts";

const params = z.strictObject({
  kubeconfig: pinnedKubeconfig,
  version: z.string().describe("The version to upgrade to"),
  name: z.string().describe("Name of the upgrade"),
  replaces: z
    .string()
    .optional()
    .describe("Name of a failed upgrade, which is deleted once Harvester has accepted the new one"),
});

/** Returns the path of an upgrade in the cluster's API. */
export function upgradePath(name: string): string {
  return `${clusterLists.upgrades.path}/${name}`;
}

/** An upgrade to a version, as an object. */
export function upgradeObject(name: string, version: string) {
  return {
    apiVersion: "harvesterhci.io/v1beta1",
    kind: "Upgrade",
    metadata: { name, namespace: systemNamespace },
    // Collecting logs needs a volume and the logging add-on, which small clusters have no room for.
    spec: { version, logEnabled: false },
  };
}

/**
 * Starts an upgrade by creating an Upgrade object. The object's name is used only once, so the same upgrade is never
 * started twice. Harvester checks the cluster again when the object is created, and its reason for a refusal becomes
 * the error of this task. If the new upgrade replaces a failed one, the failed one is deleted only afterwards. If
 * Harvester refuses the new upgrade, the conditions of the failed one still show why it failed, and a rerun does not
 * start over without being asked.
 */
export const upgradeStarted = task({
  name: "upgradeStarted",
  summary: "Start an upgrade of Harvester",
  params,
  examples: [],
  title: ({ version }) => `the upgrade to ${version} has begun`,
})
  .facts((p) => ({ upgrade: askObject(p.kubeconfig, upgradePath(p.name)) }))
  .want((p, { upgrade }) =>
    decideOnObject(upgrade, { kind: "Upgrade", name: p.name }, `whether ${p.name} has begun`, () => ({
      upgrade: { found: true as const, object: { spec: { version: p.version } } },
    })),
  )
  .steps((p, { change }) => [
    change.upgrade &&
      kubernetesCall(
        p.kubeconfig,
        "POST",
        clusterLists.upgrades.path,
        `start upgrade ${p.name} to ${p.version}`,
        upgradeObject(p.name, p.version),
      ),
    change.upgrade &&
      p.replaces !== undefined &&
      kubernetesCall(p.kubeconfig, "DELETE", upgradePath(p.replaces), `delete failed upgrade ${p.replaces}`),
  ]);
