import { absent, refuse, task, z } from "../../src/authoring.ts";
import { type Ec2Act, ec2Call, ec2KeyPairState } from "../../src/facts/catalogue.ts";
import { ec2Name, ec2Tags, region } from "../ec2-instance/params.ts";
import { seenIn } from "../ec2-instance/seen.ts";

const params = z.strictObject({
  name: ec2Name("a key pair").describe("Name of the key pair, by which machines refer to it"),
  region: region(),
  publicKey: z
    .string({ error: 'a public key, like "ssh-ed25519 AAAA… me@here"' })
    .regex(
      /^(ssh-ed25519|ssh-rsa) [A-Za-z0-9+/]+=*( .*)?\n?$/,
      'an ed25519 or RSA key, like "ssh-ed25519 AAAA… me@here"',
    )
    .optional()
    .describe("The public key, as in its .pub file; required unless state is absent"),
  tags: ec2Tags(),
  state: z.enum(["present", "absent"]).default("present").describe("Whether the key pair is registered in EC2"),
});

/** Registers a public key in EC2, so its owner can log in to machines. */
export const ec2KeyPair = task({
  name: "ec2KeyPair",
  summary: "Register a public key in Amazon EC2, so that its owner can log in to machines",
  params,
  service: "ec2",
  examples: [
    {
      name: "harvester",
      publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtVyUwBxUtUWrHl9L8ReFxpKg2ThgNQ6zXWyQOFvVwC me",
    },
    { name: "harvester", state: "absent" },
  ],
  title: (p) => `ec2KeyPair ${p.name}`,
  disturbs: () => [],
})
  .facts((p) => ({ pair: ec2KeyPairState(p) }))
  .want((p, { pair }) => {
    if (p.state === "absent") {
      return pair === absent || pair.ours ? { pair: absent } : foreign(p.name, pair.id);
    }
    if (p.publicKey === undefined) {
      return refuse({
        code: "no-public-key",
        message: "no public key was given for the key pair in EC2",
        hint: "Set publicKey",
      });
    }
    const publicKey = bare(p.publicKey);
    if (pair === absent) return { pair: { publicKey, tags: p.tags, ours: true } };
    if (pair.publicKey === publicKey) return pair.ours ? { pair: { publicKey, tags: p.tags } } : {};
    return pair.ours ? { pair: { publicKey, tags: p.tags, ours: true } } : foreign(p.name, pair.id);
  })
  .steps((p, { change, now: { pair } }) => {
    if (change.pair === undefined) return [];
    const { region: where, name, tags } = p;
    const remove = ec2Call(
      { act: "deleteKeyPair", region: where, name, id: seenIn(pair) },
      `delete the key pair ${name}`,
    );
    if (p.state === "absent") return [remove];
    const publicKey = bare(p.publicKey ?? "");
    if (pair !== absent && pair.publicKey === publicKey) {
      return [ec2Call({ act: "setTags", region: where, id: pair.id, tags }, `tag the key pair ${name}`)];
    }
    return [pair !== absent && remove, ec2Call(importAct(p, publicKey), `import the key pair ${name}`)];
  });

function importAct({ region: where, name, tags }: z.output<typeof params>, publicKey: string): Ec2Act {
  return { act: "importKeyPair", region: where, name, publicKey, tags };
}

/** Returns a key without its comment. */
function bare(key: string): string {
  return key.trim().split(/\s+/).slice(0, 2).join(" ");
}

function foreign(name: string, id: string) {
  return refuse({
    code: "not-ours",
    message: `the key pair ${name} (${id}) was not created by furrow, and has another public key`,
    hint: "Choose another name, or, if you may change that key pair, give it the tag furrow",
  });
}
