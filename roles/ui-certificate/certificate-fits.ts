import { type KubernetesAnswer, operator, refuse, type Refusal, task, text, z } from "../../src/authoring.ts";
import { givenCertificate, type GivenCertificate } from "../../src/facts/catalogue.ts";
import { daysUntil } from "../certificates/certificates.ts";
import { askObject, decideOnObject } from "../cluster-answers/one-object.ts";
import { decideOnVip, vipIn, vipPath } from "../cluster-answers/vip.ts";
import { placeOf } from "./ui.ts";

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  name: z.string().describe("Hostname of the Harvester UI"),
  certificate: text().describe("The certificate, followed by the intermediate certificates (PEM)"),
  key: text().describe("The certificate's private key (PEM); a secret"),
  ca: text().optional().describe("The CA (PEM); default: a public one"),
  minimumDays: z.int().nonnegative().describe("Days for which the certificate must still be valid"),
});

type Params = z.output<typeof params>;

/** A certificate is reported this many days before it expires. */
const soonDays = 30;

/**
 * Refuses a certificate that does not match its key, whose chain is broken, that has expired, or that is not for the
 * name and the virtual address: nodes join through the virtual address (harvester/harvester#4511).
 */
export const certificateFits = task({
  name: "certificateFits",
  summary: "Refuse a certificate that does not match its key or name, or is not valid now",
  params,
  examples: [],
  title: ({ name }) => `the certificate is for ${name} and the virtual address`,
})
  .facts((p) => ({ vip: askObject(p.kubeconfig, vipPath), operator: operator() }))
  .facts((p, { vip }) => ({ given: givenCertificate(questionOf(p, [p.name, ...list(vipIn(vip))])) }))
  .want((p, { vip, operator: { since }, given }) =>
    decideOnVip(vip, "whether the certificate fits the cluster", () => problemOf(given, since, p.minimumDays) ?? {}),
  )
  .steps(() => [])
  .notes((_p, { operator: { since }, given }) => {
    const [leaf] = "certificates" in given ? given.certificates : [];
    if (leaf === undefined) return [];
    const days = daysUntil(leaf.notAfter, since);
    return [
      `the certificate expires at ${leaf.notAfter}${days <= soonDays ? `, in ${days} days: renew it and run this again` : ""}`,
    ];
  })
  .outputs((_p, { given }) => ({
    fingerprint: ("certificates" in given && given.certificates[0]?.fingerprint) || "",
  }));

/** Rancher's setting with the URL at which nodes look for the cluster. */
export const serverUrlPath = "/apis/management.cattle.io/v3/settings/server-url";

/**
 * Refuses a certificate that is not for the host of Rancher's `server-url`, where joining nodes look for the cluster.
 * furrow does not change this setting: with another URL, the agents on the nodes do not trust the cluster
 * (harvester/harvester, pull request 4543).
 */
export const serverUrlCovered = task({
  name: "serverUrlCovered",
  summary: "Refuse a certificate that is not for the URL at which nodes join",
  params: params.omit({ minimumDays: true, name: true }),
  examples: [],
  title: () => "the certificate is for the URL at which nodes join",
})
  .facts((p) => ({ url: askObject(p.kubeconfig, serverUrlPath) }))
  .facts((p, { url }) => ({ given: givenCertificate(questionOf(p, list(hostIn(url)))) }))
  .want((_p, { url, given }) =>
    decideOnObject(url, { kind: "Setting", name: "server-url" }, "at which URL nodes join", (own) => {
      if (urlIn(own) === undefined)
        return refuse({
          code: "cluster-not-seen",
          message:
            own === undefined
              ? "cannot tell at which URL nodes join: the cluster does not have Rancher's setting server-url"
              : "cannot tell at which URL nodes join: Rancher's setting server-url has no valid URL",
          hint: "Look at it: kubectl get settings.management.cattle.io server-url",
        });
      if ("problem" in given) return refuseProblem(given.problem);
      const [host] = given.uncovered;
      if (host === undefined) return {};
      return refuse({
        code: "name-not-covered",
        message: `Rancher's server-url setting points nodes at ${host}, which the certificate does not cover: nodes could no longer join`,
        hint: `Have a certificate issued that also covers ${host}`,
      });
    }),
  )
  .steps(() => [])
  .notes((_p, { url }) =>
    "found" in url && url.found && urlIn(url.object) === ""
      ? ["Rancher's setting server-url is empty, so there is no host that the certificate must cover"]
      : [],
  );

function questionOf({ certificate, key, ca }: Pick<Params, "certificate" | "key" | "ca">, hosts: readonly string[]) {
  return { certificate, key, ...(ca !== undefined && { ca }), hosts };
}

function list(one: string | undefined): string[] {
  return one === undefined ? [] : [one];
}

const urlSchema = z.union([z.literal(""), z.url({ protocol: /^https?$/ })]);
const valueSchema = z.looseObject({ value: urlSchema, default: urlSchema.default("") });

/** The URL in Rancher's setting, which may be empty; undefined if it cannot be read. */
function urlIn(setting: unknown): string | undefined {
  const { data } = valueSchema.safeParse(setting);
  return data && (data.value || data.default);
}

/** The host in Rancher's setting; undefined if it has none. */
function hostIn(answer: KubernetesAnswer): string | undefined {
  const url = "found" in answer && answer.found ? (urlIn(answer.object) ?? "") : "";
  return url === "" ? undefined : placeOf(url).host;
}

function problemOf(given: GivenCertificate, now: string, minimumDays: number): Refusal | undefined {
  if ("problem" in given) return refuseProblem(given.problem);
  const { certificates, matchesKey, uncovered, chainProblem } = given;
  if (!matchesKey) return refuseProblem("the private key is not that of the first certificate in the file");
  if (chainProblem !== undefined) return refuseProblem(chainProblem);
  for (const { subject, notBefore, notAfter } of certificates) {
    if (notBefore > now) return refuseProblem(`the certificate of ${subject} is not valid before ${notBefore}`);
    const days = daysUntil(notAfter, now);
    if (notAfter <= now) return refuseProblem(`the certificate of ${subject} expired at ${notAfter}`);
    if (days < minimumDays)
      return refuseProblem(
        `the certificate of ${subject} expires at ${notAfter}, in ${days} days, but must be valid for ${minimumDays}`,
      );
  }
  if (uncovered.length === 0) return undefined;
  return refuse({
    code: "name-not-covered",
    message: `the certificate is for ${certificates[0]?.names.join(", ") ?? ""}, and not for ${uncovered.join(" and ")}`,
    hint: "Have a certificate issued for the name and for the virtual address; nodes join through the latter",
  });
}

function refuseProblem(message: string): Refusal {
  return refuse({
    code: "bad-certificate",
    message,
    hint: "Provide a different file, or have the certificate reissued",
  });
}
