import { type KubernetesAnswer, type Refusal, refuse, z } from "../../src/authoring.ts";
import { decideOnObject, lookAtObject } from "./one-object.ts";

/**
 * The path of the ConfigMap in which Harvester stores its virtual address (pkg/controller/master/rancher/register.go).
 */
export const vipPath = "/api/v1/namespaces/harvester-system/configmaps/vip";

const object = { kind: "ConfigMap", name: "vip" };

const schema = z.looseObject({ data: z.looseObject({ ip: z.string().min(1) }) });

/** The cluster's virtual address; undefined if it cannot be read. */
export function vipIn(answer: KubernetesAnswer): string | undefined {
  const look = lookAtObject(answer, object);
  return "seen" in look ? schema.safeParse(look.seen).data?.data.ip : undefined;
}

/**
 * Makes a decision from the cluster's virtual address. Refuses if the address cannot be read.
 *
 * @param question what is unknown without the address
 */
export function decideOnVip<W>(
  answer: KubernetesAnswer,
  question: string,
  decide: (vip: string) => W | Refusal,
): W | Refusal {
  return decideOnObject<W>(answer, object, question, () => {
    const vip = vipIn(answer);
    if (vip !== undefined) return decide(vip);
    return refuse({
      code: "cluster-not-seen",
      message: `cannot tell ${question}: the ConfigMap vip in harvester-system has no address`,
      hint: "Check whether the kubeconfig is for a Harvester cluster",
    });
  });
}
