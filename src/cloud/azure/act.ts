import { absent } from "../../core/facts/symbols.ts";
import type { AzureAct, AzurePlace, AzureRule } from "../../facts/cloud/azure/index.ts";
import type { Api } from "./api.ts";
import { addTags, change, idOf, put, remove } from "./change.ts";
import { calledOf } from "./kinds.ts";
import { deleteMachine, keepDisks } from "./delete-machine.ts";
import { attachDisks, createMachine, powerMachine, resizeMachine, setPublicAddress } from "./machine.ts";
import { awaitMachine, readHostKeys } from "./first-boot.ts";
import { assertOwn, owned, settled } from "./read.ts";

type Act<K extends AzureAct["act"]> = Extract<AzureAct, { readonly act: K }>;

/** Performs an act, and waits until Azure has finished. Throws FurrowError E_DRIVER or E_WAIT. */
export async function perform(api: Api, act: AzureAct): Promise<void> {
  switch (act.act) {
    case "createGroup":
      return putNew(api, "group", act, { location: act.location, tags: act.tags });
    case "tag":
      return addTags(api, act.kind, act, await owned(api, act.kind, act), act.tags);
    case "putSecurityGroup":
      return putSecurityGroup(api, act);
    case "createNetwork":
      return createNetwork(api, act);
    case "putSubnet":
      return putSubnet(api, act);
    case "createDisk":
      return createDisk(api, act);
    case "growDisk":
      return growDisk(api, act);
    case "createMachine":
      return createMachine(api, act);
    case "awaitMachine":
      return awaitMachine(api, act);
    case "attachDisks":
      return attachDisks(api, act);
    case "keepDisks":
      return keepDisks(api, act);
    case "setPublicAddress":
      return setPublicAddress(api, act);
    case "resizeMachine":
      return resizeMachine(api, act);
    case "startMachine":
    case "stopMachine":
      return powerMachine(api, act);
    case "readHostKeys":
      return readHostKeys(api, act);
    case "delete":
      return act.kind === "machine" ? deleteMachine(api, act) : deleteOne(api, act);
  }
}

/** Creates a resource that does not exist, or that belongs to the owner. */
async function putNew(
  api: Api,
  kind: "group" | "network" | "securityGroup" | "disk",
  act: AzurePlace & { readonly owner: string },
  body: object,
): Promise<void> {
  const now = await settled(api, kind, act);
  if (now !== absent) assertOwn(now, calledOf(kind, act), act.owner);
  await put(api, kind, act, body, now === absent ? "create" : "change");
}

/**
 * All rules of a security group. Azure itself adds rules after them that let in the virtual network and its load
 * balancers, and nothing else.
 */
async function putSecurityGroup(api: Api, act: Act<"putSecurityGroup">): Promise<void> {
  const now = await settled(api, "securityGroup", act);
  const tags = { ...(now === absent ? {} : (now["tags"] as object | undefined)), ...act.tags };
  const securityRules = act.rules.map((rule, at) => ruleOf(rule, at));
  await putNew(api, "securityGroup", act, { location: act.location, tags, properties: { securityRules } });
}

const protocols = { tcp: "Tcp", udp: "Udp", icmp: "Icmp" } as const;

function ruleOf({ protocol, ports, from }: AzureRule, at: number): object {
  const properties = {
    access: "Allow",
    direction: "Inbound",
    priority: 1000 + 10 * at,
    protocol: protocols[protocol],
    sourcePortRange: "*",
    // A rule for everyone has the prefix *, which cannot be in a list.
    ...(from.includes("0.0.0.0/0") ? { sourceAddressPrefix: "*" } : { sourceAddressPrefixes: from }),
    destinationAddressPrefix: "*",
    ...(ports.includes("*") ? { destinationPortRange: "*" } : { destinationPortRanges: ports }),
  };
  return { name: `furrow-${at + 1}`, properties };
}

async function createNetwork(api: Api, act: Act<"createNetwork">): Promise<void> {
  const { location, cidr, subnetCidr, tags, name } = act;
  await owned(api, "securityGroup", act);
  const subnet = { name, properties: subnetOf(api, act, subnetCidr) };
  const properties = { addressSpace: { addressPrefixes: [cidr] }, subnets: [subnet] };
  await putNew(api, "network", act, { location, tags, properties });
}

/** A subnet with the security group of the same name. Only what furrow names is allowed out and in. */
function subnetOf(api: Api, { group, name }: AzurePlace, addressPrefix: string): object {
  const id = idOf(api, "securityGroup", { group, name });
  return { addressPrefix, networkSecurityGroup: { id } };
}

/** Gives the subnet its range and its security group; the network's other subnets are left alone. */
async function putSubnet(api: Api, act: Act<"putSubnet">): Promise<void> {
  await owned(api, "network", act);
  await owned(api, "securityGroup", act);
  const properties = subnetOf(api, act, act.subnetCidr);
  const what = `change the subnet ${act.name} of the network ${act.name}`;
  const below = `subnets/${encodeURIComponent(act.name)}`;
  await change(api, "network", act, { method: "PUT", below, body: { properties }, what });
  await settled(api, "network", act);
}

async function createDisk(api: Api, act: Act<"createDisk">): Promise<void> {
  const { location, sizeGb, type, zone, tags } = act;
  const now = await settled(api, "disk", act);
  if (now !== absent) assertOwn(now, calledOf("disk", act), act.owner);
  const properties = { creationData: { createOption: "Empty" }, diskSizeGB: sizeGb };
  const zones = zone === undefined ? {} : { zones: [zone] };
  await put(api, "disk", act, { location, tags, sku: { name: type }, ...zones, properties });
}

async function growDisk(api: Api, act: Act<"growDisk">): Promise<void> {
  await owned(api, "disk", act);
  const body = { properties: { diskSizeGB: act.sizeGb } };
  await change(api, "disk", act, { method: "PATCH", body, what: `grow the disk ${act.name}` });
  await settled(api, "disk", act);
}

async function deleteOne(api: Api, act: Act<"delete">): Promise<void> {
  const now = await settled(api, act.kind, act);
  if (now === absent) return;
  assertOwn(now, calledOf(act.kind, act), act.owner);
  await remove(api, act.kind, act);
}
