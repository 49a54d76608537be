import { operator, task, z } from "../../src/authoring.ts";
import { servedCertificate } from "../../src/facts/catalogue.ts";
import { askObject, lookAtObject } from "../cluster-answers/one-object.ts";
import { vipIn, vipPath } from "../cluster-answers/vip.ts";
import { endText } from "./certificates.ts";
import { needsKubeconfig } from "../cluster-answers/not-seen.ts";

/** The path of KubeVirt's own object in the API of a Harvester cluster. */
export const kubeVirtPath = "/apis/kubevirt.io/v1/namespaces/harvester-system/kubevirts/kubevirt";

const time = z.looseObject({ duration: z.string().optional() }).default({});

/**
 * The old names of the two durations come first (pkg/virt-operator/resource/apply/certificates.go in
 * kubevirt/kubevirt).
 */
const selfSigned = z.looseObject({
  caRotateInterval: z.string().optional(),
  certRotateInterval: z.string().optional(),
  ca: time,
  server: time,
});

const kubeVirt = z.looseObject({
  spec: z.looseObject({
    certificateRotateStrategy: z.looseObject({ selfSigned: selfSigned.optional() }).optional(),
  }),
});

/**
 * Reports how long KubeVirt's certificates are valid. KubeVirt itself renews them when a fifth of their lifetime is
 * left.
 */
export const kubeVirtCertificates = task({
  name: "kubeVirtCertificates",
  summary: "Report how KubeVirt renews its certificates",
  params: z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") }),
  examples: [],
  title: () => "how KubeVirt renews its certificates",
})
  .facts((p) => ({ kubeVirt: askObject(p.kubeconfig, kubeVirtPath) }))
  .want((_p, now) => needsKubeconfig(now))
  .steps(() => [])
  .notes((_p, now) => {
    const look = lookAtObject(now.kubeVirt, { kind: "KubeVirt", name: "kubevirt" });
    if ("unseen" in look) return [look.unseen.message];
    if (look.seen === undefined) return ["the cluster has no object kubevirt in harvester-system"];
    const { data } = kubeVirt.safeParse(look.seen);
    if (data === undefined) return ["KubeVirt's certificateRotateStrategy cannot be read"];
    const own = data.spec.certificateRotateStrategy?.selfSigned;
    const authority = own?.caRotateInterval ?? own?.ca.duration ?? "168h";
    const servers = own?.certRotateInterval ?? own?.server.duration ?? "24h";
    return [
      `KubeVirt renews its certificates itself: its authority is valid for ${authority}, its servers' certificates for ` +
        `${servers}; warnings that they expire soon can be ignored`,
    ];
  });

/** Reports when the certificate of the Harvester UI expires, and whether clients trust it. */
export const pagesCertificate = task({
  name: "pagesCertificate",
  summary: "Report when the certificate of the Harvester UI expires",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    port: z.int().describe("Port of the Harvester UI"),
    soonDays: z.int().describe("A certificate is reported this many days before it expires"),
  }),
  examples: [],
  title: () => "when the certificate of the Harvester UI expires",
})
  .facts((p) => ({ vip: askObject(p.kubeconfig, vipPath), operator: operator() }))
  .facts((p, { vip }) => {
    const host = vipIn(vip);
    return { served: host === undefined ? [] : [servedCertificate({ host, port: p.port })] };
  })
  .want((_p, now) => needsKubeconfig(now))
  .steps(() => [])
  .notes((p, { vip, operator: { since }, served: [answer] }) => {
    const look = lookAtObject(vip, { kind: "ConfigMap", name: "vip" });
    if ("unseen" in look) return [look.unseen.message];
    if (answer === undefined) return ["the cluster's virtual address is unknown (the ConfigMap vip has none)"];
    const where = `the Harvester UI at ${vipIn(vip)}:${p.port}`;
    if ("error" in answer) return [`${where} presents no certificate (${answer.error.message})`];
    const { certificate, untrusted } = answer;
    const own = untrusted === undefined ? "" : `; this controller does not trust it (${untrusted})`;
    return [
      `${where}: the certificate of ${certificate.subject} ${endText(certificate.notAfter, since, p.soonDays)}${own}`,
    ];
  });
