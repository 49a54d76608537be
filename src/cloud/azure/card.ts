import { absent } from "../../core/facts/symbols.ts";
import { azureOwnerTag, azurePartsOf, type AzurePlace } from "../../facts/cloud/azure/index.ts";
import type { Api } from "./api.ts";
import { idOf, put } from "./change.ts";
import { calledOf } from "./kinds.ts";
import { objectOf, objectsOf, propertiesOf, type Raw, textOf } from "./raw.ts";
import { assertOwn, owned, settled } from "./read.ts";
import { firstConfigurationOf } from "./views.ts";

/** The machine that the interface belongs to. */
interface CardOf extends AzurePlace {
  readonly group: string;
  readonly owner: string;
  readonly location: string;
  readonly network: string;
}

/**
 * Creates the interface of a machine and its public address, or repairs them. Depending on `option`, the machine gets
 * an address, keeps the one it has, or ends up with none. An existing interface may have further configurations, a
 * security group, and name servers: furrow changes only the subnet and the address of its first configuration.
 */
export async function putCard(api: Api, of: CardOf, option: "get" | "keep" | "none"): Promise<void> {
  const { name, group, owner, location, network } = of;
  const place = { group, name: azurePartsOf(name).card };
  const address = { group, name: azurePartsOf(name).address };
  await owned(api, "network", { group, name: network, owner });
  const now = await settled(api, "card", place);
  if (now !== absent) assertOwn(now, calledOf("card", place), owner);
  const first = now === absent ? {} : firstConfigurationOf(now);
  const { publicIPAddress: old, ...settings } = propertiesOf(first);
  const own = { id: idOf(api, "address", address), properties: { deleteOption: "Delete" } };
  const isOwn = isSame(objectOf(old), own);
  const isForeign = textOf(objectOf(old)["id"]) !== "" && !isOwn;
  const uses = option === "get" ? !isForeign : option === "keep" && isOwn;
  if (uses) await putAddress(api, of, address);
  const subnet = { id: `${idOf(api, "network", { group, name: network })}/subnets/${network}` };
  if (now === absent) {
    const four = { primary: true, privateIPAddressVersion: "IPv4", privateIPAllocationMethod: "Dynamic", subnet };
    const main = { name: "main", properties: { ...four, ...(uses && { publicIPAddress: own }) } };
    const tags = { [azureOwnerTag]: owner };
    return put(api, "card", place, { location, tags, properties: { ipConfigurations: [main] } });
  }
  const isRight = isSame(objectOf(settings["subnet"]), subnet) && uses === isOwn;
  if (isRight && stateOf(now) === "Succeeded") return undefined;
  const publicIPAddress = uses ? { ...objectOf(old), ...own } : isForeign ? old : undefined;
  const properties = { ...settings, subnet, ...(publicIPAddress !== undefined && { publicIPAddress }) };
  const ipConfigurations = objectsOf(propertiesOf(now)["ipConfigurations"]).map((one) =>
    one["name"] === first["name"] ? { ...one, properties } : one,
  );
  return put(api, "card", place, whole(now, { ipConfigurations }), "change");
}

/**
 * Tells Azure which public addresses to keep when an interface is deleted: all but the one that furrow created for the
 * machine.
 */
export async function keepAddresses(
  api: Api,
  { name, group, owner }: AzurePlace & { readonly owner: string },
): Promise<void> {
  const place = { group, name: azurePartsOf(name).card };
  const now = await settled(api, "card", place);
  if (now === absent) return;
  assertOwn(now, calledOf("card", place), owner);
  const own = { id: idOf(api, "address", { group, name: azurePartsOf(name).address }) };
  const isLost = (one: Raw): boolean => {
    const address = objectOf(propertiesOf(one)["publicIPAddress"]);
    return propertiesOf(address)["deleteOption"] === "Delete" && !isSame(address, own);
  };
  const all = objectsOf(propertiesOf(now)["ipConfigurations"]);
  if (!all.some(isLost)) return;
  const ipConfigurations = all.map((one) => {
    if (!isLost(one)) return one;
    const { publicIPAddress: old, ...rest } = propertiesOf(one);
    const kept = { ...objectOf(old), properties: { ...propertiesOf(objectOf(old)), deleteOption: "Detach" } };
    return { ...one, properties: { ...rest, publicIPAddress: kept } };
  });
  await put(api, "card", place, whole(now, { ipConfigurations }), "change");
}

/** Creates the public address of a machine, or repairs one that Azure failed to create. */
async function putAddress(api: Api, { owner, location }: CardOf, place: AzurePlace): Promise<void> {
  const now = await settled(api, "address", place);
  if (now === absent) {
    const tags = { [azureOwnerTag]: owner };
    const properties = { publicIPAllocationMethod: "Static", publicIPAddressVersion: "IPv4" };
    return put(api, "address", place, { location, tags, sku: { name: "Standard" }, properties });
  }
  assertOwn(now, calledOf("address", place), owner);
  if (stateOf(now) !== "Succeeded") await put(api, "address", place, whole(now, {}), "repair");
}

/** A resource with some properties changed. A PUT removes every property that it does not contain. */
function whole(now: Raw, changed: Raw): object {
  const { id: _id, name: _name, type: _type, etag: _etag, properties: _properties, ...rest } = now;
  const { provisioningState: _state, resourceGuid: _guid, ...properties } = propertiesOf(now);
  return { ...rest, properties: { ...properties, ...changed } };
}

const stateOf = (raw: Raw): string => textOf(propertiesOf(raw)["provisioningState"]);
const isSame = (one: Raw, other: Raw): boolean => textOf(one["id"]).toLowerCase() === textOf(other["id"]).toLowerCase();
