import { match, task, text, z } from "../../src/authoring.ts";
import { kubeApplied, type KubeObjectState } from "../../src/facts/catalogue.ts";

/** Uses a server-side dry run to find out whether a setting will change. The value stays secret. */
export const settingChanges = task({
  name: "settingChanges",
  summary: "Find out whether a setting of Harvester will change",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    fieldManager: z.string().describe("Name under which the cluster records what furrow owns"),
    name: z.string().describe("Name of the setting"),
    value: text().describe("New value of the setting; a secret"),
  }),
  examples: [],
  title: ({ name }) => `whether the setting ${name} changes`,
})
  .facts(({ kubeconfig, fieldManager, name, value }) => ({
    setting: kubeApplied({ kubeconfig, fieldManager, force: true, object: settingObject(name, value) }),
  }))
  .want(() => ({}))
  .steps(() => [])
  .notes((p, { setting }) => {
    const by = setting.owner["value"];
    if (!differs(setting) || typeof by !== "string" || by === p.fieldManager) return [];
    return [`the setting ${p.name} now has a different value, set by ${by}; furrow replaces it`];
  })
  .outputs((_p, { setting }) => ({ changes: differs(setting) }));

function differs({ exists, fields, after }: KubeObjectState): boolean {
  return !exists || match(fields, after.fields) !== "same";
}

/** A setting of Harvester as an object. */
export function settingObject<V>(name: string, value: V) {
  return { apiVersion: "harvesterhci.io/v1beta1", kind: "Setting", metadata: { name }, value };
}
