import { type KubernetesAnswer, kubernetesCall, Refusal, task, z } from "../../src/authoring.ts";
import { kubeFacts, kubeFactsOf } from "../../src/facts/catalogue.ts";
import { type Answers, askCluster, decideOn, lookAt } from "../cluster-answers/answers.ts";
import { askObject, decideOnObject } from "../cluster-answers/one-object.ts";

/** The annotation of the default storage class. */
export const defaultAnnotation = "storageclass.kubernetes.io/is-default-class";

const lists = ["storageClasses"] as const;

/** The path of a storage class in the API. */
export function classPath(name: string): string {
  return `/apis/storage.k8s.io/v1/storageclasses/${name}`;
}

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  storageClass: z.string().describe("Name of the class that will be the default"),
});

type Params = z.output<typeof params>;

/**
 * Makes every other storage class one that is not the default. Harvester's webhook permits a second default at no time
 * (validateSetUniqueDefault in pkg/webhook/resources/storageclass/validator.go of harvester/harvester).
 */
export const otherDefaults = task({
  name: "otherDefaults",
  summary: "Let no other storage class be the default",
  params,
  examples: [],
  title: ({ storageClass }) => `no other storage class than ${storageClass} is the default`,
  disturbs: () => kubeFacts,
  // The webhook looks at these classes when the new default comes.
  mayProvide: (p, now) =>
    others(p, (now ?? {}) as Partial<Answers<"storageClasses">>).flatMap((name) =>
      kubeFactsOf(
        {
          kubeconfig: p.kubeconfig,
          object: { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name } },
        },
        "present",
      ),
    ),
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .facts((p, now) => ({ classes: others(p, now).map((name) => askObject(p.kubeconfig, classPath(name))) }))
  .want((p, { classes, ...answers }) =>
    decideOn(answers, lists, "which storage class is the default", (): object | Refusal => {
      for (const [index, name] of others(p, answers).entries()) {
        const asked = { kind: "StorageClass", name };
        const decided = decideOnObject(classes[index] as KubernetesAnswer, asked, `what ${name} is`, () => ({}));
        if (decided instanceof Refusal) return decided;
      }
      return {
        classes: classes.map(() => ({
          found: true as const,
          object: { metadata: { annotations: { [defaultAnnotation]: "false" } } },
        })),
      };
    }),
  )
  .steps((p, { change, now }) =>
    others(p, now).map(
      (name, index) =>
        change.classes?.[index] &&
        kubernetesCall(p.kubeconfig, "PATCH", classPath(name), `${name} is no longer the default`, {
          metadata: { annotations: { [defaultAnnotation]: "false" } },
        }),
    ),
  );

function others({ storageClass }: Params, answers: Partial<Answers<"storageClasses">>): string[] {
  if (answers.storageClasses === undefined) return [];
  const look = lookAt({ storageClasses: answers.storageClasses }, ...lists);
  return "seen" in look
    ? look.seen.storageClasses.filter((one) => one.isDefault && one.name !== storageClass).map(({ name }) => name)
    : [];
}
