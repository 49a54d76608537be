import { expect, test } from "vitest";
import { permissionsFor } from "./permissions.ts";
import { constraintsOn, verdictOf } from "./policies.ts";
import type { PlannedCall } from "./planned-call.ts";

const place = { project: "project-1", zone: "europe-west3-a", name: "web" };
const instance = (instanceResource: PlannedCall["fields"][string]): PlannedCall => ({
  on: "instance",
  method: "insert",
  place,
  fields: { instanceResource },
});
const machine = {
  tags: { items: ["web"] },
  labels: { role: "web" },
  metadata: { items: [{ key: "ssh-keys", value: "admin:ssh-ed25519 AAAA" }] },
  disks: [{ initializeParams: { sourceImage: "projects/debian-cloud/global/images/debian-12" } }, { source: "data" }],
  networkInterfaces: [{ accessConfigs: [{ natIP: "192.0.2.1" }] }],
  serviceAccounts: [{ email: "a@b.c" }],
  advancedMachineFeatures: { enableNestedVirtualization: true },
};

test.each<[PlannedCall, string[]]>([
  [{ on: "network", method: "patch", place, fields: {} }, ["compute.networks.update"]],
  [
    { on: "firewall", method: "delete", place, fields: {} },
    ["compute.firewalls.delete", "compute.networks.updatePolicy"],
  ],
  [{ on: "instance", method: "attachDisk", place, fields: {} }, ["compute.instances.attachDisk", "compute.disks.use"]],
  [
    { on: "disk", method: "insert", place, fields: { diskResource: { labels: { role: "data" } } } },
    ["compute.disks.create", "compute.disks.setLabels"],
  ],
  [{ on: "disk", method: "insert", place, fields: { diskResource: { labels: {} } } }, ["compute.disks.create"]],
  [instance({}), ["compute.instances.create", "compute.subnetworks.use"]],
  [
    instance(machine),
    [
      "compute.instances.create",
      "compute.disks.create",
      "compute.disks.use",
      "compute.subnetworks.use",
      "compute.subnetworks.useExternalIp",
      "compute.addresses.use",
      "compute.instances.setMetadata",
      "compute.instances.setTags",
      "compute.instances.setLabels",
      "compute.instances.setServiceAccount",
    ],
  ],
])("knows the permissions of a call (%#)", (call, permissions) => {
  expect(permissionsFor(call)).toEqual(permissions);
});

test("queries only the policies that apply to a call", () => {
  expect(constraintsOn(instance({}))).toEqual([]);
  expect(constraintsOn(instance(machine)).map(({ name, value }) => [name, value])).toEqual([
    ["compute.vmExternalIpAccess", "projects/project-1/zones/europe-west3-a/instances/web"],
    ["compute.disableNestedVirtualization", undefined],
    ["compute.requireOsLogin", undefined],
    ["compute.trustedImageProjects", "projects/debian-cloud"],
  ]);
});

test.each([
  ["no rules", [], "projects/a", "allowed"],
  ["everything is allowed", [{ allowAll: true }], "projects/a", "allowed"],
  ["everything is denied", [{ denyAll: true }], "projects/a", "forbidden"],
  ["the value is allowed", [{ values: { allowedValues: ["is:projects/a"] } }], "projects/a", "allowed"],
  ["another value is allowed", [{ values: { allowedValues: ["projects/b"] } }], "projects/a", "forbidden"],
  ["the value is denied", [{ values: { deniedValues: ["projects/a"] } }], "projects/a", "forbidden"],
  ["another value is denied", [{ values: { deniedValues: ["projects/b"] } }], "projects/a", "allowed"],
  ["a group is allowed", [{ values: { allowedValues: ["under:folders/1"] } }], "projects/a", "unknown"],
  ["a rule has a condition", [{ denyAll: true, condition: { expression: "x" } }], "projects/a", "unknown"],
  ["a constraint is on", [{ enforce: true }], undefined, "forbidden"],
  ["a constraint is off", [{ enforce: false }], undefined, "allowed"],
  [
    "a constraint is on only under a condition",
    [{ enforce: true, condition: { expression: "x" } }],
    undefined,
    "unknown",
  ],
])("judges a value by a policy: %s", (_title, rules, value, verdict) => {
  expect(verdictOf(rules, value)).toBe(verdict);
});
