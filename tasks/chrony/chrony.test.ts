import { expect, test } from "vitest";
import { contractOf, explain } from "../../src/testing/index.ts";
import { cases } from "./chrony.cases.ts";
import { chrony } from "./chrony.ts";
import { includesIn, withLines } from "./config.ts";

test("chrony meets the task contract and does what each case says", () => {
  expect(contractOf(chrony, cases, { folder: "chrony" })).toEqual([]);
});

test("managed directives are recognized regardless of case; other directives and comments stay", () => {
  const text = "# pool a\n! server b\nPool 2.debian.pool.ntp.org iburst\n\tserver x\nallow\nservers 1\nrtcsync\n\n";
  const after = withLines(text, ["server a iburst"]);
  expect(after).toBe("# pool a\n! server b\nservers 1\nrtcsync\nserver a iburst\n");
  expect(withLines(after, ["server a iburst"])).toBe(after);
});

test("directives that include other files are found", () => {
  expect(includesIn("sourcedir /run/chrony-dhcp\n# confdir /x\n include /a\n")).toEqual([
    "sourcedir /run/chrony-dhcp",
    "include /a",
  ]);
});

test.each([
  [{}, "at least one server or pool"],
  [{ servers: ["a b"] }, "a name or an address"],
  [{ servers: ["a\nallow"] }, "a name or an address"],
  [{ servers: ["a"], allow: ["all"] }, "a subnet or an address"],
  [{ servers: ["a"], makestep: { seconds: 0, updates: 1 } }, "makestep"],
])("refuses %j", (params, says) => {
  const error = ((): unknown => {
    try {
      return explain(chrony(params), {});
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toBeInstanceOf(Error);
  expect(JSON.stringify(error)).toContain(says);
});
