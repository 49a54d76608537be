import { FurrowError } from "../../core/errors.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { reveal } from "../../core/secrets/secret.ts";
import {
  digitalOceanKeyName,
  digitalOceanOwner,
  type DigitalOceanValues,
  type DigitalOceanVolume,
} from "../../facts/cloud/digitalocean/index.ts";
import { type Api, ask } from "./api.ts";
import { listAll, partOf } from "./list.ts";
import {
  bareKey,
  dropletOf,
  firewallOf,
  imageOf,
  type Raw,
  regionOf,
  sizeOf,
  sshKeyOf,
  textOf,
  textsOf,
  volumeOf,
} from "./views.ts";

/**
 * The kind of a resource, and its name. A volume's name is unique only in its region; without a region, the name means
 * the owner's volume in any region.
 */
export interface Asking {
  readonly get: keyof DigitalOceanValues;
  readonly name: string;
  readonly region?: string | undefined;
  readonly owner?: string | undefined;
}

/** Reads a resource by its name, and converts it to furrow's type. Throws FurrowError E_DRIVER. */
export async function read(api: Api, asking: Asking): Promise<unknown> {
  const { get, name } = asking;
  switch (get) {
    case "droplet": {
      const raw = await droplet(api, name);
      return raw === absent ? absent : dropletOf(raw, await volumeNames(api, textsOf(raw["volume_ids"])));
    }
    case "volume":
      return volumeNow(api, asking);
    case "ownKey":
      return view(await ownKey(api, name), sshKeyOf);
    case "sshKey":
      return view(await keyWith(api, name), sshKeyOf);
    case "firewall":
      return view(await firewall(api, name), firewallOf);
    case "size":
      return view(await listed(api, "sizes", name), sizeOf);
    case "region":
      return view(await listed(api, "regions", name), regionOf);
    case "image":
      return view(await image(api, name), imageOf);
  }
}

function view<T>(raw: Raw | Absent, convert: (raw: Raw) => T): T | Absent {
  return raw === absent ? absent : convert(raw);
}

/** The only droplet with this name. Names are not unique at DigitalOcean. */
export async function droplet(api: Api, name: string): Promise<Raw | Absent> {
  const what = `look for the droplet ${name}`;
  const found = await listAll(api, "droplets", { path: "droplets", query: { name }, what });
  // The API ignores case; archived droplets are about to be deleted.
  return onlyOne(
    found.filter((raw) => raw["name"] === name && raw["status"] !== "archive"),
    `droplet ${name}`,
  );
}

/** The only volume with this name in a region. */
export async function volume(api: Api, name: string, region: string): Promise<Raw | Absent> {
  const what = `look for the volume ${name} in ${region}`;
  const found = await listAll(api, "volumes", { path: "volumes", query: { name, region }, what });
  return onlyOne(
    found.filter((raw) => raw["name"] === name),
    `volume ${name}`,
  );
}

/** The only volume with this name and the owner's tag. Others may have the same name in other regions. */
async function ownVolume(api: Api, name: string, owner: string): Promise<Raw | Absent> {
  const what = `look for the volume ${name} in all regions`;
  const found = await listAll(api, "volumes", { path: "volumes", query: { name }, what });
  const tag = digitalOceanOwner(owner);
  return onlyOne(
    found.filter((raw) => raw["name"] === name && textsOf(raw["tags"]).includes(tag)),
    `volume ${name} and have the tag ${tag}`,
    "Specify the volume's region, or delete the wrong volumes: doctl compute volume list",
  );
}

/** A volume in its region or, without a region, the owner's volume in any region. */
export function volumeAt(api: Api, { name, region, owner = "" }: Omit<Asking, "get">): Promise<Raw | Absent> {
  return region === undefined ? ownVolume(api, name, owner) : volume(api, name, region);
}

async function volumeNow(api: Api, asking: Asking): Promise<DigitalOceanVolume | Absent> {
  const raw = await volumeAt(api, asking);
  if (raw === absent) return absent;
  const names = await Promise.all(textsOf(raw["droplet_ids"]).map((id) => dropletName(api, id)));
  return volumeOf(raw, names.flat());
}

/** The name of a droplet; empty if it has been deleted in the meantime. */
async function dropletName(api: Api, id: string): Promise<string[]> {
  const asked = { method: "GET", path: `droplets/${encodeURIComponent(id)}`, what: `read the droplet ${id}` } as const;
  const answer = await orAbsent(ask(api, asked, ({ status }) => status === 404));
  return answer === absent ? [] : [textOf(partOf(answer, "droplet", asked.what)["name"])];
}

/** The response to a query; absent if the API has no such resource. */
async function orAbsent(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if ((error as { status?: number }).status === 404) return absent;
    throw error;
  }
}

async function volumeNames(api: Api, ids: readonly string[]): Promise<string[]> {
  const names = ids.map(async (id) => {
    const asked = { method: "GET", path: `volumes/${encodeURIComponent(id)}`, what: `read the volume ${id}` } as const;
    return textOf(partOf(await ask(api, asked), "volume", asked.what)["name"]);
  });
  return Promise.all(names);
}

/** The key that furrow registered under a name. */
export async function ownKey(api: Api, name: string): Promise<Raw | Absent> {
  const found = await keys(api);
  return onlyOne(
    found.filter((raw) => raw["name"] === digitalOceanKeyName(name)),
    `SSH key ${digitalOceanKeyName(name)}`,
  );
}

/** The registered key that equals a public key; DigitalOcean stores each key only once. */
export async function keyWith(api: Api, publicKey: string): Promise<Raw | Absent> {
  const wanted = bareKey(reveal(publicKey));
  return (await keys(api)).find((raw) => bareKey(textOf(raw["public_key"])) === wanted) ?? absent;
}

async function keys(api: Api): Promise<readonly Raw[]> {
  return listAll(api, "ssh_keys", { path: "account/keys", what: "list the SSH keys" });
}

/** The only firewall with this name. */
export async function firewall(api: Api, name: string): Promise<Raw | Absent> {
  const found = await listAll(api, "firewalls", { path: "firewalls", what: "list the firewalls" });
  return onlyOne(
    found.filter((raw) => raw["name"] === name),
    `firewall ${name}`,
  );
}

async function listed(api: Api, key: "sizes" | "regions", slug: string): Promise<Raw | Absent> {
  const found = await listAll(api, key, { path: key, what: `list the ${key}` });
  return found.find((raw) => raw["slug"] === slug) ?? absent;
}

async function image(api: Api, name: string): Promise<Raw | Absent> {
  const asked = { method: "GET", path: `images/${encodeURIComponent(name)}`, what: `read the image ${name}` } as const;
  const answer = await orAbsent(ask(api, asked, ({ status }) => status === 404));
  return answer === absent ? absent : partOf(answer, "image", asked.what);
}

function onlyOne(
  found: readonly Raw[],
  what: string,
  hint = "Rename or delete the wrong ones with doctl compute or in the control panel",
): Raw | Absent {
  if (found.length > 1) {
    const ids = found.map((raw) => textOf(raw["id"])).toSorted();
    throw new FurrowError("E_DRIVER", {
      what: `DigitalOcean has ${found.length} resources that are called ${what}`,
      current: ids.join(", "),
      expected: "at most one, because furrow identifies resources by name",
      hint,
    });
  }
  return found[0] ?? absent;
}
