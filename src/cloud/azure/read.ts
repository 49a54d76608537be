import { FurrowError } from "../../core/errors.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import {
  type AzureKind,
  type AzureMachine,
  azureOwnerTag,
  type AzurePlace,
  type AzureValues,
} from "../../facts/cloud/azure/index.ts";
import { waitUntil } from "../wait.ts";
import { type Api, ask, listAll } from "./api.ts";
import { contents } from "./contents.ts";
import { type AzureRefusal, isMissing } from "./errors.ts";
import { calledOf, kinds, pathOf, versions } from "./kinds.ts";
import {
  groupIn,
  locationIn,
  nameFrom,
  nameIn,
  objectOf,
  objectsOf,
  propertiesOf,
  type Raw,
  tagIn,
  textOf,
} from "./raw.ts";
import {
  cardOf,
  cardsOf,
  configurationOf,
  diskOf,
  imageOf,
  machineOf,
  networkOf,
  resourceOf,
  securityGroupOf,
  sizeOf,
} from "./views.ts";

/** A query for a resource or an offer. */
export type Asking = AzurePlace & { readonly get: keyof AzureValues };

/** How long furrow waits for a change in progress, in seconds. */
const underWaySeconds = 900;

/** Reads a resource by its name, and converts it to furrow's type. Throws FurrowError E_DRIVER. */
export async function read(api: Api, asking: Asking): Promise<unknown> {
  const { get, ...place } = asking;
  switch (get) {
    case "group":
      return view(await settled(api, "group", { ...place, group: place.name }), resourceOf);
    case "network":
      return view(await settled(api, get, place), networkOf);
    case "securityGroup":
      return view(await settled(api, get, place), securityGroupOf);
    case "address":
      return view(await settled(api, get, place), (raw) => ({
        ...resourceOf(raw),
        address: textOf(propertiesOf(raw)["ipAddress"]),
      }));
    case "card":
      return view(await settled(api, get, place), cardOf);
    case "disk":
      return view(await settled(api, get, place), diskOf);
    case "machine":
      return machine(api, place);
    case "contents":
      return contents(api, place.group ?? "");
    case "size":
      return view(await size(api, place), sizeOf);
    case "image":
      return view(await image(api, place), imageOf);
    case "location":
      return view(await location(api, place), (raw) => ({
        zones: objectsOf(raw["availabilityZoneMappings"]).length > 0,
      }));
    case "feature":
      return view(await feature(api, place), (raw) => ({ state: textOf(propertiesOf(raw)["state"]) }));
  }
}

function view<T>(raw: Raw | Absent, convert: (raw: Raw) => T): T | Absent {
  return raw === absent ? absent : convert(raw);
}

/** A resource as the API shows it now. */
export async function resource(
  api: Api,
  kind: AzureKind,
  place: AzurePlace,
  query: Readonly<Record<string, string>> = {},
): Promise<Raw | Absent> {
  const what = `read the ${calledOf(kind, place)}`;
  return orAbsent(
    ask(api, { method: "GET", path: pathOf(kind, place), version: kinds[kind].version, query, what }, isMissing),
  );
}

async function orAbsent(answer: Promise<{ readonly body: Raw }>): Promise<Raw | Absent> {
  try {
    return (await answer).body;
  } catch (error) {
    if (isMissing(error as AzureRefusal)) return absent;
    throw error;
  }
}

/** The provisioning states in which nothing changes by itself. */
const atRest = /^(Succeeded|Failed|Canceled)$/i;

/** A resource, after any change in progress has finished, even one by a killed run or by somebody else. */
export async function settled(api: Api, kind: AzureKind, place: AzurePlace): Promise<Raw | Absent> {
  const seen = await waitUntil<{ readonly raw: Raw | Absent }>(
    async () => {
      const raw = await resource(api, kind, place);
      const state = raw === absent ? "" : textOf(propertiesOf(raw)["provisioningState"]);
      return raw === absent || state === "" || atRest.test(state) ? { done: { raw } } : { meanwhile: state };
    },
    {
      waitsFor: `the ongoing change of the ${calledOf(kind, place)}`,
      deadlineSeconds: underWaySeconds,
      signal: api.signal,
      say: api.say,
      hint: "Check the resource in the portal, then rerun",
    },
  );
  return seen.raw;
}

/** A machine with its power state, as the API shows it. */
export function rawMachine(api: Api, place: AzurePlace): Promise<Raw | Absent> {
  return resource(api, "machine", place, { $expand: "instanceView" });
}

/** A machine, with the addresses of its first interface. */
export async function machine(api: Api, place: AzurePlace): Promise<AzureMachine | Absent> {
  let raw = await rawMachine(api, place);
  if (raw !== absent && propertiesOf(raw)["provisioningState"] === "Deleting") {
    await settled(api, "machine", place);
    raw = await rawMachine(api, place);
  }
  if (raw === absent) return absent;
  const [first] = cardsOf(raw);
  const found = first === undefined ? absent : await byId(api, "card", textOf(first["id"]));
  const settings = found === absent ? {} : configurationOf(found);
  const addressId = textOf(objectOf(settings["publicIPAddress"])["id"]);
  const address = addressId === "" ? absent : await byId(api, "address", addressId);
  const [networkId = "", subnet] = textOf(objectOf(settings["subnet"])["id"]).split(/\/subnets\//i);
  return {
    ...machineOf(raw),
    network: subnet === undefined ? "" : `${nameFrom(networkId, raw)}/${subnet}`,
    publicAddress: addressId !== "",
    address: address === absent ? "" : textOf(propertiesOf(address)["ipAddress"]),
    privateAddress: textOf(settings["privateIPAddress"]),
  };
}

/** A resource in any group, to which another resource refers. */
function byId(api: Api, kind: AzureKind, id: string): Promise<Raw | Absent> {
  return resource(api, kind, { group: groupIn(id), name: nameIn(id) });
}

/** A machine size, as offered in a location, with the restrictions of this subscription. */
export async function size(api: Api, { name, location = "" }: AzurePlace): Promise<Raw | Absent> {
  const query = { $filter: `location eq '${location.replaceAll("'", "''")}'` };
  const what = `list the machine sizes in ${location}`;
  const found = await listAll(api, { path: "providers/Microsoft.Compute/skus", version: versions.sizes, query, what });
  const isIt = (raw: Raw): boolean =>
    raw["resourceType"] === "virtualMachines" && textOf(raw["name"]).toLowerCase() === name.toLowerCase();
  return found.find(isIt) ?? absent;
}

async function image(api: Api, { name, location = "" }: AzurePlace): Promise<Raw | Absent> {
  const [publisher = "", offer = "", sku = "", version = ""] = name.split(":").map((part) => encodeURIComponent(part));
  const base = `providers/Microsoft.Compute/locations/${encodeURIComponent(location)}/publishers/${publisher}`;
  const path = `${base}/artifacttypes/vmimage/offers/${offer}/skus/${sku}/versions`;
  const what = `read the image ${name} in ${location}`;
  const asked = { method: "GET", version: versions.compute, what } as const;
  // The API returns 404 with one of several codes if the publisher, the offer or the version does not exist.
  const none = ({ statusCode, code }: AzureRefusal): boolean =>
    statusCode === 404 && !/Subscription|Resource(Type|Provider)/.test(code);
  try {
    const newest = async (): Promise<string> => {
      const query = { $top: "1", $orderby: "name desc" };
      const { body } = await ask(api, { ...asked, path, query }, none);
      // The response itself is the list; it is not under `value`.
      const [first] = objectsOf(body);
      return textOf(first?.["name"]);
    };
    const chosen = version === "latest" ? await newest() : version;
    if (chosen === "") return absent;
    return (await ask(api, { ...asked, path: `${path}/${chosen}` }, none)).body;
  } catch (error) {
    if (none(error as AzureRefusal)) return absent;
    throw error;
  }
}

async function location(api: Api, { name }: AzurePlace): Promise<Raw | Absent> {
  const asked = { path: "locations", version: versions.locations, what: "list the locations of the subscription" };
  const found = await listAll(api, asked);
  return found.find((raw) => locationIn(raw["name"]) === name) ?? absent;
}

async function feature(api: Api, { name }: AzurePlace): Promise<Raw | Absent> {
  const path = `providers/Microsoft.Features/providers/Microsoft.Compute/features/${encodeURIComponent(name)}`;
  const what = `find out whether the subscription has the feature ${name}`;
  const none = ({ statusCode, code }: AzureRefusal): boolean => statusCode === 404 && !/Subscription/.test(code);
  try {
    return (await ask(api, { method: "GET", path, version: versions.features, what }, none)).body;
  } catch (error) {
    if (none(error as AzureRefusal)) return absent;
    throw error;
  }
}

/** A resource that must exist and belong to `owner`, because it is about to be changed or used. */
export async function owned(api: Api, kind: AzureKind, place: AzurePlace & { readonly owner: string }): Promise<Raw> {
  const found = await settled(api, kind, place);
  assertOwn(found, calledOf(kind, place), place.owner);
  return found;
}

/**
 * Throws FurrowError E_DRIVER if a resource does not exist or does not have the owner's tag: it may have been replaced
 * since the task looked at it.
 */
export function assertOwn(found: Raw | Absent, what: string, owner: string): asserts found is Raw {
  const tag = found === absent ? undefined : tagIn(found["tags"], azureOwnerTag);
  if (found !== absent && tag === owner) return;
  throw new FurrowError("E_DRIVER", {
    what: `the ${what} is not the one that furrow created for ${owner}`,
    current: found === absent ? "it does not exist" : `its tag furrow is ${textOf(tag) || "missing"}`,
    expected: `the tag furrow with the value ${owner}`,
    hint: "Rerun: something else changed the resource during this run",
  });
}
