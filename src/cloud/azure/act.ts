import { type Absent, absent } from "../../core/facts/symbols.ts";
import type { AzureAct, AzurePlace, AzureRule } from "../../facts/cloud/azure/index.ts";
import type { Api } from "./api.ts";
import { addTags, change, idOf, isStale, put, remove } from "./change.ts";
import { assertEmpty } from "./contents.ts";
import { calledOf } from "./kinds.ts";
import { deleteMachine, keepDisks } from "./delete-machine.ts";
import { attachDisks, createMachine, powerMachine, resizeMachine, setPublicAddress } from "./machine.ts";
import { awaitMachine, readHostKeys } from "./first-boot.ts";
import { objectsOf, propertiesOf, type Raw, sameId, textOf, withTags } from "./raw.ts";
import { assertOwn, owned, settled } from "./read.ts";
import { bodyOf, reading, settableOf, versionOf } from "./whole.ts";

type Act<K extends AzureAct["act"]> = Extract<AzureAct, { readonly act: K }>;

/** Performs an action, and waits until Azure has completed it. Throws FurrowError E_DRIVER or E_WAIT. */
export async function perform(api: Api, act: AzureAct): Promise<void> {
  switch (act.act) {
    case "createGroup":
      return createGroup(api, act);
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

/**
 * Creates a resource, or changes one that belongs to the owner; `bodyFrom` receives the resource as the API shows it.
 */
async function putOwn(
  api: Api,
  kind: "group" | "network" | "securityGroup" | "disk",
  act: AzurePlace & { readonly owner: string },
  bodyFrom: (now: Raw | Absent) => object,
): Promise<void> {
  await reading(api, `change the ${calledOf(kind, act)}`, async () => {
    const now = await settled(api, kind, act);
    if (now !== absent) assertOwn(now, calledOf(kind, act), act.owner);
    await put(api, kind, act, bodyFrom(now), now === absent ? "create" : "change", versionOf(now));
  });
}

async function createGroup(api: Api, act: Act<"createGroup">): Promise<void> {
  const { location, tags } = act;
  await putOwn(api, "group", act, (now) => ({
    location,
    tags: now === absent ? tags : withTags(now["tags"], tags),
  }));
}

/**
 * Sets all rules of a security group. Azure itself adds rules after them that allow only the virtual network and its
 * load balancers.
 */
async function putSecurityGroup(api: Api, act: Act<"putSecurityGroup">): Promise<void> {
  const { location, tags, rules } = act;
  await putOwn(api, "securityGroup", act, (now) => {
    const { flushConnection } = settableOf(now);
    const properties = {
      ...(flushConnection !== undefined && { flushConnection }),
      securityRules: rules.map((rule, at) => ruleOf(rule, at)),
    };
    return bodyOf(now, { location, tags, properties });
  });
}

const protocols = { tcp: "Tcp", udp: "Udp", icmp: "Icmp" } as const;

function ruleOf({ protocol, ports, from }: AzureRule, at: number): object {
  const properties = {
    access: "Allow",
    direction: "Inbound",
    priority: 1000 + 10 * at,
    protocol: protocols[protocol],
    sourcePortRange: "*",
    // A rule for all sources has the prefix *, which is not allowed in a list.
    ...(from.includes("0.0.0.0/0") ? { sourceAddressPrefix: "*" } : { sourceAddressPrefixes: from }),
    destinationAddressPrefix: "*",
    ...(ports.includes("*") ? { destinationPortRange: "*" } : { destinationPortRanges: ports }),
  };
  return { name: `furrow-${at + 1}`, properties };
}

/**
 * Creates a network with its subnet, or repairs one after a failed change. The network keeps its other subnets and all
 * other properties.
 */
async function createNetwork(api: Api, act: Act<"createNetwork">): Promise<void> {
  const { location, cidr, tags, name } = act;
  await owned(api, "securityGroup", act);
  await putOwn(api, "network", act, (now) => {
    const was = settableOf(now);
    const subnets = objectsOf(was["subnets"]);
    const isOwn = (one: Raw): boolean => sameId(textOf(one["name"]), name);
    const changed = (one: Raw): object => ({ ...one, properties: subnetFrom(api, act, propertiesOf(one)) });
    const all = subnets.map((one) => (isOwn(one) ? changed(one) : one));
    const properties = {
      ...was,
      addressSpace: was["addressSpace"] ?? { addressPrefixes: [cidr] },
      subnets: subnets.some(isOwn) ? all : [...all, changed({ name })],
    };
    return bodyOf(now, { location, tags, properties });
  });
}

/**
 * The properties of a subnet with the security group of the same name; the subnet keeps its range and all other
 * properties.
 */
function subnetFrom(api: Api, act: Act<"createNetwork" | "putSubnet">, was: Raw): Raw {
  const id = idOf(api, "securityGroup", { group: act.group, name: act.name });
  const hasRange = was["addressPrefix"] !== undefined || was["addressPrefixes"] !== undefined;
  return { ...was, ...(!hasRange && { addressPrefix: act.subnetCidr }), networkSecurityGroup: { id } };
}

/** Gives the subnet its security group, and creates the subnet if it does not exist; other subnets are left alone. */
async function putSubnet(api: Api, act: Act<"putSubnet">): Promise<void> {
  await owned(api, "securityGroup", act);
  const what = `change the subnet ${act.name} of the network ${act.name}`;
  const below = `subnets/${encodeURIComponent(act.name)}`;
  await reading(api, what, async () => {
    const network = await owned(api, "network", act);
    const now = objectsOf(propertiesOf(network)["subnets"]).find((one) => sameId(textOf(one["name"]), act.name));
    const properties = subnetFrom(api, act, settableOf(now ?? absent));
    const ifMatch = versionOf(now ?? absent);
    await change(api, "network", act, { method: "PUT", below, body: { properties }, ifMatch, what }, isStale);
  });
  await settled(api, "network", act);
}

/** Creates a disk, or repairs one after a failed creation or change. Settings that others have made are kept. */
async function createDisk(api: Api, act: Act<"createDisk">): Promise<void> {
  const { location, sizeGb, type, zone, tags } = act;
  const fresh = { sku: { name: type }, ...(zone !== undefined && { zones: [zone] }) };
  await putOwn(api, "disk", act, (now) => {
    const { tier, ...was } = settableOf(now);
    const properties = {
      creationData: { createOption: "Empty" },
      ...was,
      // A performance tier is valid only for the size that it was chosen for.
      ...(was["diskSizeGB"] === sizeGb && tier !== undefined && { tier }),
      diskSizeGB: sizeGb,
    };
    return { ...fresh, ...bodyOf(now, { location, tags, properties }) };
  });
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
  if (act.kind === "group") await assertEmpty(api, act.name);
  await remove(api, act.kind, act);
}
