import { Offers } from "./offers.ts";
import { type Refusal, conflict, invalid, notFound } from "./refusal.ts";

/** A resource as the API stores it. */
export interface Thing {
  readonly id: string;
  readonly name: string;
  /** `Microsoft.Compute/disks`. */
  readonly type: string;
  location: string;
  tags: Record<string, string>;
  zones?: string[];
  sku?: { name: string };
  managedBy?: string;
  properties: Record<string, unknown>;
}

/** A long-running operation. */
export interface Operation {
  readonly id: string;
  /** The id of the resource, in lower case. */
  readonly on: string;
  /** The number of queries during which the operation is still in progress. */
  left: number;
  status: "InProgress" | "Succeeded" | "Failed";
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  readonly finish: () => void;
}

/** An operation that will fail. */
export interface Failing {
  /** Matches `METHOD path`. */
  readonly on: RegExp;
  readonly code: string;
  readonly message: string;
  times: number;
}

/** The fake's only subscription. */
export const subscription = "00000000-0000-4000-8000-000000000001";

/** The settings that tests can change. */
export interface Settings {
  /** The n-th public address. */
  addressOf: (number: number) => string;
  /** The host keys that a machine's console shows when it is read for the n-th time. */
  console: (name: string, count: number) => string;
  /** The number of queries during which an operation stays in progress. */
  steps: number;
  /** The address of the fake. */
  url: string;
}

/** The state of the fake: resource groups, resources, operations and offers. */
export class World {
  readonly offers = new Offers();
  /** Groups by name in lower case. */
  readonly groups = new Map<string, Thing>();
  /** Resources by id in lower case. */
  readonly things = new Map<string, Thing>();
  readonly operations = new Map<string, Operation>();
  /** The machines' power states, and how often their consoles were read, by id in lower case. */
  readonly power = new Map<string, string>();
  readonly consoles = new Map<string, number>();
  readonly settings: Settings;
  /** An outdated list of all resources, because Azure's list lags behind; undefined for an up-to-date list. */
  cached: readonly Thing[] | undefined;
  /** True if each page of a list links to itself. */
  loops = false;
  /** The body of every page of a list; undefined if the pages are correct. */
  page: object | undefined;
  /** The number of addresses and ids assigned so far. */
  #given = 0;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  next(): number {
    this.#given += 1;
    return this.#given;
  }

  /** The resources of a type in a group, or in the whole subscription. */
  list(type: string, group?: string): Thing[] {
    return [...this.things.values()].filter(
      (one) =>
        one.type.toLowerCase() === type.toLowerCase() &&
        (group === undefined || groupOf(one.id) === group.toLowerCase()),
    );
  }

  /** All resources in a group. */
  contents(group: string): Thing[] {
    return [...this.things.values()].filter((one) => groupOf(one.id) === group.toLowerCase());
  }

  /** The names of all groups and resources, by type, for tests. */
  names(): Record<string, string[]> {
    const found: Record<string, string[]> = {};
    for (const one of [...this.groups.values(), ...this.things.values()]) {
      (found[one.type.split("/").at(-1) ?? ""] ??= []).push(one.name);
    }
    return Object.fromEntries(Object.entries(found).map(([type, all]) => [type, all.toSorted()]));
  }

  /** The resource with the given id. Throws a refusal if it does not exist. */
  at(id: string, refusal?: () => Refusal): Thing {
    const found = this.things.get(id.toLowerCase());
    if (found !== undefined) return found;
    throw refusal?.() ?? notFound(id.split("/").slice(-3, -1).join("/"), id.split("/").at(-1) ?? "");
  }

  /** Throws a refusal if there is no subnet with the given id. */
  subnetAt(id: string): void {
    const [network = "", name = ""] = id.split("/subnets/");
    const { subnets } = this.at(network, () => missing(id)).properties as { subnets: { name: string }[] };
    if (!subnets.some((one) => one.name.toLowerCase() === name.toLowerCase())) throw missing(id);
  }

  /** Begins an operation, which stays in progress until the resource has been queried often enough. */
  begin(on: string, left: number, finish: () => void, error?: Operation["error"]): Operation {
    const id = `00000000-0000-4000-8000-${String(this.next()).padStart(12, "0")}`;
    const operation: Operation = { id, on: on.toLowerCase(), left, status: "InProgress", error, finish };
    this.operations.set(id, operation);
    if (left === 0) this.#end(operation);
    return operation;
  }

  /** Advances the operations on a resource by one step, as time would. */
  advance(on: string): void {
    for (const one of this.operations.values()) {
      if (one.on !== on.toLowerCase() || one.status !== "InProgress") continue;
      one.left -= 1;
      if (one.left <= 0) this.#end(one);
    }
  }

  #end(operation: Operation): void {
    operation.status = operation.error === undefined ? "Succeeded" : "Failed";
    if (operation.error === undefined) return operation.finish();
    const thing = this.things.get(operation.on);
    if (thing !== undefined) thing.properties["provisioningState"] = "Failed";
  }

  /** Refuses a change while another is in progress. */
  assertAtRest(id: string): void {
    const isBusy = [...this.operations.values()].some(
      (one) => one.on === id.toLowerCase() && one.status === "InProgress",
    );
    if (!isBusy) return;
    this.advance(id);
    throw conflict("Conflict", "The request failed due to conflict with a concurrent request.");
  }

  /** The number of processors in use: in one family, or in all families. Deallocated machines use none. */
  cores(quota: string): number {
    const machines = this.list("Microsoft.Compute/virtualMachines").filter(
      ({ id }) => this.power.get(id.toLowerCase()) !== "deallocated",
    );
    const used = machines.map(({ properties }) => {
      const { vmSize } = properties["hardwareProfile"] as { vmSize: string };
      const size = this.offers.sizes.find(({ name }) => name === vmSize);
      return size !== undefined && (quota === "cores" || size.family === quota) ? size.vcpus : 0;
    });
    return used.reduce((sum, one) => sum + one, 0);
  }
}

/** The resource group in an id, in lower case. */
export function groupOf(id: string): string {
  return /\/resourcegroups\/([^/]+)/i.exec(id)?.[1]?.toLowerCase() ?? "";
}

/** The refusal of a reference to something that does not exist. */
export function missing(id: string): Refusal {
  return invalid("InvalidResourceReference", `Resource ${id} referenced by the resource was not found.`);
}
