import { absent, type Absent } from "../../core/facts/symbols.ts";
import type { Ec2Act, Ec2KeyPairState } from "../../facts/cloud/ec2/index.ts";
import { waitUntil } from "../wait.ts";
import { type Ec2, told } from "./client.ts";
import { codeOf } from "./failures.ts";
import { onlyOne } from "./one.ts";
import { listIn } from "./pages.ts";
import { ownId } from "./own.ts";
import { filter, marksOf, ownTags, tagging } from "./tags.ts";

/** The key pair with the given name. */
export async function keyPair(ec2: Ec2, name: string): Promise<Ec2KeyPairState | Absent> {
  const command = new ec2.sdk.DescribeKeyPairsCommand({ Filters: [filter("key-name", name)], IncludePublicKey: true });
  const doing = `look for the key pair ${name}`;
  const { KeyPairs } = await told(ec2, doing, ec2.client.send(command, ec2.http));
  const found = onlyOne(listIn(KeyPairs, doing), `key pair ${name}`, ({ KeyPairId = "" }) => KeyPairId);
  if (found === absent) return absent;
  const { KeyPairId: id = "", PublicKey = "", Tags } = found;
  return { id, publicKey: PublicKey.trim().split(/\s+/).slice(0, 2).join(" "), ...marksOf(Tags) };
}

/** Imports a public key under a name. If a killed run has already imported it, that counts as success. */
export async function importKeyPair(ec2: Ec2, act: Extract<Ec2Act, { act: "importKeyPair" }>): Promise<void> {
  const { name, publicKey, tags } = act;
  const command = new ec2.sdk.ImportKeyPairCommand({
    KeyName: name,
    PublicKeyMaterial: Buffer.from(publicKey),
    TagSpecifications: tagging(ownTags(name, tags), "key-pair"),
  });
  try {
    await told(ec2, `import the key pair ${name}`, ec2.client.send(command, ec2.http));
  } catch (error) {
    if (codeOf(error) !== "InvalidKeyPair.Duplicate") throw error;
  }
  await waitUntil(
    async () => ((await keyPair(ec2, name)) === absent ? { meanwhile: "not visible yet" } : { done: true }),
    {
      waitsFor: `the key pair ${name} to appear`,
      deadlineSeconds: 60,
      signal: ec2.signal,
      say: ec2.say,
      hint: "Rerun: EC2 may take a while to show changes",
    },
  );
}

/** Deletes the public key from EC2; running machines keep it. The name of a key pair is unique in its region. */
export async function deleteKeyPair(ec2: Ec2, { name, id }: Extract<Ec2Act, { act: "deleteKeyPair" }>): Promise<void> {
  const found = await keyPair(ec2, name);
  if (found === absent) return;
  ownId(ec2, found, { name: `key pair ${name}`, prefix: "key", seen: id });
  const command = new ec2.sdk.DeleteKeyPairCommand({ KeyName: name });
  await told(ec2, `delete the key pair ${name}`, ec2.client.send(command, ec2.http));
  await waitUntil(
    async () => ((await keyPair(ec2, name)) === absent ? { done: true } : { meanwhile: "still visible" }),
    {
      waitsFor: `the key pair ${name} to disappear`,
      deadlineSeconds: 60,
      signal: ec2.signal,
      say: ec2.say,
      hint: "Rerun: EC2 may take a while to show changes",
    },
  );
}
