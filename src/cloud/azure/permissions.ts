import type { Permission } from "../../core/host/driver.ts";
import type { AzureAct, AzureKind } from "../../facts/cloud/azure/index.ts";
import { subscriptionOf } from "./api.ts";
import { listed } from "./contents.ts";
import type { Asking } from "./read.ts";
import { permissionsTo, typeOf } from "./rehearsal/permissions.ts";
import { servicesOf, usesProcessors } from "./rehearsal/rehearsal.ts";

/** The permissions that queries for offers need in the subscription. */
const offers = {
  size: "Microsoft.Compute/skus/read",
  image: "Microsoft.Compute/locations/publishers/artifacttypes/offers/skus/versions/read",
  location: "Microsoft.Resources/subscriptions/locations/read",
  feature: "Microsoft.Features/providers/features/read",
} as const;

/** The permissions needed to follow long-running operations, by the prefix of the permission needed to start them. */
const operations: Readonly<Record<string, readonly string[]>> = {
  "Microsoft.Compute/virtualMachines/": ["Microsoft.Compute/locations/operations/read"],
  "Microsoft.Compute/disks/": ["Microsoft.Compute/locations/diskOperations/read"],
  "Microsoft.Network/": [
    "Microsoft.Network/locations/operations/read",
    "Microsoft.Network/locations/operationResults/read",
  ],
  "Microsoft.Resources/": ["Microsoft.Resources/subscriptions/operationresults/read"],
};

/**
 * The Azure permissions that a query needs, in the subscription or in a resource group
 * (https://learn.microsoft.com/azure/role-based-access-control/resource-provider-operations).
 */
export function permissionsToRead(asking: Asking): readonly Permission[] {
  const { get } = asking;
  if (get === "size" || get === "image" || get === "location" || get === "feature")
    return [{ name: offers[get], on: scopeOf(asking.subscription) }];
  const own = scopeOf(
    asking.subscription,
    get === "group" || get === "contents" ? (asking.group ?? asking.name) : asking.group,
  );
  return readsOf(get).map((name) => ({ name, on: own }));
}

/**
 * The permissions that a change needs: those for the change itself, those for its rehearsal before the first change,
 * and those for reading the resource and waiting for the change.
 */
export function permissionsToChange(act: AzureAct): readonly Permission[] {
  const whole = scopeOf(act.subscription);
  const own = scopeOf(act.subscription, act.group);
  const names = permissionsTo(act);
  const inGroup = [
    ...names,
    ...kindsIn(act).flatMap(readsOf),
    ...(act.act === "delete" && act.kind === "group" ? readsOf("contents") : []),
    ...(names.length > 0 ? ["Microsoft.Authorization/permissions/read"] : []),
  ];
  const inSubscription = [
    ...servicesOf(act).map(() => "Microsoft.Resources/subscriptions/providers/read"),
    ...(usesProcessors(act) ? ["Microsoft.Compute/locations/usages/read", offers.size] : []),
    ...(act.act === "delete" ? ["Microsoft.Authorization/locks/read"] : []),
    ...Object.entries(operations).flatMap(([prefix, reads]) =>
      names.some((name) => name.startsWith(prefix)) ? reads : [],
    ),
  ];
  return [
    ...inGroup.map((name) => ({ name, on: own, ...(act.act === "createGroup" && { isNew: true }) })),
    ...inSubscription.map((name) => ({ name, on: whole })),
  ];
}

/** The kinds of resources that a change reads before and after it. */
function kindsIn(act: AzureAct): readonly AzureKind[] {
  switch (act.act) {
    case "createGroup":
      return ["group"];
    case "tag":
      return [act.kind];
    case "putSecurityGroup":
      return ["securityGroup"];
    case "createNetwork":
      return ["network"];
    case "putSubnet":
      return ["network", "securityGroup"];
    case "createDisk":
    case "growDisk":
      return ["disk"];
    case "createMachine":
      return ["machine", "card", "address", "disk"];
    case "setPublicAddress":
      return ["card", "address"];
    case "attachDisks":
      return ["machine", "disk"];
    case "delete":
      return act.kind === "machine" ? ["machine", "disk", "card", "address"] : [act.kind];
    case "awaitMachine":
    case "keepDisks":
    case "resizeMachine":
    case "startMachine":
    case "stopMachine":
    case "readHostKeys":
      return ["machine"];
  }
}

/** The permissions needed to read a resource, or the contents of a resource group. */
function readsOf(get: AzureKind | "contents"): readonly string[] {
  if (get === "contents") {
    const resources = "Microsoft.Resources/subscriptions/resourceGroups/resources/read";
    return [resources, ...Object.keys(listed).map((type) => `${type}/read`)];
  }
  if (get !== "machine") return [`${typeOf(get)}/read`];
  const machine = typeOf("machine");
  // A machine is read with its power state, its first interface and that interface's address.
  return [`${machine}/read`, `${machine}/instanceView/read`, `${typeOf("card")}/read`, `${typeOf("address")}/read`];
}

/** The id of a resource group, or of the subscription. */
function scopeOf(subscription: string | undefined, group?: string): string {
  const whole = `/subscriptions/${subscriptionOf({ subscription })}`;
  return group === undefined ? whole : `${whole}/resourceGroups/${group}`;
}
