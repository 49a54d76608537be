import type { Call } from "./call.ts";
import { methods } from "./methods.ts";
import { ApiFailure, bare, type CloudState, type Operation, type Resource } from "./state.ts";
import { project } from "./place.ts";
import { projectQuotas, regionQuotas } from "./quotas.ts";
import { isGranted, refuseByPolicy, refuseDenied } from "./refusals.ts";
import type { CloudSettings } from "./settings.ts";
import { insert, remove } from "./things.ts";

/** The form of the API's paths: https://cloud.google.com/compute/docs/reference/rest/v1. */
const shape =
  /^(?<scope>projects\/[^/]+\/(?:global|(?:zones|regions)\/[^/]+))\/(?<collection>[a-zA-Z]+)(?:\/(?<name>[^/]+))?(?:\/(?<verb>[^/]+))?$/;

/** Answers one call. Throws ApiFailure if the API would refuse it. */
export function answer(state: CloudState, settings: CloudSettings, call: Call): object {
  const aggregated = /^(projects\/[^/]+)\/aggregated\/([a-zA-Z]+)$/.exec(call.path);
  if (aggregated) {
    const found = aggregatedList(state, settings, aggregated[1] ?? "", aggregated[2] ?? "", call.query);
    return aggregated[2] === "subnetworks" ? state.lagging(found, settings.listLag) : found;
  }
  if (call.method === "GET" && call.path === `projects/${project}`) {
    const items = Object.entries(settings.projectMetadata).map(([key, value]) => ({ key, value }));
    return { quotas: projectQuotas(state, settings), commonInstanceMetadata: { kind: "compute#metadata", items } };
  }
  const inRegion = /^projects\/[^/]+\/regions\/([^/]+)$/.exec(call.path)?.[1];
  if (call.method === "GET" && inRegion !== undefined) return { quotas: regionQuotas(state, settings, inRegion) };
  const parts = shape.exec(call.path)?.groups;
  if (!parts) throw new ApiFailure(404, "notFound", `Not Found: ${call.path}`);
  const { scope = "", collection = "", name, verb } = parts;
  const zone = /\/zones\/([^/]+)/.exec(scope)?.[1];
  if (zone !== undefined && !settings.zones.includes(zone)) {
    throw new ApiFailure(400, "invalid", `Invalid value for field 'zone': '${zone}'. Unknown zone.`);
  }
  const region = /\/regions\/([^/]+)/.exec(scope)?.[1];
  if (region !== undefined && !settings.zones.some((one) => one.replace(/-[a-z]+$/, "") === region)) {
    throw new ApiFailure(400, "invalid", `Invalid value for field 'region': '${region}'. Unknown region.`);
  }
  const named = /^projects\/([^/]+)/.exec(scope)?.[1] ?? "";
  if (named !== project && !state.things.has(call.path) && collection !== "images") {
    throw new ApiFailure(404, "notFound", `The resource 'projects/${named}' was not found`);
  }
  if (collection === "operations") return operations(state, call, name, verb);
  const path = `${scope}/${collection}/${name ?? String(call.body["name"])}`;
  if (verb === "testIamPermissions") {
    state.get(path);
    const asked = call.body["permissions"] as string[];
    const permissions = asked.filter((one) => isGranted(settings, one, name ?? ""));
    return permissions.length === 0 ? {} : { permissions };
  }
  refuseDenied(settings, call, collection, path);
  refuseByPolicy(settings, call, path);
  const requestId = call.query.get("requestId");
  const operate = (type: string, begin: () => ReturnType<typeof remove>): Operation =>
    state.operate(path, type, requestId, begin);
  if (call.method === "POST" && name === undefined) {
    return operate("insert", () => insert(state, settings, collection, path, call.body as Resource));
  }
  if (name === undefined) {
    return { kind: `compute#${collection.slice(0, -1)}List`, ...list(state, `${scope}/${collection}/`, call.query) };
  }
  if (collection === "images" && name === "family") {
    const family = verb ?? "";
    const found = [...state.things.values()].find((thing) => thing["family"] === family);
    if (found) return found;
    throw new ApiFailure(404, "notFound", `The resource '${scope}/images/family/${family}' was not found`);
  }
  if (call.method === "DELETE") return operate("delete", () => remove(state, collection, path));
  if (verb === "getGuestAttributes") return guestAttributes(state.get(path), settings);
  if (verb === "getEffectiveFirewalls") return effectiveFirewalls(state, settings, path);
  const known = verb ?? { PATCH: "patch", PUT: "update" }[call.method];
  if (known === undefined) return state.get(path);
  const act = methods[known];
  if (act === undefined) throw new ApiFailure(404, "notFound", `Not Found: ${call.path}`);
  state.get(path);
  return operate(known, () => act(state, path, call.body, settings, call.query));
}

/**
 * The network's firewall rules, and the policies above it
 * (https://cloud.google.com/compute/docs/reference/rest/v1/networks/getEffectiveFirewalls).
 */
function effectiveFirewalls(state: CloudState, settings: CloudSettings, path: string): object {
  state.get(path);
  const own = [...state.things].filter(
    ([key, thing]) => key.includes("/firewalls/") && bare(thing["network"]) === path,
  );
  return { firewalls: own.map(([, thing]) => thing), firewallPolicys: settings.firewallPolicies };
}

/**
 * In the API, a wait blocks until the operation has ended or two minutes have passed:
 * https://cloud.google.com/compute/docs/reference/rest/v1/zoneOperations/wait
 */
function operations(state: CloudState, call: Call, name: string | undefined, verb: string | undefined): object {
  if (name === undefined) {
    const filter = /^targetLink eq "(.*)"$/.exec(call.query.get("filter") ?? "")?.[1];
    if (filter === undefined) throw new ApiFailure(400, "invalid", "Invalid list filter expression.");
    const fits = new RegExp(`^(?:${filter})$`);
    return { items: state.operations.filter(({ targetLink }) => fits.test(targetLink)) };
  }
  const operation = state.operations.find((known) => known.name === name);
  if (operation === undefined) throw new ApiFailure(404, "notFound", `The resource '${call.path}' was not found`);
  if (verb === "wait") for (let at = 0; at < 3 && operation.status !== "DONE"; at += 1) state.tick();
  return operation;
}

/**
 * The guest agent reports these attributes some time after boot:
 * https://cloud.google.com/compute/docs/metadata/manage-guest-attributes
 */
function guestAttributes(instance: Resource, { hostKeys }: CloudSettings): object {
  const metadata = (instance["metadata"] ?? {}) as { items?: { key: string; value: string }[] };
  const items = (metadata.items ?? []).map(({ key, value }) => `${key}=${value}`);
  if (instance["told"] !== true || hostKeys.length === 0 || !items.includes("enable-guest-attributes=TRUE")) {
    throw new ApiFailure(404, "notFound", "The resource 'hostkeys/' of type 'Guest Attribute' was not found.");
  }
  const told = hostKeys.map((line) => line.split(" ")).map(([key, value]) => ({ namespace: "hostkeys", key, value }));
  return { queryPath: "hostkeys/", queryValue: { items: told } };
}

/**
 * Parses a filter, whose parts are joined by AND:
 * https://cloud.google.com/compute/docs/reference/rest/v1/instances/aggregatedList
 */
function filterOf(text: string | null): (thing: Resource) => boolean {
  if (text === null || text === "") return () => true;
  const tests = text.split(" AND ").map((part) => {
    const found = /^\(?\s*([\w.-]+)\s*(!?=)\s*"?([^")]*)"?\s*\)?$/.exec(part);
    if (!found) throw new ApiFailure(400, "invalid", "Invalid list filter expression.");
    const [, field = "", operator, value] = found;
    return (thing: Resource): boolean => {
      const now = field
        .split(".")
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], thing);
      return ((typeof now === "string" || typeof now === "number" ? String(now) : "") === value) === (operator === "=");
    };
  });
  return (thing) => tests.every((test) => test(thing));
}

function list(state: CloudState, prefix: string, query: URLSearchParams): object {
  const fits = filterOf(query.get("filter"));
  const found = [...state.things]
    .filter(([key, thing]) => key.startsWith(prefix) && fits(thing))
    .map(([, thing]) => thing);
  const { from, to, nextPageToken } = page(found.length, query);
  return { items: found.slice(from, to), ...(nextPageToken && { nextPageToken }) };
}

/**
 * The page limit applies to the items of all zones and regions together. A zone or region without items has a warning
 * instead.
 */
function aggregatedList(
  state: CloudState,
  settings: CloudSettings,
  project: string,
  collection: string,
  query: URLSearchParams,
): object {
  const fits = filterOf(query.get("filter"));
  const part = new RegExp(`^${project}/((?:zones|regions)/[^/]+)/${collection}/`);
  const found = [...state.things].flatMap(([key, thing]) => {
    const place = part.exec(key)?.[1];
    return place !== undefined && fits(thing) ? [{ place, thing }] : [];
  });
  const { from, to, nextPageToken } = page(found.length, query);
  const items: Record<string, object> = {};
  const zones = settings.zones.map((name) => `zones/${name}`);
  const regions = new Set(zones.map((one) => one.replace("zones", "regions").replace(/-[a-z]+$/, "")));
  for (const place of ["subnetworks", "addresses"].includes(collection) ? regions : zones) {
    const here = found
      .slice(from, to)
      .filter((entry) => entry.place === place)
      .map(({ thing }) => thing);
    items[place] =
      here.length > 0 ? { [collection]: here } : { warning: { code: "NO_RESULTS_ON_PAGE", message: "none" } };
  }
  const kind = `compute#${collection.replace(/(?<=s)es$|s$/, "")}AggregatedList`;
  return { kind, items, ...(nextPageToken && { nextPageToken }) };
}

function page(count: number, query: URLSearchParams): { from: number; to: number; nextPageToken?: string } {
  const from = Number(query.get("pageToken") ?? 0);
  const to = from + Math.min(Number(query.get("maxResults") ?? 500), 500);
  return { from, to, ...(to < count && { nextPageToken: String(to) }) };
}
