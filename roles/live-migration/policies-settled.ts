import { type KubernetesAnswer, match, Refusal, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn } from "../cluster-answers/answers.ts";
import { askObject, decideOnObject } from "../cluster-answers/one-object.ts";
import { whileMigrating } from "./settings.ts";

/** The path of a policy in the API. */
export function policyPath(name: string): string {
  return `/apis/migrations.kubevirt.io/v1alpha1/migrationpolicies/${name}`;
}

/** Refuses to change live migration policies while a machine is migrating. */
export const policiesSettled = task({
  name: "policiesSettled",
  summary: "Refuse a change to migration policies while a machine is migrating",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    policies: z
      .array(
        z.strictObject({
          name: z.string().describe("Name"),
          spec: z.custom<object>().describe("Fields that the policy must have"),
        }),
      )
      .describe("The requested policies"),
  }),
  examples: [],
  title: () => "no machine is migrating while a migration policy changes",
})
  .facts((p) => ({
    policies: p.policies.map(({ name }) => askObject(p.kubeconfig, policyPath(name))),
    ...askCluster(p.kubeconfig, "migrations"),
  }))
  .want((p, { policies, ...answers }) => {
    for (const [index, { name, spec }] of p.policies.entries()) {
      const asked = { kind: "MigrationPolicy", name };
      const decided = decideOnObject(policies[index] as KubernetesAnswer, asked, "which policies exist", (own) =>
        own !== undefined && match(own["spec"], spec) === "same"
          ? {}
          : decideOn(
              answers,
              ["migrations"],
              "whether a machine is migrating",
              (seen): object | Refusal => whileMigrating(seen) ?? {},
            ),
      );
      if (decided instanceof Refusal) return decided;
    }
    return {};
  })
  .steps(() => []);
