import { skuView } from "./offers.ts";
import { conflict, invalid, notFound, Refusal } from "./refusal.ts";
import { type Answer, bodyOf } from "./routes.ts";
import * as schemas from "./schemas.ts";
import { type Failing, subscription, type Thing, type World } from "./world.ts";

/** A request for the subscription or for a resource group. */
export interface SubscriptionRequest {
  readonly method: string;
  /** The path below the subscription. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly failing: Failing | undefined;
  readonly steps: number;
}

type Route = (world: World, request: SubscriptionRequest, ...parts: string[]) => Answer;

const list = (value: readonly object[]): Answer => ({ status: 200, body: { value } });

const routes: readonly (readonly [on: RegExp, route: Route])[] = [
  [/^GET locations$/, ({ offers }) => list(offers.locations.map(locationView))],
  [
    /^GET providers\/Microsoft\.Compute\/skus$/,
    ({ offers }, { query }) => {
      const [, location] = /^location eq '([a-z0-9]+)'$/.exec(query.get("$filter") ?? "") ?? [];
      return list(location === "westeurope" ? offers.sizes.map(skuView) : []);
    },
  ],
  [/^GET providers\/Microsoft\.Compute\/locations\/([^/]+)\/usages$/, (world) => list(usages(world))],
  [
    /^GET providers\/Microsoft\.Compute\/locations\/([^/]+)\/publishers\/([^/]+)\/artifacttypes\/vmimage\/offers\/([^/]+)\/skus\/([^/]+)\/versions(?:\/([^/]+))?$/,
    imageAnswer,
  ],
  [
    /^GET providers\/Microsoft\.Features\/providers\/Microsoft\.Compute\/features\/([^/]+)$/,
    ({ offers }, _request, name = "") => {
      const state = offers.features[name];
      if (state === undefined) throw new Refusal(404, "FeatureNotFound", `The feature '${name}' could not be found.`);
      return { status: 200, body: { name: `Microsoft.Compute/${name}`, properties: { state } } };
    },
  ],
  [
    /^GET providers\/(Microsoft\.(?:Compute|Network))$/,
    ({ offers }, _request, namespace = "") => ({
      status: 200,
      body: { namespace, registrationState: offers.services[namespace] ?? "NotRegistered" },
    }),
  ],
  [/^GET (?:resourcegroups\/([^/]+)\/)?providers\/Microsoft\.Authorization\/permissions$/, permissions],
  [
    /^GET providers\/Microsoft\.Authorization\/locks$/,
    ({ offers: { locks } }) => {
      if (locks === undefined) throw new Refusal(403, "AuthorizationFailed", "may not read locks");
      return list(locks);
    },
  ],
  [/^GET resourcegroups\/([^/]+)$/, (world, _request, name = "") => ({ status: 200, body: groupNamed(world, name) })],
  [/^PUT resourcegroups\/([^/]+)$/, putGroup],
  [
    /^PATCH resourcegroups\/([^/]+)$/,
    (world, { body }, name = "") => {
      const group = groupNamed(world, name);
      group.tags = bodyOf(schemas.onlyTags, body).tags ?? group.tags;
      return { status: 200, body: group };
    },
  ],
  [/^DELETE resourcegroups\/([^/]+)$/, deleteGroup],
];

/** Answers a request that is not about a single resource; undefined for other requests. */
export function answerOfSubscription(world: World, request: SubscriptionRequest): Answer | undefined {
  for (const [on, route] of routes) {
    const found = on.exec(`${request.method} ${request.path}`);
    if (found) return route(world, request, ...found.slice(1));
  }
  return undefined;
}

function locationView({ name, zones }: { name: string; zones: boolean }): object {
  const mappings = ["1", "2", "3"].map((zone) => ({ logicalZone: zone, physicalZone: `${name}-az${zone}` }));
  return { name, displayName: name, ...(zones && { availabilityZoneMappings: mappings }) };
}

function usages(world: World): object[] {
  return Object.entries(world.offers.limits).map(([value, limit]) => ({
    name: { value, localizedValue: value },
    unit: "Count",
    currentValue: world.cores(value),
    limit,
  }));
}

function imageAnswer(world: World, { query }: SubscriptionRequest, ...parts: string[]): Answer {
  const [location = "", publisher = "", offer = "", sku = "", version] = parts;
  const name = world.offers.imageNamed(publisher, offer, sku, version ?? "latest");
  if (name === undefined || location !== "westeurope") {
    throw new Refusal(404, "NotFound", `Artifact: VMImage was not found.`);
  }
  const { generation, architecture, plan } = world.offers.images[name] ?? { generation: "V1", architecture: "x64" };
  const one = { location, name: name.split(":")[3], id: `/Subscriptions/${subscription}/…` };
  if (version === undefined) {
    if (query.get("$orderby") !== "name desc") throw invalid("InvalidParameter", "$orderby");
    // This list has no wrapper.
    return { status: 200, body: [one] };
  }
  const details = {
    hyperVGeneration: generation,
    architecture,
    ...(plan && { plan: { publisher, name: sku, product: offer } }),
  };
  return { status: 200, body: { ...one, properties: { ...details, osDiskImage: { operatingSystem: "Linux" } } } };
}

function permissions(world: World, _request: SubscriptionRequest, group?: string): Answer {
  if (group !== undefined) groupNamed(world, group);
  if (world.offers.permissions === undefined) throw new Refusal(403, "AuthorizationFailed", "may not read permissions");
  return list(world.offers.permissions);
}

function groupNamed(world: World, name: string): Thing {
  const found = world.groups.get(name.toLowerCase());
  const on = idOf(name).toLowerCase();
  world.advance(on);
  if (found !== undefined && world.groups.has(name.toLowerCase())) return found;
  throw new Refusal(404, "ResourceGroupNotFound", `Resource group '${name}' could not be found.`);
}

const idOf = (name: string): string => `/subscriptions/${subscription}/resourceGroups/${name}`;

function putGroup(world: World, { body }: SubscriptionRequest, name = ""): Answer {
  const { location, tags = {} } = bodyOf(schemas.group, body);
  const known = world.groups.get(name.toLowerCase());
  if (known !== undefined && known.location !== location) {
    throw conflict("InvalidResourceGroupLocation", `The resource group already exists in '${known.location}'.`);
  }
  if (!world.offers.locations.some((one) => one.name === location)) {
    throw invalid("LocationNotAvailableForResourceGroup", `The location '${location}' is not available.`);
  }
  const type = "Microsoft.Resources/resourceGroups";
  const group = { id: idOf(name), name, type, location, tags, properties: { provisioningState: "Succeeded" } };
  world.groups.set(name.toLowerCase(), group);
  return { status: known === undefined ? 201 : 200, body: group };
}

/** Deletes a group with everything in it. */
function deleteGroup(world: World, { steps, failing }: SubscriptionRequest, name = ""): Answer {
  const group = world.groups.get(name.toLowerCase());
  if (group === undefined) throw notFound("Microsoft.Resources/resourceGroups", name);
  group.properties["provisioningState"] = "Deleting";
  const finish = (): void => {
    for (const { id } of world.contents(name)) world.things.delete(id.toLowerCase());
    world.groups.delete(name.toLowerCase());
  };
  return { status: 202, operation: world.begin(idOf(name), steps, finish, failing) };
}
