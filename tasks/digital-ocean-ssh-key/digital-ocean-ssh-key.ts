import { absent, refuse, task, z } from "../../src/authoring.ts";
import { digitalOcean } from "../../src/facts/catalogue.ts";
import { common, resourceName } from "../digital-ocean-droplet/own.ts";

const params = z
  .strictObject({
    name: resourceName().describe("Name of the key; DigitalOcean shows it as NAME (made by furrow)"),
    publicKey: z
      .string({ error: 'a public key, like "ssh-ed25519 AAAA… me@here"' })
      .regex(
        /^(ssh|ecdsa|sk)-[a-z0-9@.-]+ [A-Za-z0-9+/]+=*( .*)?\n?$/,
        'a public key, like "ssh-ed25519 AAAA… me@here"',
      )
      .optional()
      .describe("The public key, as in its .pub file; required unless state is absent"),
    token: common.token(),
    state: z.enum(["present", "absent"]).default("present").describe("Whether the key is registered with DigitalOcean"),
  })
  .refine((p) => p.state === "absent" || p.publicKey !== undefined, {
    message: "a public key, unless the state is absent",
    path: ["publicKey"],
  });

/** Registers a public key with DigitalOcean, so that it can be installed on new droplets. */
export const digitalOceanSshKey = task({
  name: "digitalOceanSshKey",
  summary: "Register a public key with DigitalOcean, so that its owner can log in to new droplets",
  params,
  service: "digitalOcean",
  examples: [
    {
      name: "harvester",
      publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtVyUwBxUtUWrHl9L8ReFxpKg2ThgNQ6zXWyQOFvVwC me",
    },
    { name: "harvester", state: "absent" },
  ],
  title: (p) => `digitalOceanSshKey ${p.name}`,
  disturbs: () => [digitalOcean.all],
})
  .facts(({ name, token, publicKey }) => ({
    own: digitalOcean.ownKey({ name, token }),
    // DigitalOcean stores each public key only once, regardless of its name.
    ...(publicKey !== undefined && { same: digitalOcean.sshKey({ name: bare(publicKey), token }) }),
  }))
  .want((p, { own, same }) => {
    if (p.state === "absent") return { own: absent };
    const publicKey = bare(p.publicKey ?? "");
    if (same !== undefined && same !== absent) {
      return own === absent || own.publicKey === publicKey ? {} : taken(p.name);
    }
    return { own: { publicKey }, same: { publicKey } };
  })
  .steps((p, { change, now: { own } }) => {
    const place = { name: p.name, token: p.token, owner: "furrow" };
    const remove = digitalOcean.call({ act: "deleteSshKey", ...place }, `delete the SSH key ${p.name}`);
    if (p.state === "absent") return change.own === undefined ? [] : [remove];
    if (change.own === undefined && change.same === undefined) return [];
    const publicKey = bare(p.publicKey ?? "");
    return [
      own !== absent && remove,
      digitalOcean.call({ act: "createSshKey", ...place, publicKey }, `register the SSH key ${p.name}`),
    ];
  });

/** Returns a key without its comment. */
function bare(key: string): string {
  return key.trim().split(/\s+/).slice(0, 2).join(" ");
}

function taken(name: string) {
  return refuse({
    code: "key-taken",
    message: `the SSH key ${name} has another public key, and this public key is registered under another name`,
    expected: "one name for each public key, because DigitalOcean stores each key only once",
    hint: `Remove the SSH key ${name} with state: "absent", or use the other name`,
  });
}
