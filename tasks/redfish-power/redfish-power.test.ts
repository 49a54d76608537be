import { expect, test } from "vitest";
import { contractOf, explain } from "../../src/testing/index.ts";
import { ipmiPower } from "../ipmi-power/ipmi-power.ts";
import { cases } from "./redfish-power.cases.ts";
import { redfishPower } from "./redfish-power.ts";

const bmc = { url: "https://bmc-1.example.org", user: "furrow", password: "pass-word", state: "off" } as const;

test("redfishPower meets the task contract and does what each case says", () => {
  expect(contractOf(redfishPower, cases, { folder: "redfish-power" })).toEqual([]);
});

test.each([
  ["http", { url: "http://bmc-1" }, "an https URL"],
  ["a name in place of a URL", { url: "bmc-1.example.org" }, "an https URL"],
  ["a password in the URL", { url: "https://me:pass@bmc-1" }, "a URL without a path, user or query"],
  ["a path", { url: "https://bmc-1/redfish/v1" }, "a URL without a path"],
  [
    "two ways to trust",
    { insecure: true, fingerprint: "ab".repeat(32) },
    "only one of caCert, fingerprint and insecure",
  ],
  ["half a fingerprint", { fingerprint: "AB:CD" }, "a SHA-256 in hex"],
  ["another state", { state: "reset" as "off" }, '"on", "off" or "cycled"'],
])("refuses %s, and does not quote the password", (_what, params, says) => {
  const error = ((): Error => {
    try {
      explain(redfishPower({ ...bmc, ...params }), { machine: { power: "off" } });
    } catch (thrown) {
      return thrown as Error;
    }
    throw new Error("accepted");
  })();
  expect(JSON.stringify(error) + error.message).toContain(JSON.stringify(says).slice(1, -1));
  expect(JSON.stringify(error) + error.message).not.toContain("pass-word");
});

test("the steps and questions of both tasks contain no password", () => {
  const redfish = explain(redfishPower(bmc), { machine: { power: "on", ways: ["GracefulShutdown"] } });
  const ipmi = explain(ipmiPower({ address: "b", user: "u", password: "pass-word", state: "off" }), {
    machine: { power: "on" },
  });
  expect(redfish.steps).toHaveLength(1);
  expect(JSON.stringify([redfish, ipmi])).not.toContain("pass-word");
});
