import { type KubernetesAnswer, kubernetesCall, Refusal, task, z } from "../../src/authoring.ts";
import { type Answers, askCluster, decideOn, lookAt } from "../cluster-answers/answers.ts";
import { askObject, decideOnObject } from "../cluster-answers/one-object.ts";

const annotation = "storageclass.kubernetes.io/is-default-class";
const lists = ["storageClasses"] as const;

/** The path of a storage class in the API. */
export function classPath(name: string): string {
  return `/apis/storage.k8s.io/v1/storageclasses/${name}`;
}

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  storageClass: z.string().describe("Name of a class that exists or that an earlier task creates"),
});

type Params = z.output<typeof params>;

/**
 * Makes a storage class the only default. Harvester's webhook never permits a second default (validateSetUniqueDefault
 * in pkg/webhook/resources/storageclass/validator.go of harvester/harvester), so the other classes are changed first.
 * The annotation is not part of the StorageClass that the role applies: otherwise, removing the var would remove the
 * annotation too, and no class would be the default.
 */
export const defaultClass = task({
  name: "defaultClass",
  summary: "Make a storage class the only default",
  params,
  examples: [],
  title: ({ storageClass }) => `${storageClass} is the default storage class`,
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .facts((p, now) => ({
    others: othersIn(p, now).map((name) => askObject(p.kubeconfig, classPath(name))),
    own: askObject(p.kubeconfig, classPath(p.storageClass)),
  }))
  .want((p, { others, own, ...answers }) =>
    decideOn(answers, lists, "which storage class is the default", () => {
      const asked = othersIn(p, answers).map((name, index) => [name, others[index]] as const);
      for (const [name, answer] of [...asked, [p.storageClass, own] as const]) {
        const object = { kind: "StorageClass", name };
        const decided = decideOnObject(answer as KubernetesAnswer, object, `what ${name} is`, () => ({}));
        if (decided instanceof Refusal) return decided;
      }
      return { others: others.map(() => marked("false")), own: marked("true") };
    }),
  )
  .steps((p, { change, now }) => [
    ...othersIn(p, now).map(
      (name, index) => change.others?.[index] && mark(p, name, "false", `${name} is no longer the default`),
    ),
    change.own && mark(p, p.storageClass, "true", `make ${p.storageClass} the default`),
  ]);

const annotated = (value: "true" | "false") => ({ metadata: { annotations: { [annotation]: value } } });
const marked = (value: "true" | "false") => ({ found: true as const, object: annotated(value) });

function mark({ kubeconfig }: Params, name: string, value: "true" | "false", label: string) {
  return kubernetesCall(kubeconfig, "PATCH", classPath(name), label, annotated(value));
}

/** The names of other classes that are marked as the default. */
function othersIn({ storageClass }: Params, answers: Answers<"storageClasses">): string[] {
  const look = lookAt(answers, ...lists);
  return "seen" in look
    ? look.seen.storageClasses.filter((one) => one.isDefault && one.name !== storageClass).map(({ name }) => name)
    : [];
}
