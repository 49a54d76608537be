import { expect, test } from "vitest";
import type { FurrowError } from "../core/errors.ts";
import type { InventorySource } from "../core/inventory/inventory-source.ts";
import { azureInventory, digitalOceanInventory, ec2Inventory, gceInventory, guestInventory } from "./index.ts";

test.each<[string, (options: never) => InventorySource, object, string]>([
  ["ec2Inventory", ec2Inventory, { regoins: ["eu-central-1"] }, '"regions" instead of "regoins"'],
  ["azureInventory", azureInventory, { resourceGroup: ["web"] }, '"resourceGroups" instead of "resourceGroup"'],
  ["gceInventory", gceInventory, { project: ["web"] }, '"projects" instead of "project"'],
  ["digitalOceanInventory", digitalOceanInventory, { tags: "web" }, '"tag" instead of "tags"'],
  ["guestInventory", guestInventory, { kubeconfig: "k", namespace: ["web"] }, '"namespaces" instead of "namespace"'],
])("%s refuses an unknown option, with the one that was probably meant", (name, make, options, meant) => {
  const failureOf = (): FurrowError | undefined => {
    try {
      make(options as never);
      return undefined;
    } catch (error) {
      return error as FurrowError;
    }
  };
  const error = failureOf();
  expect(error?.code).toBe("E_INVENTORY");
  expect(error?.failure.what).toContain(` of ${name}`);
  expect(error?.failure.hint).toBe(`Write ${meant}`);
});
