import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/explain.ts";
import { group } from "./group.ts";

const there = { gid: 1500, primaryOf: [] as string[] };

describe("group", () => {
  test.each([
    { params: { name: "web" }, now: absent, steps: ["groupadd -- web"] },
    { params: { name: "web", gid: 1500, system: true }, now: absent, steps: ["groupadd -r -g 1500 -- web"] },
    { params: { name: "web", gid: 1500 }, now: there, steps: [] },
    { params: { name: "web" }, now: there, steps: [] },
    { params: { name: "web", gid: 1600 }, now: there, steps: ["groupmod -g 1600 -- web"] },
    { params: { name: "web", state: "absent" }, now: there, steps: ["groupdel -- web"] },
    { params: { name: "web", state: "absent" }, now: absent, steps: [] },
  ] as const)("takes the steps $steps for $params", ({ params, now, steps }) => {
    expect(explain(group(params), { group: now, holder: absent }).described).toEqual(steps);
  });
  test("refuses to remove the primary group of a user", () => {
    const now = { group: { ...there, primaryOf: ["ana"] } };
    expect(explain(group({ name: "web", state: "absent" }), now).refusal?.code).toBe("primary-group");
  });
  test.each([{ name: "77" }, { name: "g".repeat(33) }, { name: "old".repeat(11), state: "absent" }])(
    "refuses the name in %j, which no host accepts for a group",
    (params) => {
      expect(() => explain(group(params as never), { group: absent })).toThrow(/param "name"/);
    },
  );
  test.each([{ name: "a b" }, { name: "web", gid: -1 }, { name: "web", gid: "1500" }])("refuses %j", (params) => {
    expect(() => explain(group(params as never), { group: absent })).toThrow(/param "(name|gid)"/);
  });
});
