import { z } from "zod";
import type { Json } from "../../core/facts/fact.ts";
import type { Driver } from "../../core/host/driver.ts";
import type { AzureAct } from "../../facts/cloud/azure/index.ts";
import { perform } from "./act.ts";
import type { Api } from "./api.ts";
import { permissionsToChange, permissionsToRead } from "./permissions.ts";
import { read } from "./read.ts";
import { rehearse } from "./rehearsal/rehearsal.ts";

const name = z.string().min(1);
const kinds = z.enum(["group", "network", "securityGroup", "address", "card", "disk", "machine"]);
const place = { name, group: name.optional(), location: name.optional(), subscription: name.optional() };

const question = z.strictObject({
  get: z.enum([...kinds.options, "contents", "size", "image", "location", "feature"]),
  ...place,
});

const tags = z.record(z.string(), z.string());
const own = { ...place, group: name, owner: name };
const located = { ...own, location: name };
const rule = z.strictObject({
  protocol: z.enum(["tcp", "udp", "icmp"]),
  ports: z.array(name).min(1),
  from: z.array(name).min(1),
});

const act = z.discriminatedUnion("act", [
  z.strictObject({ act: z.literal("createGroup"), ...located, tags }),
  z.strictObject({ act: z.literal("tag"), ...own, kind: kinds, tags }),
  z.strictObject({ act: z.literal("putSecurityGroup"), ...located, rules: z.array(rule), tags }),
  z.strictObject({ act: z.literal("createNetwork"), ...located, cidr: name, subnetCidr: name, tags }),
  z.strictObject({ act: z.literal("putSubnet"), ...own, subnetCidr: name }),
  z.strictObject({
    act: z.literal("createDisk"),
    ...located,
    sizeGb: z.int(),
    type: name,
    zone: name.optional(),
    tags,
  }),
  z.strictObject({ act: z.literal("growDisk"), ...own, sizeGb: z.int() }),
  z.strictObject({
    act: z.literal("createMachine"),
    ...located,
    zone: name.optional(),
    size: name,
    image: name,
    login: name,
    publicKeys: z.array(name).min(1),
    osDiskGb: z.int(),
    osDiskType: name,
    disks: z.array(name),
    network: name,
    publicAddress: z.boolean(),
    security: z.enum(["standard", "trustedLaunch"]),
    tags,
  }),
  z.strictObject({ act: z.literal("awaitMachine"), ...own }),
  z.strictObject({ act: z.literal("attachDisks"), ...own, disks: z.record(z.string(), z.int()) }),
  z.strictObject({ act: z.literal("keepDisks"), ...own, disks: z.array(name) }),
  z.strictObject({ act: z.literal("setPublicAddress"), ...located, network: name, publicAddress: z.boolean() }),
  z.strictObject({ act: z.literal("resizeMachine"), ...located, size: name }),
  z.strictObject({ act: z.literal("startMachine"), ...located, size: name, isAllocated: z.boolean() }),
  z.strictObject({ act: z.literal("stopMachine"), ...own }),
  z.strictObject({ act: z.literal("readHostKeys"), ...own, deadlineSeconds: z.int() }),
  z.strictObject({ act: z.literal("delete"), ...own, kind: kinds }),
]);

const actOf = (request: Json): AzureAct => act.parse(request);

/**
 * Queries and changes Azure Resource Manager over HTTPS, and logs in with the package @azure/identity. It never changes
 * a resource that lacks the owner's tag.
 */
export const azureDriver: Driver = {
  name: "azure",
  read: async (request, signal) => {
    const asking = question.parse(request);
    return read({ subscription: asking.subscription, signal }, asking);
  },
  call: async (request, signal, say) => {
    const wanted = actOf(request);
    const api: Api = { subscription: wanted.subscription, signal, say };
    await perform(api, wanted);
    return undefined;
  },
  rehearse: async (request, signal, earlier) => {
    const wanted = actOf(request);
    return rehearse({ subscription: wanted.subscription, signal }, wanted, earlier.map(actOf));
  },
  permissions: (request, use) =>
    use === "read" ? permissionsToRead(question.parse(request)) : permissionsToChange(actOf(request)),
};
