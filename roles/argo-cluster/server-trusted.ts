import { type KubernetesAnswer, refuse, task, z } from "../../src/authoring.ts";
import { servedCertificate } from "../../src/facts/catalogue.ts";
import { askObject, decideOnObject, lookAtObject } from "../cluster-answers/one-object.ts";
import { apiPlace } from "./registration.ts";

/** The ConfigMap in which Kubernetes stores the CA of its API (kube-controller-manager's root-ca-cert-publisher). */
export const authorityPath = "/api/v1/namespaces/kube-system/configmaps/kube-root-ca.crt";

const object = { kind: "ConfigMap", name: "kube-root-ca.crt" };
const schema = z.looseObject({ data: z.looseObject({ "ca.crt": z.string().min(1) }) });

/** Reads the CA of the cluster's API from that ConfigMap; undefined if it cannot be read. */
export function authorityIn(answer: KubernetesAnswer): string | undefined {
  const look = lookAtObject(answer, object);
  return "seen" in look ? schema.safeParse(look.seen).data?.data["ca.crt"] : undefined;
}

/** Refuses a URL whose host is not in the certificate of the cluster's API: Argo CD could not connect. */
export const serverTrusted = task({
  name: "serverTrusted",
  summary: "Refuse a URL that the certificate of the cluster's API does not cover",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    server: z.string().describe("URL at which Argo CD reaches the cluster's API"),
  }),
  examples: [],
  title: ({ server }) => `the certificate of the cluster's API is for ${server}`,
})
  .facts((p) => ({ authority: askObject(p.kubeconfig, authorityPath) }))
  .facts((p, { authority }) => {
    const ca = authorityIn(authority);
    return { served: ca === undefined ? [] : [servedCertificate({ ...apiPlace(p.server), ca })] };
  })
  .want((p, { authority, served: [answer] }) =>
    decideOnObject(authority, object, `whether the certificate of the cluster's API is for ${p.server}`, () => {
      if (answer === undefined)
        return refuse({
          code: "cluster-not-seen",
          message: "cannot tell whether Argo CD could trust the cluster: kube-root-ca.crt in kube-system has no ca.crt",
          hint: "Check which cluster the kubeconfig is for",
        });
      if ("error" in answer)
        return refuse({
          code: "server-not-reached",
          message: `the controller cannot reach ${p.server}: ${answer.error.message}`,
          hint: "Correct the URL; the controller must reach it too, to check the certificate",
        });
      const { untrusted, certificate } = answer;
      if (untrusted === undefined) return {};
      return refuse({
        code: "server-not-trusted",
        message: `Argo CD would not trust ${p.server}: ${untrusted}; its certificate is for ${certificate.names.join(", ")}`,
        hint: "Use one of these names, or add the name to RKE2's tls-san (in Harvester's configuration: sans)",
      });
    }),
  )
  .steps(() => []);
