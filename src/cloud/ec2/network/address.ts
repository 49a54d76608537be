import type { Address } from "@aws-sdk/client-ec2";
import { absent, type Absent } from "../../../core/facts/symbols.ts";
import type { Ec2Act, Ec2AddressState } from "../../../facts/cloud/ec2/index.ts";
import { waitUntil } from "../../wait.ts";
import { type Ec2, told } from "../client.ts";
import { itsInstance } from "../instance.ts";
import { onlyOne } from "../one.ts";
import { listIn } from "../pages.ts";
import { ownId, seenId } from "../own.ts";
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
  const doing = `look for the address ${name}`;
  const { Addresses } = await told(ec2, doing, ec2.client.send(command, ec2.http));
  return onlyOne(listIn(Addresses, doing), `address ${name}`, ({ AllocationId = "" }) => AllocationId);
}

/** An address as {@link ownId} identifies it. */
function called(name: string, seen: string | undefined) {
  return { name: `address ${name}`, prefix: "eipalloc", seen };
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
  const id = ownId(ec2, await address(ec2, name), called(name, act.id));
  const { InstanceId } = await itsInstance(ec2, instance, act.instanceId);
  const command = new ec2.sdk.AssociateAddressCommand({ AllocationId: id, InstanceId, AllowReassociation: true });
  await told(ec2, `associate the address ${name} with ${instance}`, ec2.client.send(command, ec2.http));
  await untilAddress(
    ec2,
    name,
    `to be associated with ${instance}`,
    (now) => now !== absent && now.instance === InstanceId,
  );
}

/** Disassociates an address from the machine that the task saw. */
export async function disassociateAddress(
  ec2: Ec2,
  act: Extract<Ec2Act, { act: "disassociateAddress" }>,
): Promise<void> {
  const { name, instanceId } = act;
  const found = await rawAddress(ec2, name);
  if (found === absent || found.AssociationId === undefined) return;
  const { AssociationId, AllocationId = "", InstanceId = "", Tags } = found;
  ownId(ec2, { id: AllocationId, ours: marksOf(Tags).ours }, called(name, act.id));
  seenId(ec2, { id: InstanceId }, { name: `machine with the address ${name}`, prefix: "i", seen: instanceId });
  const command = new ec2.sdk.DisassociateAddressCommand({ AssociationId });
  await told(ec2, `disassociate the address ${name}`, ec2.client.send(command, ec2.http));
  await untilAddress(ec2, name, "to be free", (now) => now !== absent && !now.associated);
}

/** Releases an address. An address whose machine was just terminated stays associated for a moment. */
export async function releaseAddress(ec2: Ec2, act: Extract<Ec2Act, { act: "releaseAddress" }>): Promise<void> {
  const { name } = act;
  const found = await address(ec2, name);
  if (found === absent) return;
  const AllocationId = ownId(ec2, found, called(name, act.id));
  if (ec2.dry !== true && found.associated) {
    await untilAddress(ec2, name, "to be free", (now) => now !== absent && !now.associated);
  }
  const command = new ec2.sdk.ReleaseAddressCommand({ AllocationId });
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
