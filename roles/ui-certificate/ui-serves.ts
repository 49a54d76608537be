import { refuse, seconds, task, text, z } from "../../src/authoring.ts";
import { servedCertificate } from "../../src/facts/catalogue.ts";
import { askObject } from "../cluster-answers/one-object.ts";
import { decideOnVip, vipIn, vipPath } from "../cluster-answers/vip.ts";

/** Waits until the cluster's ingress serves the given certificate at the virtual address, and clients trust it. */
export const uiServes = task({
  name: "uiServes",
  summary: "Wait until the Harvester UI serves its certificate",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    name: z.string().describe("Hostname of the Harvester UI"),
    port: z.int().describe("Port of the Harvester UI"),
    fingerprint: z.string().describe("SHA-256 of the certificate that the UI should serve"),
    ca: text().optional().describe("The CA (PEM); default: a public one"),
    intervalSeconds: seconds().default(3).describe("Seconds between two checks"),
    deadlineSeconds: seconds().default(600).describe("Seconds after which the wait fails"),
  }),
  examples: [],
  title: ({ name }) => `the Harvester UI serves a certificate for ${name}`,
})
  .facts((p) => ({ vip: askObject(p.kubeconfig, vipPath) }))
  .facts(({ name, port, ca }, { vip }) => ({
    served: servedCertificate({ host: vipIn(vip) ?? name, port, name, ...(ca !== undefined && { ca }) }),
  }))
  .want((p, { vip, served }) =>
    decideOnVip(vip, "which certificate the Harvester UI serves", (address) => {
      const hint = "See the pods of the ingress in kube-system, and the log of harvester in harvester-system";
      const where = `${address}:${p.port}`;
      if ("error" in served)
        return refuse({
          code: "not-served",
          message: `${where} presents no certificate: ${served.error.message}`,
          hint,
        });
      const { untrusted, certificate } = served;
      const other =
        untrusted ?? (certificate.fingerprint === p.fingerprint ? undefined : "it is not the one in certificateFile");
      if (other === undefined) return {};
      return refuse({
        code: "not-served",
        message: `${where} still presents another certificate (${certificate.subject}, until ${certificate.notAfter}): ${other}`,
        hint,
      });
    }),
  )
  .wait((p) => ({
    intervalSeconds: p.intervalSeconds,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: `the Harvester UI to serve a certificate for ${p.name}`,
  }));
