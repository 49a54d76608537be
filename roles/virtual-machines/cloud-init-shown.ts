import { type KubernetesAnswer, task, z } from "../../src/authoring.ts";
import { askObject, lookAtObject } from "../cluster-answers/one-object.ts";
import { secretName } from "./objects.ts";

const managed = z.looseObject({
  metadata: z.looseObject({ managedFields: z.array(z.looseObject({ manager: z.string().default("") })).default([]) }),
});

/** Reports the Secrets that machines had for cloud-init and no longer need: nothing deletes them. */
export const cloudInitShown = task({
  name: "cloudInitShown",
  summary: "Report which Secrets for cloud-init are left from earlier definitions of virtual machines",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    fieldManager: z.string().describe("Name under which the cluster records what furrow owns"),
    machines: z.array(z.string()).describe("The machines without data for cloud-init: NAMESPACE/NAME"),
  }),
  examples: [],
  title: () => "Secrets for cloud-init that no machine needs",
})
  .facts((p) => ({
    secrets: p.machines.map((machine) => {
      const { namespace, secret } = placeOf(machine);
      return askObject(p.kubeconfig, `/api/v1/namespaces/${namespace}/secrets/${secret}`, ["data"]);
    }),
  }))
  .want(() => ({}))
  .steps(() => [])
  .notes((p, { secrets }) =>
    p.machines.flatMap((machine, index) => textOf(machine, secrets[index] as KubernetesAnswer, p.fieldManager)),
  );

function placeOf(machine: string): { readonly namespace: string; readonly secret: string } {
  const [namespace = "", name = ""] = machine.split("/");
  return { namespace, secret: secretName(name) };
}

function textOf(machine: string, answer: KubernetesAnswer, fieldManager: string): string[] {
  const { namespace, secret } = placeOf(machine);
  const look = lookAtObject(answer, { kind: "Secret", name: secret });
  if ("unseen" in look)
    return [`cannot tell whether old cloud-init data for ${machine} still exists: ${look.unseen.message}`];
  const owners = managed.safeParse(look.seen).data?.metadata.managedFields ?? [];
  // A Secret of this name that furrow does not own may be needed for something else.
  if (!owners.some(({ manager }) => manager === fieldManager)) return [];
  return [
    `the Secret ${namespace}/${secret} stays in the cluster, perhaps with passwords, although ${machine} has no data for cloud-init any more: ` +
      `delete it after the machine's next start, with kubectl delete secret ${secret} -n ${namespace}`,
  ];
}
