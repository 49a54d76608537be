import { mapTexts, type Secret, seconds, secretUrl, z } from "../../src/authoring.ts";
import { settingsParams } from "../cluster-settings/params.ts";
import { rangeOf } from "./coverage.ts";

/** The URL of a proxy. */
const proxyUrl = () =>
  secretUrl({ matches: /^https?:\/\/[^\s/]+\/?$/, expected: "a URL like http://proxy.example.org:3128" });

const entryForm = "an address, a subnet, or a name such as .example.org; one per entry";

const entry = z
  .string()
  .regex(/^[^\s,]+$/, entryForm)
  .refine((text) => !text.includes("/") || rangeOf(text) !== undefined, "a subnet such as 192.168.10.0/24");

/** The proxy through which a Harvester cluster reaches other servers. */
export const httpProxySchema = z.strictObject({
  ...settingsParams,
  httpProxy: proxyUrl().optional().describe("Proxy for http:// URLs; its user and password are secret. Default: none"),
  httpsProxy: proxyUrl()
    .optional()
    .describe("Proxy for https:// URLs; its user and password are secret. Default: none"),
  noProxy: z
    .array(entry)
    .min(1, "at least the addresses of the nodes")
    .describe("Addresses, subnets and names that are reached without the proxy"),
  clusterDomain: z.string().min(1).default("cluster.local").describe("Domain of the cluster's services"),
  deadlineSeconds: seconds().default(300).describe("Seconds within which Harvester must apply the setting"),
});

/** The validated vars of a cluster's proxy. */
export type HttpProxy = z.output<typeof httpProxySchema>;

/**
 * The setting's value (HTTPProxyConfig in pkg/util of harvester/harvester). Without a proxy, it still contains noProxy,
 * because Harvester cannot read an empty value.
 */
export function proxyText({ httpProxy, httpsProxy, noProxy }: HttpProxy): string {
  const plain = (one: Secret | string | undefined): string => (one === undefined ? "" : String(one));
  return mapTexts([plain(httpProxy), plain(httpsProxy), noProxy.join(",")], ([http, https, none]) =>
    JSON.stringify({
      ...(http !== "" && { httpProxy: http }),
      ...(https !== "" && { httpsProxy: https }),
      noProxy: none,
    }),
  );
}
