import { refuse, task, z } from "../../src/authoring.ts";
import { resolvedName } from "../../src/facts/catalogue.ts";
import { askObject } from "../cluster-answers/one-object.ts";
import { decideOnVip, vipPath } from "../cluster-answers/vip.ts";

/** Refuses a name that does not resolve to the cluster. */
export const nameResolves = task({
  name: "nameResolves",
  summary: "Refuse a name that does not resolve to the cluster",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    name: z.string().describe("Hostname of the Harvester UI"),
    addresses: z
      .array(z.string())
      .optional()
      .describe("Addresses that the name may resolve to; default: the virtual address"),
  }),
  examples: [],
  title: ({ name }) => `${name} resolves to the cluster`,
})
  .facts((p) => ({ vip: askObject(p.kubeconfig, vipPath), found: resolvedName(p.name) }))
  .want((p, { vip, found }) =>
    decideOnVip(vip, `whether ${p.name} resolves to the cluster`, (address) => {
      if ("error" in found)
        return refuse({
          code: "no-address",
          message: `the controller finds no address for ${p.name}: ${found.error.message}`,
          hint: `Add ${p.name} with the address ${address} to the DNS, or to the controller's hosts file`,
        });
      const allowed = p.addresses ?? [address];
      if (found.addresses.some((one) => allowed.includes(one))) return {};
      return refuse({
        code: "other-address",
        message: `${p.name} has the address ${found.addresses.join(", ")}, not ${allowed.join(" or ")}`,
        hint: "Correct the DNS, or list the addresses of a load balancer in `addresses`",
      });
    }),
  )
  .steps(() => []);
