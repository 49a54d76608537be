import { z } from "zod";
import type { Json } from "../../core/facts/fact.ts";
import type { Driver } from "../../core/host/driver.ts";
import type { DigitalOceanAct } from "../../facts/cloud/digitalocean/index.ts";
import { perform } from "./act.ts";
import type { Api } from "./api.ts";
import { read } from "./read.ts";
import { rehearse } from "./rehearsal.ts";

const name = z.string().min(1);
const place = { name, region: name.optional(), token: name.optional() };

const question = z.strictObject({
  get: z.enum(["droplet", "volume", "ownKey", "sshKey", "firewall", "size", "region", "image"]),
  ...place,
  owner: name.optional(),
});

const names = z.array(name);
const own = { ...place, owner: name };
const inRegion = { ...own, region: name };
const rules = { inbound: names, outbound: names, tags: names };

const act = z.discriminatedUnion("act", [
  z.strictObject({ act: z.literal("createSshKey"), ...own, publicKey: name }),
  z.strictObject({ act: z.literal("deleteSshKey"), ...own }),
  z.strictObject({ act: z.literal("createVolume"), ...inRegion, sizeGb: z.int(), tags: names }),
  z.strictObject({ act: z.literal("growVolume"), ...inRegion, sizeGb: z.int() }),
  z.strictObject({ act: z.literal("tagVolume"), ...inRegion, tags: names }),
  z.strictObject({ act: z.literal("deleteVolume"), ...own }),
  z.strictObject({ act: z.literal("createFirewall"), ...own, ...rules }),
  z.strictObject({ act: z.literal("changeFirewall"), ...own, ...rules }),
  z.strictObject({ act: z.literal("deleteFirewall"), ...own }),
  z.strictObject({
    act: z.literal("createDroplet"),
    ...inRegion,
    size: name,
    image: name,
    publicKeys: names,
    volumes: names,
    tags: names,
    vpc: name.optional(),
  }),
  z.strictObject({ act: z.literal("attachVolume"), ...inRegion, volume: name }),
  z.strictObject({ act: z.literal("tagDroplet"), ...own, tags: names }),
  z.strictObject({ act: z.literal("resizeDroplet"), ...own, size: name }),
  z.strictObject({ act: z.literal("awaitDroplet"), ...own }),
  z.strictObject({ act: z.literal("startDroplet"), ...own }),
  z.strictObject({ act: z.literal("deleteDroplet"), ...own }),
]);

const actOf = (request: Json): DigitalOceanAct => act.parse(request);

/** Queries and changes DigitalOcean over HTTPS. It never changes a resource that lacks the owner's tag. */
export const digitalOceanDriver: Driver = {
  name: "digitalOcean",
  read: async (request, signal) => {
    const { token, ...asking } = question.parse(request);
    return read({ token, signal }, asking);
  },
  call: async (request, signal, say) => {
    const wanted = actOf(request);
    const api: Api = { token: wanted.token, signal, say };
    await perform(api, wanted);
    return undefined;
  },
  rehearse: async (request, signal, earlier) => {
    const wanted = actOf(request);
    return rehearse({ token: wanted.token, signal }, wanted, earlier.map(actOf));
  },
  // DigitalOcean documents the required scopes of only some calls, so a list of them would be incomplete.
  permissions: () => [],
};
