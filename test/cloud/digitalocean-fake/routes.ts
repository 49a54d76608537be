import type { z } from "zod";
import { type Account, images, regions, sizes } from "./account.ts";
import { createDroplet, deleteDroplet, dropletAct, tickDroplets } from "./droplets.ts";
import { type Answer, one, type Settings } from "./answers.ts";
import { conflict, notFound, Refusal, unprocessable } from "./refusal.ts";
import * as schemas from "./schemas.ts";
import { dropletView, firewallView, volumeView } from "./views.ts";

/** One call as the server receives it. */
export interface Call {
  readonly method: string;
  /** The path below /v2/. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** Answers a call, or throws a Refusal. */
export function answer(account: Account, settings: Settings, call: Call): Answer {
  const { method, path, query } = call;
  const [sort = "", id = "", more = ""] = path.split("/").map(decodeURIComponent);
  const isList = id === "";
  if (sort === "droplets") tickDroplets(account);
  switch (
    `${method} ${sort}${isList ? "" : sort === "account" ? `/${id}` : "/*"}${more === "" || sort === "account" ? "" : `/${more}`}`
  ) {
    case "GET account":
      return [200, { account: accountView(account) }];
    case "GET account/keys":
      return page(
        call,
        "ssh_keys",
        account.keys.map(({ publicKey, ...key }) => ({ ...key, public_key: publicKey })),
        [],
      );
    case "POST account/keys":
      return createKey(account, parse(schemas.newKey, call));
    case "DELETE account/keys":
      return remove(account.keys, (key) => String(key.id) === more);
    case "GET regions":
      return page(call, "regions", regions, []);
    case "GET sizes":
      return page(call, "sizes", sizes, []);
    case "GET images/*": {
      const image = images.find((one) => one.slug === id || String(one.id) === id);
      if (image === undefined) throw notFound();
      return [200, { image }];
    }
    case "GET droplets": {
      const [name, tag] = [query.get("name")?.toLowerCase(), query.get("tag_name")];
      if (name !== undefined && tag !== null)
        throw new Refusal(400, "bad_request", "name and tag_name are mutually exclusive");
      const found = account.droplets.filter(
        (one) => (name === undefined || one.name.toLowerCase() === name) && (tag === null || one.tags.has(tag)),
      );
      return page(
        call,
        "droplets",
        found.map((one) => dropletView(account, one)),
        ["name", "tag_name"],
      );
    }
    case "GET droplets/*":
      return [200, { droplet: dropletView(account, one(account.droplets, id)) }];
    case "POST droplets":
      return createDroplet(account, settings, parse(schemas.newDroplet, call));
    case "DELETE droplets/*":
      return deleteDroplet(account, id);
    case "POST droplets/*/actions":
      return dropletAct(account, id, parse(schemas.dropletAction, call));
    case "GET volumes": {
      detach(account);
      const [name, region] = [query.get("name"), query.get("region")];
      const found = account.volumes.filter(
        (one) => (name === null || one.name === name) && (region === null || one.region === region),
      );
      return page(call, "volumes", found.map(volumeView), ["name", "region"]);
    }
    case "GET volumes/*":
      return [200, { volume: volumeView(one(account.volumes, id)) }];
    case "POST volumes":
      return createVolume(account, parse(schemas.newVolume, call));
    case "DELETE volumes/*":
      if (one(account.volumes, id).droplet !== undefined) throw conflict("Attached volume cannot be deleted");
      return remove(account.volumes, (volume) => volume.id === id);
    case "POST volumes/*/actions":
      return volumeAct(account, id, parse(schemas.volumeAction, call));
    case "GET firewalls":
      for (const firewall of account.firewalls) firewall.settles -= 1;
      return page(
        call,
        "firewalls",
        account.firewalls.map((one) => firewallView(account, one)),
        [],
      );
    case "POST firewalls":
      return putFirewall(account, undefined, parse(schemas.newFirewall, call));
    case "PUT firewalls/*":
      return putFirewall(account, id, parse(schemas.newFirewall, call));
    case "DELETE firewalls/*":
      return remove(account.firewalls, (firewall) => firewall.id === id);
    case "POST tags": {
      const { name } = parse(schemas.newTag, call);
      account.tags.add(name);
      return [201, { tag: { name, resources: { count: 0 } } }];
    }
    case "POST tags/*/resources":
      return tag(account, id, parse(schemas.tagged, call).resources);
    default:
      throw new Refusal(404, "not_found", `the fake does not know ${method} ${path}`);
  }
}

function parse<T extends z.ZodType>(schema: T, { body, method, path }: Call): z.output<T> {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  throw unprocessable(
    `${method} ${path}: ${error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`).join("; ")}`,
  );
}

/** A page of a list, as in shared/pages.yml and shared/meta.yml. */
function page({ query, path }: Call, key: string, all: readonly object[], filters: readonly string[]): Answer {
  const unknown = [...query.keys()].find((name) => !["page", "per_page", ...filters].includes(name));
  if (unknown !== undefined) throw new Refusal(400, "bad_request", `unknown query parameter ${unknown}`);
  const size = Number(query.get("per_page") ?? "20");
  if (!(size >= 1 && size <= 200)) throw new Refusal(400, "bad_request", "per_page must be 1 to 200");
  const at = Number(query.get("page") ?? "1");
  const isLast = at * size >= all.length;
  const next = `https://api.digitalocean.com/v2/${path}?page=${at + 1}&per_page=${size}`;
  const links = isLast ? {} : { pages: { next, last: next } };
  return [200, { [key]: all.slice((at - 1) * size, at * size), links, meta: { total: all.length } }];
}

/** A volume stays attached for a moment after its droplet has been deleted. */
function detach({ volumes, droplets }: Account): void {
  for (const volume of volumes) {
    if (volume.droplet === undefined || droplets.some(({ id }) => id === volume.droplet)) continue;
    volume.lag -= 1;
    if (volume.lag <= 0) Object.assign(volume, { droplet: undefined, lag: 3 });
  }
}

function remove<T>(list: T[], isIt: (thing: T) => boolean): Answer {
  const at = list.findIndex(isIt);
  if (at < 0) throw notFound();
  list.splice(at, 1);
  return [204];
}

function accountView({ limit, status, statusMessage }: Account): object {
  return {
    droplet_limit: limit,
    email: "me@example.com",
    uuid: "x",
    email_verified: true,
    status,
    status_message: statusMessage,
  };
}

function createKey(account: Account, { name, public_key }: z.output<typeof schemas.newKey>): Answer {
  const blob = (key: string): string => key.split(" ").slice(0, 2).join(" ");
  if (account.keys.some(({ publicKey }) => blob(publicKey) === blob(public_key))) {
    throw unprocessable("SSH Key is already in use on your account");
  }
  const id = account.number();
  account.keys.push({ id, name, publicKey: public_key });
  return [201, { ssh_key: { id, name, public_key, fingerprint: "3b:16" } }];
}

function createVolume(account: Account, body: z.output<typeof schemas.newVolume>): Answer {
  const { name, region, size_gigabytes: size, tags = [] } = body;
  if (!regions.some(({ slug }) => slug === region)) throw unprocessable("region is invalid");
  if (account.volumes.some((volume) => volume.name === name && volume.region === region)) {
    throw conflict("volume name already exists in this region");
  }
  const volume = { id: account.uuid(), name, region, size, tags: new Set(tags), droplet: undefined, lag: 3 };
  for (const one of tags) account.tags.add(one);
  account.volumes.push(volume);
  return [201, { volume: volumeView(volume) }];
}

function volumeAct(account: Account, id: string, body: z.output<typeof schemas.volumeAction>): Answer {
  const volume = one(account.volumes, id);
  if (body.type === "resize") {
    if (body.size_gigabytes <= volume.size) throw unprocessable("volumes can only be resized to a larger size");
    volume.size = body.size_gigabytes;
  } else {
    const droplet = one(account.droplets, String(body.droplet_id));
    if (volume.droplet !== undefined) throw unprocessable("volume is already attached to a Droplet");
    if (droplet.region !== volume.region) throw unprocessable("volume and Droplet are in different regions");
    volume.droplet = droplet.id;
  }
  return [202, { action: { id: account.number(), status: "in-progress", type: body.type } }];
}

function putFirewall(account: Account, id: string | undefined, body: z.output<typeof schemas.newFirewall>): Answer {
  const { name, inbound_rules: inbound, outbound_rules: outbound, tags = [], droplet_ids: droplets = [] } = body;
  const missing = tags.find((name) => !account.tags.has(name));
  if (missing !== undefined) throw unprocessable(`tag ${missing} does not exist`);
  if (account.firewalls.some((firewall) => firewall.name === name && firewall.id !== id)) {
    throw conflict("duplicate name");
  }
  const content = { name, inbound, outbound, tags, droplets, settles: 2 };
  if (id === undefined) account.firewalls.push({ id: account.uuid(), ...content });
  else Object.assign(one(account.firewalls, id), content);
  const [firewall] = account.firewalls.filter((one) => one.name === name);
  return [id === undefined ? 202 : 200, { firewall: firewall && firewallView(account, firewall) }];
}

function tag(
  account: Account,
  name: string,
  resources: readonly { resource_id: string; resource_type: string }[],
): Answer {
  if (!account.tags.has(name)) throw notFound();
  for (const { resource_id: id, resource_type: type } of resources) {
    const list: readonly { id: number | string; tags: Set<string> }[] =
      type === "droplet" ? account.droplets : account.volumes;
    one(list, id).tags.add(name);
  }
  return [204];
}
