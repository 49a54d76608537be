import type { Address } from "@aws-sdk/client-ec2";
import { absent, type Absent } from "../../../core/facts/symbols.ts";
import type { Ec2Act, Ec2AddressState } from "../../../facts/cloud/ec2/index.ts";
import { waitUntil } from "../../wait.ts";
import { type Ec2, told } from "../client.ts";
import { itsInstance } from "../instance.ts";
import { onlyOne } from "../one.ts";
import { idOf } from "../placeholder.ts";
import { filter, marksOf, ownTags, tagging } from "../tags.ts";
import { createOnce } from "./make.ts";

/** The elastic IP address with the given name. */
export async function address(ec2: Ec2, name: string): Promise<Ec2AddressState | Absent> {
  const found = await rawAddress(ec2, name);
  if (found === absent) return absent;
  const { AllocationId: id = "", PublicIp = "", InstanceId = "", AssociationId } = found;
  return {
    id,
    address: PublicIp,
    associated: AssociationId !== undefined,
    instance: InstanceId,
    ...marksOf(found.Tags),
  };
}

async function rawAddress(ec2: Ec2, name: string): Promise<Address | Absent> {
  const command = new ec2.sdk.DescribeAddressesCommand({ Filters: [filter("tag:Name", name)] });
  const { Addresses = [] } = await told(ec2, `look for the address ${name}`, ec2.client.send(command, ec2.http));
  return onlyOne(Addresses, `address ${name}`, ({ AllocationId = "" }) => AllocationId);
}

/** Allocates an address. */
export async function allocateAddress(ec2: Ec2, act: Extract<Ec2Act, { act: "allocateAddress" }>): Promise<void> {
  const { name, tags } = act;
  const command = new ec2.sdk.AllocateAddressCommand({
    Domain: "vpc",
    TagSpecifications: tagging(ownTags(name, tags), "elastic-ip"),
  });
  await createOnce(
    ec2,
    `the address ${name}`,
    () => rawAddress(ec2, name),
    () => ec2.client.send(command, ec2.http),
  );
}

/** Associates an address with a machine, and removes any other association. */
export async function associateAddress(ec2: Ec2, act: Extract<Ec2Act, { act: "associateAddress" }>): Promise<void> {
  const { name, instance } = act;
  const what = { name: `address ${name}`, prefix: "eipalloc" };
  const id = idOf(ec2, await rawAddress(ec2, name), { ...what, id: (found) => found.AllocationId });
  const { InstanceId } = await itsInstance(ec2, instance);
  const command = new ec2.sdk.AssociateAddressCommand({ AllocationId: id, InstanceId, AllowReassociation: true });
  await told(ec2, `associate the address ${name} with ${instance}`, ec2.client.send(command, ec2.http));
  await untilAddress(
    ec2,
    name,
    `to be associated with ${instance}`,
    (now) => now !== absent && now.instance === InstanceId,
  );
}

/** Disassociates an address from its machine. */
export async function disassociateAddress(ec2: Ec2, name: string): Promise<void> {
  const found = await rawAddress(ec2, name);
  if (found === absent || found.AssociationId === undefined) return;
  const command = new ec2.sdk.DisassociateAddressCommand({ AssociationId: found.AssociationId });
  await told(ec2, `disassociate the address ${name}`, ec2.client.send(command, ec2.http));
  await untilAddress(ec2, name, "to be free", (now) => now !== absent && !now.associated);
}

/** Releases an address. */
export async function releaseAddress(ec2: Ec2, name: string): Promise<void> {
  const found = await address(ec2, name);
  if (found === absent) return;
  const command = new ec2.sdk.ReleaseAddressCommand({ AllocationId: found.id });
  await told(ec2, `release the address ${name}`, ec2.client.send(command, ec2.http));
  await untilAddress(ec2, name, "to disappear", (now) => now === absent);
}

async function untilAddress(
  ec2: Ec2,
  name: string,
  what: string,
  isRight: (found: Ec2AddressState | Absent) => boolean,
): Promise<void> {
  await waitUntil(async () => (isRight(await address(ec2, name)) ? { done: true } : { meanwhile: "not yet" }), {
    waitsFor: `the address ${name} ${what}`,
    deadlineSeconds: 60,
    signal: ec2.signal,
    say: ec2.say,
    hint: "Rerun: EC2 may take a while to show changes",
  });
}
