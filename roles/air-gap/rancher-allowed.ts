import { FurrowError } from "../../src/authoring.ts";
import { ipv4Number } from "../../src/facts/catalogue.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { isInside, subnetAround } from "../cluster/ipv4.ts";

/**
 * Before connecting to any host, refuses an air gap that would keep the nodes from reaching Rancher. This can be
 * checked only if the URL contains an address: a name can be resolved only on the host. `own` contains the host's
 * addresses, which the nodes can always reach. Throws FurrowError E_VARS.
 */
export function refuseCutRancher({ airGap, rancher, network }: Cluster, own: readonly string[]): void {
  if (airGap === undefined || rancher === undefined) return;
  const { hostname } = new URL(rancher.url);
  if (ipv4Number(hostname) === undefined) return;
  const isNear = isInside(hostname, subnetAround(network.address, network.prefix));
  if (isNear || own.includes(hostname) || airGap.allow.includes(hostname)) return;
  throw new FurrowError("E_VARS", {
    what: `the air gap cuts the nodes off from Rancher at ${hostname}, so they could not register with it`,
    current: airGap.allow.length === 0 ? "airGap.allow is empty" : `airGap.allow: ${airGap.allow.join(", ")}`,
    expected: `${hostname} in airGap.allow, unless Rancher runs on the host itself`,
    hint: `Set airGap: { allow: ${JSON.stringify([...airGap.allow, hostname])} }`,
  });
}
