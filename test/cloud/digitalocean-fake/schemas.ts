import { z } from "zod";

/**
 * The bodies that the fake accepts, as DigitalOcean's published OpenAPI specification describes them
 * (https://github.com/digitalocean/openapi, specification/resources/). Fields that the specification has and furrow
 * does not use are left out, so the fake refuses fields that are sent by mistake.
 */

const tag = z.string().regex(/^[A-Za-z0-9:_-]{1,255}$/);
const region = z.string().regex(/^[a-z]{3}\d$/);
const address = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()]);
/** firewalls/models/firewall_rule.yml: ports is a port, a range, or "0" for all. */
const traffic = {
  protocol: z.enum(["tcp", "udp", "icmp"]),
  ports: z.string().regex(/^(0|\d{1,5}(-\d{1,5})?)$/),
};
const target = z.strictObject({ addresses: z.array(address).min(1) });

/** models/ssh_keys.yml */
export const newKey = z.strictObject({ name: z.string().min(1), public_key: z.string().regex(/^ssh-\S+ \S+/) });

/** models/volume_base.yml and volumes_ext4.yml */
export const newVolume = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/),
  region,
  size_gigabytes: z.int().min(1).max(16_384),
  description: z.string().optional(),
  tags: z.array(tag).optional(),
});

/** models/volume_action_post_*.yml */
export const volumeAction = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("attach"), droplet_id: z.int(), region: region.optional() }),
  z.strictObject({ type: z.literal("resize"), size_gigabytes: z.int().min(1).max(16_384), region: region.optional() }),
]);

/** models/firewall.yml; the request must contain at least one rule. */
export const newFirewall = z
  .strictObject({
    name: z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9.-]+$/),
    inbound_rules: z.array(z.strictObject({ ...traffic, sources: target })),
    outbound_rules: z.array(z.strictObject({ ...traffic, destinations: target })),
    droplet_ids: z.array(z.int()).optional(),
    tags: z.array(tag).optional(),
  })
  .refine((one) => one.inbound_rules.length + one.outbound_rules.length > 0, "at least one rule");

/** models/droplet_create.yml and droplet_single_create.yml */
export const newDroplet = z.strictObject({
  name: z.string().regex(/^[a-zA-Z0-9]?[a-z0-9A-Z.-]*[a-z0-9A-Z]$/),
  region,
  size: z.string(),
  image: z.union([z.string(), z.int()]),
  ssh_keys: z.array(z.union([z.int(), z.string()])).optional(),
  volumes: z.array(z.string()).optional(),
  tags: z.array(tag).optional(),
  vpc_uuid: z.uuid().optional(),
});

/** models/droplet_actions.yml */
export const dropletAction = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("power_on") }),
  z.strictObject({ type: z.literal("resize"), size: z.string(), disk: z.boolean().optional() }),
]);

/** models/tags.yml, and the body of tags_assign_resources.yml */
export const newTag = z.strictObject({ name: tag });
export const tagged = z.strictObject({
  resources: z
    .array(z.strictObject({ resource_id: z.string(), resource_type: z.enum(["droplet", "volume", "image"]) }))
    .min(1),
});
