import { absent, refuse, task, z } from "../../src/authoring.ts";
import { gce, gceOwner, gceSeen } from "../../src/facts/catalogue.ts";
import { foreign, needed, notInPlace, resourceName, shared } from "../gce-network/own.ts";

const params = z
  .strictObject({
    name: shared.name("Name of the rule"),
    project: shared.project(),
    network: resourceName()
      .optional()
      .describe("Network of the instances that the traffic may reach; required unless state is absent"),
    allow: z
      .array(
        z.string().regex(/^[a-z0-9]+(:\d+(-\d+)?)?$/, 'a protocol, optionally with a port or range: "tcp:22", "icmp"'),
      )
      .min(1, "at least one protocol")
      .optional()
      .describe("Allowed traffic; required unless state is absent"),
    sourceRanges: z
      .array(z.union([z.cidrv4(), z.cidrv6()], { error: 'a range of addresses, like "192.0.2.0/24"' }))
      .min(1, "at least one range")
      .optional()
      .describe("Allowed source ranges; required unless state is absent"),
    targetTags: z
      .array(resourceName())
      .default([])
      .describe("Apply only to instances with one of these tags; default: all instances"),
    priority: z
      .int("a number")
      .min(0, "0 to 65535")
      .max(65_535, "0 to 65535")
      .default(1000)
      .describe("Priority; lower numbers are evaluated first"),
    disabled: z.boolean().default(false).describe("Keep the rule, but do not enforce it"),
    owner: shared.owner(),
    state: z.enum(["present", "absent"]).default("present").describe("Whether the rule exists"),
  })
  .refine(...needed("network", "a network"))
  .refine(...needed("allow", "the allowed traffic"))
  .refine(...needed("sourceRanges", "the allowed source ranges"));

type Params = z.output<typeof params>;

/** Manages or deletes a firewall rule that allows inbound traffic to a VPC network. */
export const gceFirewall = task({
  name: "gceFirewall",
  summary: "Create or update a firewall rule that allows traffic into a network of Google Compute Engine, or delete it",
  params,
  service: "gce",
  examples: [
    {
      name: "harvester-ssh",
      project: "harvester-lab-1234",
      network: "harvester",
      allow: ["tcp:22"],
      sourceRanges: ["192.0.2.7/32"],
    },
  ],
  title: (p) => `gceFirewall ${p.name}`,
  disturbs: () => [gce.all],
})
  .facts((p) => ({
    rule: gce.firewall(p),
    networks: p.network === undefined ? [] : [gce.network({ project: p.project, name: p.network })],
  }))
  .want((p, { rule, networks }) => {
    const refusal = foreign("firewall rule", p, rule);
    if (refusal !== undefined) return refusal;
    if (p.state === "absent") return { rule: absent };
    const { network = "" } = p;
    if (networks.includes(absent)) {
      return refuse({
        code: "no-network",
        message: `there is no network ${network} in ${p.project}`,
        hint: "Correct the name, or create the network first with gceNetwork",
      });
    }
    const nothing = "nothing but the rule";
    if (rule !== absent && rule.network !== network) {
      return notInPlace(`the rule ${p.name}`, "network", rule.network, network, nothing);
    }
    if (rule !== absent && rule.direction !== "INGRESS") {
      return notInPlace(`the rule ${p.name}`, "direction", rule.direction, "INGRESS", nothing);
    }
    return { rule: { ...bound(p), description: gceOwner(p.owner) } };
  })
  .steps((p, { change, now }) => {
    if (change.rule === undefined) return [];
    const act = { sort: "firewall", place: { project: p.project, name: p.name } } as const;
    if (p.state === "absent") {
      return [
        gce.call({
          ...act,
          seen: gceSeen(p.owner, now.rule),
          method: "delete",
          until: "absent",
          label: `delete firewall rule ${p.name}`,
        }),
      ];
    }
    const isNew = now.rule === absent;
    return [
      gce.call({
        ...act,
        // A patch request cannot empty a list, so use an update.
        method: isNew ? "insert" : "update",
        fields: { firewallResource: resource(p) },
        until: bound(p),
        label: `${isNew ? "create" : "change"} firewall rule ${p.name}`,
      }),
    ];
  });

function bound(p: Params) {
  return {
    network: p.network ?? "",
    direction: "INGRESS",
    allow: [...new Set(p.allow ?? [])].toSorted(),
    sourceRanges: [...new Set(p.sourceRanges ?? [])].toSorted(),
    targetTags: [...new Set(p.targetTags)].toSorted(),
    priority: p.priority,
    disabled: p.disabled,
  };
}

function resource(p: Params) {
  const { network, allow, ...rest } = bound(p);
  const allowed = allow.map((entry) => {
    const [IPProtocol = "", port] = entry.split(":");
    return { IPProtocol, ...(port !== undefined && { ports: [port] }) };
  });
  const link = `projects/${p.project}/global/networks/${network}`;
  return { ...rest, name: p.name, network: link, allowed, description: gceOwner(p.owner) };
}
