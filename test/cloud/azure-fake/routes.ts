import type { z } from "zod";
import {
  assertMade,
  assertQuota,
  assertUnused,
  checkMachine,
  deleteMachine,
  placeMachine,
  updateMachine,
} from "./machines.ts";
import { conflict, invalid, notFound, Refusal } from "./refusal.ts";
import * as schemas from "./schemas.ts";
import { assertVersion, versionedView } from "./versions.ts";
import { type Failing, groupOf, missing, type Operation, type Thing, type World } from "./world.ts";

/** A request for a resource. */
export interface Request {
  readonly method: string;
  /** The whole id, as in the path. */
  readonly id: string;
  readonly group: string;
  /** `Microsoft.Compute/disks`. */
  readonly type: string;
  readonly name: string;
  /** What follows the resource's id: `start`, `subnets/web`. */
  readonly below: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** The header If-Match. */
  readonly ifMatch: string | undefined;
  /** The operation that will fail, if a test makes this request fail. */
  readonly failing: Failing | undefined;
  /** The number of queries during which an operation stays in progress. */
  readonly steps: number;
}

/** A response: status, body, and the operation that has begun. */
export interface Answer {
  readonly status: number;
  readonly body?: object;
  readonly operation?: Operation;
}

const create: Readonly<Record<string, z.ZodType>> = {
  "Microsoft.Network/networkSecurityGroups": schemas.securityGroup,
  "Microsoft.Network/virtualNetworks": schemas.network,
  "Microsoft.Network/publicIPAddresses": schemas.address,
  "Microsoft.Network/networkInterfaces": schemas.card,
  "Microsoft.Compute/disks": schemas.disk,
  "Microsoft.Compute/virtualMachines": schemas.machine,
};

const update: Readonly<Record<string, z.ZodType>> = {
  "Microsoft.Compute/disks": schemas.diskUpdate,
  "Microsoft.Compute/virtualMachines": schemas.machineUpdate,
};

/** Answers a request for a resource. Throws Refusal. */
export function answer(world: World, request: Request): Answer {
  const { method, id, group, type, name, below } = request;
  if (!(type in create)) throw invalid("InvalidResourceType", `The resource type '${type}' is unknown.`);
  if (!world.groups.has(group.toLowerCase())) {
    throw new Refusal(404, "ResourceGroupNotFound", `Resource group '${group}' could not be found.`);
  }
  assertVersion(world.things.get(id.toLowerCase()), request.ifMatch);
  if (method === "PUT" && below === "") return putOne(world, request);
  if (method === "GET") world.advance(id);
  const thing = world.things.get(id.toLowerCase());
  if (method === "DELETE" && thing === undefined) return { status: 204 };
  if (thing === undefined) throw notFound(type, name);
  if (method === "GET" && below === "") return { status: 200, body: viewOf(world, thing, request.query) };
  if (method === "GET" && below === "instanceView") return { status: 200, body: instanceView(world, thing) };
  world.assertAtRest(id);
  if (method === "PATCH" && below === "") return patchOne(world, request, thing);
  if (method === "DELETE" && below === "") return deleteOne(world, request, thing);
  if (method === "PUT" && below.startsWith("subnets/")) return putSubnet(world, request, thing);
  if (method === "POST" && type.endsWith("virtualMachines")) return act(world, request, thing);
  throw new Refusal(405, "MethodNotAllowed", `${method} ${below}`);
}

/** The body, if it follows the specification. */
export function bodyOf<T>(schema: z.ZodType<T>, body: unknown): T {
  const { data, error } = schema.safeParse(body);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const code = /^\w+(?=: )|^DisallowedName$/.exec(issue?.message ?? "")?.[0] ?? "InvalidRequestContent";
  throw invalid(code, `The request content was invalid: ${issue?.path.join(".")}: ${issue?.message}`);
}

function putOne(world: World, request: Request): Answer {
  const { id, type, name, group } = request;
  const [service = ""] = type.split("/");
  if (world.offers.services[service] !== "Registered") {
    const message = `The subscription is not registered to use namespace '${service}'.`;
    throw conflict("MissingSubscriptionRegistration", message);
  }
  const body = bodyOf(create[type] as z.ZodType<Omit<Thing, "id" | "name" | "type">>, request.body);
  world.assertAtRest(id);
  const known = world.things.get(id.toLowerCase());
  if (known !== undefined && known.location !== body.location) {
    throw conflict("InvalidResourceLocation", `The resource '${name}' already exists in location '${known.location}'.`);
  }
  if (!world.offers.locations.some((one) => one.name === body.location)) {
    throw invalid("LocationNotAvailableForResourceType", `The location '${body.location}' is not available.`);
  }
  check(world, request, body as Thing);
  const { managedBy } = known ?? {};
  const thing: Thing = {
    ...structuredClone(body),
    tags: body.tags ?? {},
    id: known?.id ?? id,
    name: known?.name ?? name,
    type,
    ...(managedBy !== undefined && { managedBy }),
    properties: { ...keptOf(type, known), ...structuredClone(body.properties), provisioningState: "Creating" },
  };
  if (known !== undefined) thing.properties["provisioningState"] = "Updating";
  world.things.set(id.toLowerCase(), thing);
  if (type.endsWith("virtualMachines")) {
    // A machine whose creation fails has its interface, but is not running.
    if (request.failing === undefined) placeMachine(world, thing, body as never);
  } else fill(world, thing, known, group);
  const status = known === undefined ? 201 : 200;
  return { status, body: viewOf(world, thing, request.query), operation: begin(world, request, thing) };
}

/**
 * The properties that a PUT keeps. Everything else in an interface, an address, a disk, a network or a security group
 * is replaced, so the request must contain all of it.
 */
function keptOf(type: string, known: Thing | undefined): Record<string, unknown> {
  const { virtualMachine, ipAddress } = known?.properties ?? {};
  if (/\/(disks|virtualNetworks|networkSecurityGroups)$/.test(type)) return {};
  if (type.endsWith("networkInterfaces")) return virtualMachine === undefined ? {} : { virtualMachine };
  if (type.endsWith("publicIPAddresses")) return ipAddress === undefined ? {} : { ipAddress };
  return known?.properties ?? {};
}

function begin(world: World, { steps, failing }: Request, thing: Thing, finish = (): void => undefined): Operation {
  const end = (): void => {
    thing.properties["provisioningState"] = "Succeeded";
    finish();
  };
  return world.begin(thing.id, steps, end, failing);
}

/** Refuses a new resource that does not fit the existing ones. */
function check(world: World, { type, id }: Request, body: Thing): void {
  if (type.endsWith("virtualMachines")) return checkMachine(world, id, body as never);
  if (type.endsWith("networkInterfaces")) {
    for (const { properties } of body.properties["ipConfigurations"] as never[] as { properties: Card }[]) {
      world.subnetAt(properties.subnet.id);
      const { id: address = "" } = properties.publicIPAddress ?? {};
      if (address !== "") assertMade(world.at(address, () => missing(address)));
    }
  }
  if (type.endsWith("virtualNetworks")) {
    for (const { properties } of body.properties["subnets"] as { properties: Subnet }[]) checkSubnet(world, properties);
  }
  const known = world.things.get(id.toLowerCase());
  const size = (thing: Thing | undefined): number => Number(thing?.properties["diskSizeGB"] ?? 0);
  if (type.endsWith("disks") && size(body) < size(known))
    throw conflict("OperationNotAllowed", "A disk cannot shrink.");
}

interface Card {
  readonly subnet: { readonly id: string };
  readonly publicIPAddress?: { readonly id: string };
}

interface Subnet {
  readonly addressPrefix: string;
  readonly networkSecurityGroup?: { readonly id: string };
}

function checkSubnet(world: World, { networkSecurityGroup }: Subnet): void {
  if (networkSecurityGroup !== undefined) world.at(networkSecurityGroup.id, () => missing(networkSecurityGroup.id));
}

/** The properties of a new resource that Azure sets itself. */
function fill(world: World, thing: Thing, known: Thing | undefined, group: string): void {
  if (thing.type.endsWith("publicIPAddresses"))
    thing.properties["ipAddress"] ??= world.settings.addressOf(world.next());
  if (thing.type.endsWith("networkInterfaces")) {
    const all = thing.properties["ipConfigurations"] as { properties: Record<string, unknown> }[];
    const before = (known?.properties["ipConfigurations"] ?? []) as typeof all;
    for (const [at, { properties }] of all.entries()) {
      properties["privateIPAddress"] = before[at]?.properties["privateIPAddress"] ?? `10.20.0.${world.next() + 3}`;
    }
  }
  if (groupOf(thing.id) !== group.toLowerCase()) throw new Error("the id has another group");
}

function patchOne(world: World, request: Request, thing: Thing): Answer {
  const schema = (update[request.type] ?? schemas.onlyTags) as z.ZodType<Partial<Thing>>;
  const body = bodyOf(schema, request.body);
  if (thing.type.endsWith("virtualMachines")) updateMachine(world, thing, body);
  else if (body.properties?.["diskSizeGB"] !== undefined) {
    if (Number(body.properties["diskSizeGB"]) < Number(thing.properties["diskSizeGB"])) {
      throw conflict("OperationNotAllowed", "A disk cannot shrink.");
    }
    Object.assign(thing.properties, body.properties);
  }
  // Tags are replaced, not merged.
  if (body.tags !== undefined) thing.tags = body.tags;
  if (!(request.type in update)) return { status: 200, body: viewOf(world, thing, request.query) };
  thing.properties["provisioningState"] = "Updating";
  return { status: 202, body: viewOf(world, thing, request.query), operation: begin(world, request, thing) };
}

function deleteOne(world: World, request: Request, thing: Thing): Answer {
  assertUnused(world, thing);
  thing.properties["provisioningState"] = "Deleting";
  const isMachine = thing.type.endsWith("virtualMachines");
  const finish = (): void => {
    if (isMachine) deleteMachine(world, thing);
    else world.things.delete(thing.id.toLowerCase());
    const below = [...world.things.keys()].filter((key) => key.startsWith(`${thing.id.toLowerCase()}/`));
    for (const key of below) world.things.delete(key);
  };
  return { status: 202, operation: world.begin(thing.id, request.steps, finish, request.failing) };
}

function putSubnet(world: World, request: Request, network: Thing): Answer {
  const { properties } = bodyOf(schemas.subnet, request.body);
  checkSubnet(world, properties as Subnet);
  const name = request.below.slice("subnets/".length);
  const all = network.properties["subnets"] as { name: string; properties: object }[];
  const known = all.find((one) => one.name === name);
  if (known === undefined) all.push({ name, properties });
  else known.properties = properties;
  network.properties["provisioningState"] = "Updating";
  const status = known === undefined ? 201 : 200;
  return { status, body: { name, properties }, operation: begin(world, request, network) };
}

function act(world: World, request: Request, vm: Thing): Answer {
  const key = vm.id.toLowerCase();
  if (request.below === "retrieveBootDiagnosticsData") {
    const count = (world.consoles.get(key) ?? 0) + 1;
    world.consoles.set(key, count);
    const link = `${world.settings.url}/console/${encodeURIComponent(vm.name)}?count=${count}&sig=signature`;
    return { status: 200, body: { serialConsoleLogBlobUri: link, consoleScreenshotBlobUri: `${link}.bmp` } };
  }
  const state = { start: "running", deallocate: "deallocated" }[request.below];
  if (state === undefined) throw invalid("InvalidResourceType", request.below);
  // A machine that was shut down from inside keeps its processors allocated.
  if (state === "running" && world.power.get(key) === "deallocated") {
    assertQuota(world, (vm.properties["hardwareProfile"] as { vmSize: string }).vmSize);
  }
  if (request.failing === undefined) vm.properties["provisioningState"] = "Updating";
  return { status: 202, operation: begin(world, request, vm, () => void world.power.set(key, state)) };
}

/** A resource as the API shows it. */
export function viewOf(world: World, thing: Thing, query: URLSearchParams): object {
  const isExpanded = query.get("$expand") === "instanceView";
  if (!isExpanded) return versionedView(thing);
  return {
    ...structuredClone(thing),
    properties: { ...structuredClone(thing.properties), instanceView: instanceView(world, thing) },
  };
}

function instanceView(world: World, vm: Thing): object {
  const power = world.power.get(vm.id.toLowerCase());
  const state = String(vm.properties["provisioningState"]);
  // A machine has no power state until it has been created.
  const isMade = power !== undefined && state !== "Creating";
  const codes = [`ProvisioningState/${state.toLowerCase()}`, ...(isMade ? [`PowerState/${power}`] : [])];
  return { statuses: codes.map((code) => ({ code, level: "Info" })) };
}
