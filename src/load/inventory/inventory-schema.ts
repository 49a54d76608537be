import { z } from "zod";
import type { InventorySource } from "../../core/inventory/inventory-source.ts";
import { Secret } from "../../core/secrets/secret.ts";

const secret = (): z.ZodType<Secret> => z.instanceof(Secret, { error: "a secret: secret.env, secret.file or prompt" });
const paths = (): z.ZodType<string | string[]> =>
  z.union([z.string(), z.array(z.string())], { error: "a path or a list of paths" });

const become = z.strictObject(
  {
    method: z.enum(["sudo", "su", "doas"], { error: '"sudo", "su" or "doas"' }).optional(),
    user: z.string({ error: "a user's name" }).optional(),
    password: secret().optional(),
  },
  { error: '{ method: "sudo", user: "root" }' },
);

const word = (error: string): z.ZodString => z.string({ error }).regex(/^\w[\w.:@/+ -]*$/, error);

const tunnel = z.union(
  [
    z.literal("none"),
    z.strictObject({
      sessionManager: z.strictObject({
        instance: word("an instance's id").optional(),
        region: word('a region, like "eu-central-1"').optional(),
        profile: word("a profile's name").optional(),
      }),
    }),
    z.strictObject({
      iap: z.strictObject({
        instance: word("an instance's name").optional(),
        project: word("a project's id"),
        zone: word('a zone, like "europe-west3-a"'),
      }),
    }),
  ],
  { error: '{ sessionManager: { region } }, { iap: { project, zone } } or "none"' },
);

const connection = {
  transport: z
    .enum(["ssh", "openssh", "local", "simulated"], { error: '"ssh", "openssh", "local" or "simulated"' })
    .optional(),
  address: z
    .string({ error: 'a DNS name or IP address, like "192.0.2.7"' })
    .min(1, "a name or address")
    .regex(/^(?!.*\/\d+$)/s, 'one address without a prefix length, like "192.0.2.7"')
    .regex(/^[^@]*$/, 'an address without a user, like "192.0.2.7"')
    // An IPv6 address contains several colons.
    .regex(/^(?![^:]*:\d*$)(?!\[)/, 'an address without a port or brackets, like "192.0.2.7" or "2001:db8::7"')
    .optional(),
  port: z
    .number({ error: "a port number from 1 to 65535" })
    .int("a port number from 1 to 65535")
    .min(1, "a port number from 1 to 65535")
    .max(65_535, "a port number from 1 to 65535")
    .optional(),
  user: z.string({ error: "a user's name" }).min(1, "a user's name").optional(),
  identityFile: paths().optional(),
  passphrase: secret().optional(),
  password: secret().optional(),
  proxyJump: z.string({ error: '"user@host:port", several separated by commas, or "none"' }).optional(),
  tunnel: tunnel.optional(),
  hostKeyPolicy: z.enum(["strict", "accept-new", "off"], { error: '"strict", "accept-new" or "off"' }).optional(),
  knownHostsFile: paths().optional(),
  hostKeys: z
    .array(z.string().regex(/^[\w@.-]+ [A-Za-z0-9+/]+=*( .*)?$/, 'a public key, like "ssh-ed25519 AAAA…"'), {
      error: "a list of public keys",
    })
    .optional(),
  connectTimeoutSeconds: z.number({ error: "a number of seconds" }).positive("a positive number of seconds").optional(),
  keepaliveSeconds: z.number({ error: "a number of seconds" }).min(0, "a number of seconds, 0 for none").optional(),
  matchExec: z.boolean({ error: "true or false" }).optional(),
  become: become.optional(),
};

const vars = z.record(z.string(), z.unknown(), { error: "vars by name: { version: … }" }).optional();
const names = z.array(z.string({ error: "a name" }), { error: "a list of names" }).optional();

/** The names of all connection settings except `become`. */
export const connectionKeys: readonly string[] = Object.keys(connection).filter((key) => key !== "become");

const settingNames = [...connectionKeys, ...Object.keys(become.shape).map((key) => `become.${key}`)];
const notInherited = z
  .array(z.enum(settingNames, { error: 'the name of a setting, like "proxyJump"' }), { error: "a list of settings" })
  .optional();

/** A valid host or group name: it has no character that is special in host patterns. */
export const goodName: RegExp = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;

/** True for an inventory source. */
export function isSource(value: unknown): value is InventorySource {
  return (
    typeof value === "object" &&
    value !== null &&
    "source" in value &&
    typeof value.source === "string" &&
    "list" in value &&
    isFunction(value.list)
  );
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

/** The schema of an inventory definition. */
export const inventorySchema: z.ZodType = z.strictObject({
  ...connection,
  inventory: z.literal(true).optional(),
  file: z.unknown().optional(),
  hosts: z.record(
    z.string(),
    z.strictObject({ ...connection, vars, notInherited }, { error: "{ address: …, vars: … }, or {} for the defaults" }),
    { error: "hosts by name: { web1: {}, web2: { port: 2222 } }" },
  ),
  groups: z
    .record(
      z.string(),
      z.strictObject({ ...connection, hosts: names, groups: names, vars }, { error: '{ hosts: ["web1"] }' }),
      { error: 'groups by name: { web: { hosts: ["web1"] } }' },
    )
    .optional(),
  vars,
  sources: z.array(z.custom(isSource, { error: "an inventory source: { source, list }" })).optional(),
  constructed: z
    .union([z.custom(isFunction), z.array(z.custom(isFunction))], {
      error: "a function that returns group names for a host's vars, or a list of such functions",
    })
    .optional(),
});
