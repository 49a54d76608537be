import { expect, test } from "vitest";
import { contractOf, explain } from "../../src/testing/index.ts";
import { cases } from "./ipmi-power.cases.ts";
import { ipmiPower } from "./ipmi-power.ts";

test("ipmiPower meets the task contract and does what each case says", () => {
  expect(contractOf(ipmiPower, cases, { folder: "ipmi-power" })).toEqual([]);
});

test.each([
  ["an option in place of an address", { address: "-I" }, "the name or address"],
  ["an option in place of a user", { user: "-P" }, "at most 16 characters"],
  ["an unknown cipher suite", { cipherSuite: 18 }, "cipherSuite"],
])("ipmiPower refuses %s", (_what, params, says) => {
  const error = ((): unknown => {
    try {
      return explain(ipmiPower({ address: "b", user: "u", password: "p", state: "on", ...params }), {});
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toBeInstanceOf(Error);
  expect(JSON.stringify(error)).toContain(says);
});
