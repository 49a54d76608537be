import { expect, test } from "vitest";
import { absent, knownAfterApply } from "../../src/authoring.ts";
import { contractOf, explain } from "../../src/testing/index.ts";
import { cases } from "./firewalld.cases.ts";
import { firewalld } from "./firewalld.ts";

test("firewalld meets the task contract and does what each case says", () => {
  expect(contractOf(firewalld, cases, { folder: "firewalld" })).toEqual([]);
});

test.each([
  [{ ports: ["443"] }, "ports.0"],
  [{ services: ["a b"] }, "services.0"],
  [{ rules: ["accept everything"] }, "rules.0"],
  [{ zone: "a zone", services: ["http"] }, "zone"],
])("firewalld refuses the params %j", (params, problem) => {
  expect(() => explain(firewalld(params), {})).toThrow(`param "${problem}"`);
});

test("firewalld refuses params that name no service, port or rule", () => {
  expect(() => explain(firewalld({ zone: "public" }), {})).toThrow("the params do not match the schema");
});

test("firewalld is undecided in check mode if an earlier task installs a package that may provide the zone", () => {
  const empty = { daemon: "running", zone: "libvirt", runtime: absent, permanent: absent };
  const call = firewalld({ zone: "libvirt", services: ["http"], zoneFrom: "virsh", optional: true });
  expect(() => explain(call, { firewall: empty, bringer: knownAfterApply })).toThrow(/bringer/);
  expect(explain(call, { firewall: empty, bringer: { path: "/usr/bin/virsh" } }).refusal?.code).toBe("no-zone");
  expect(explain(call, { firewall: absent, bringer: knownAfterApply }).refusal).toBeUndefined();
});
