import { expect, test } from "vitest";
import type { FurrowError } from "../core/errors.ts";
import type { InventorySource } from "../core/inventory/inventory-source.ts";
import { accountKey } from "./ec2/inventory.ts";
import { azureInventory, digitalOceanInventory, ec2Inventory, gceInventory, guestInventory } from "./index.ts";

test.each<[string, (options: never) => InventorySource, object, string]>([
  ["ec2Inventory", ec2Inventory, { regoins: ["eu-central-1"] }, '"regions" instead of "regoins"'],
  ["azureInventory", azureInventory, { resourceGroup: ["web"] }, '"resourceGroups" instead of "resourceGroup"'],
  ["gceInventory", gceInventory, { project: ["web"] }, '"projects" instead of "project"'],
  ["digitalOceanInventory", digitalOceanInventory, { tags: "web" }, '"tag" instead of "tags"'],
  ["guestInventory", guestInventory, { kubeconfig: "k", namespace: ["web"] }, '"namespaces" instead of "namespace"'],
])("%s refuses an unknown option, and names the one that was probably meant", (name, make, options, meant) => {
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

const role = { AWS_ROLE_ARN: "arn:aws:iam::1:role/ci", AWS_WEB_IDENTITY_TOKEN_FILE: "/run/token" };

test.each([
  { AWS_ROLE_ARN: "arn:aws:iam::2:role/ci" },
  { AWS_CONFIG_FILE: "/home/ci/other" },
  { AWS_PROFILE: "prod" },
  { AWS_REGION: "us-east-1" },
])("a cached list of machines is not used for another account or region: %j", (other) => {
  expect(accountKey({ ...role, ...other, PATH: "/bin" })).not.toBe(accountKey({ ...role, PATH: "/bin" }));
});

test("a cached list of machines is used again with the same credentials, whatever else is in the environment", () => {
  expect(accountKey({ ...role, PATH: "/bin" })).toBe(accountKey({ PATH: "/usr/bin", ...role }));
  expect(accountKey({ ...role, AWS_SECRET_ACCESS_KEY: "hunter2" })).not.toContain("hunter2");
});
