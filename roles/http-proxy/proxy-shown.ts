import { type Secret, task, text, z } from "../../src/authoring.ts";
import { sealedFieldValue } from "../../src/facts/catalogue.ts";
import { askObject, lookAtObject, settingPath } from "../cluster-answers/one-object.ts";

const setting = "http-proxy";

/** The secret keys of the setting's value: a proxy's URL may contain a user and a password. */
const secretKeys: readonly string[] = ["value.httpProxy", "value.httpsProxy"];

const valueSchema = z.looseObject({
  httpProxy: z.string().default(""),
  httpsProxy: z.string().default(""),
  noProxy: z.string().default(""),
});

const schemes = { httpProxy: "http://", httpsProxy: "https://" } as const;

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  httpProxy: text().optional().describe("Proxy for http:// URLs"),
  httpsProxy: text().optional().describe("Proxy for https:// URLs"),
  noProxy: z.array(z.string()).describe("Addresses that are reached without the proxy"),
});

/** Reports what will change in the proxy of a cluster: a diff of the setting shows only that a secret differs. */
export const proxyShown = task({
  name: "proxyShown",
  summary: "Report what changes in the proxy of a cluster, without its URL",
  params,
  examples: [],
  title: () => "what changes in the proxy",
})
  .facts((p) => ({ setting: askObject(p.kubeconfig, settingPath(setting), secretKeys) }))
  .want(() => ({}))
  .steps(() => [])
  .notes((p, now) => {
    const look = lookAtObject(now.setting, { kind: "Setting", name: setting });
    if ("unseen" in look) return [`cannot tell what changes in the proxy: ${look.unseen.message}`];
    if (look.seen === undefined) return [];
    const before = valueOf(look.seen["value"]);
    return before === undefined ? ["the setting http-proxy has a value that furrow cannot read"] : changes(p, before);
  });

/** The value of the setting; undefined if it does not have the expected form. */
function valueOf(value: unknown): z.output<typeof valueSchema> | undefined {
  if (value === undefined || value === "") return valueSchema.parse({});
  if (typeof value !== "string") return undefined;
  try {
    return valueSchema.safeParse(JSON.parse(value)).data;
  } catch {
    return undefined;
  }
}

type Proxies = Pick<z.output<typeof params>, "httpProxy" | "httpsProxy" | "noProxy">;

function changes(wanted: Proxies, before: z.output<typeof valueSchema>): string[] {
  const names = ["httpProxy", "httpsProxy"] as const;
  const texts = names.flatMap((name) => proxyText(schemes[name], before[name], wanted[name]));
  const none = names.every((name) => wanted[name] === undefined);
  const had = names.some((name) => before[name] !== "");
  const old = before.noProxy.split(",").flatMap((one) => one.trim() || []);
  const added = wanted.noProxy.filter((one) => !old.includes(one));
  const gone = old.filter((one) => !wanted.noProxy.includes(one));
  const isMoved = added.length + gone.length === 0 && before.noProxy !== wanted.noProxy.join(",");
  return [
    ...texts,
    ...(none && had ? ["the cluster then uses no proxy"] : []),
    ...(added.length > 0 ? [`noProxy gets ${added.join(", ")}`] : []),
    ...(gone.length > 0 ? [`noProxy loses ${gone.join(", ")}`] : []),
    ...(isMoved ? ["only the order or the spelling of noProxy changes"] : []),
  ];
}

/** Says what changes in one proxy. Only a keyed hash of its present value is known. */
function proxyText(scheme: string, before: string, wanted: Secret | string | undefined): string[] {
  if (wanted === undefined) return before === "" ? [] : [`the proxy for ${scheme} URLs is removed`];
  if (before === "") return [`a proxy for ${scheme} URLs is set`];
  return before === sealedFieldValue(String(wanted))
    ? []
    : [`the proxy for ${scheme} URLs gets another URL, user or password`];
}
