import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { nftSourceHash } from "../../src/facts/catalogue.ts";
import { explain, type Explanation } from "../../src/testing/explain.ts";
import { nftables } from "./nftables.ts";
import { sourceOf } from "./rules.ts";

const rules = "chain a { }";
const hash = nftSourceHash(sourceOf("inet", "furrow", rules));
const include = 'include "/etc/nftables.d/furrow-*.nft"\n';
const directory = { type: "directory", mode: "0755", owner: "root", group: "root" };
const text = (content: string): object => ({ ...directory, type: "file", text: content });
const right = {
  table: { loaded: hash },
  program: { path: "/usr/sbin/nft" },
  file: { ...directory, type: "file", sha256: hash },
  folder: directory,
  main: text(`flush ruleset\n${include}`),
};
const tell = (params: object, now: object = {}): Explanation =>
  explain(nftables({ table: "furrow", rules, ...params }), { ...right, accepted: absent, ...now });

describe("nftables", () => {
  test("leaves a correct table alone", () => expect(tell({}).steps).toEqual([]));

  test("checks the rules before it writes or loads anything", () => {
    const now = { table: absent, file: absent, folder: absent, main: text("flush ruleset\n") };
    const { described, steps } = tell({}, now);
    expect(described).toEqual([
      "check the rules",
      "make directory /etc/nftables.d",
      "write /etc/nftables.d/furrow-inet-furrow.nft",
      "write /etc/nftables.conf",
      "load table inet furrow",
    ]);
    expect(steps[3]).toMatchObject({ text: `flush ruleset\n${include}` });
  });

  test.each([
    { what: "a table that someone else changed", now: { table: { loaded: "" } }, step: "load table inet furrow" },
    { what: "a table that is not loaded", now: { table: absent }, step: "load table inet furrow" },
    { what: "a file that differs", now: { file: text("x") }, step: "write /etc/nftables.d/furrow-inet-furrow.nft" },
    { what: "a missing include", now: { main: text("") }, step: "write /etc/nftables.conf" },
    { what: "a missing main file", now: { main: absent }, step: "write /etc/nftables.conf" },
  ])("fixes $what", ({ now, step }) => {
    expect(tell({}, now).described).toEqual(["check the rules", step]);
  });

  test("only loads the table, and writes no file, if `persist` is false", () => {
    expect(tell({ persist: false }, { table: absent, file: absent }).described).toEqual([
      "check the rules",
      "load table inet furrow",
    ]);
  });

  test("removes the file and the table, and is ok if neither exists", () => {
    const call = nftables({ table: "furrow", state: "absent" });
    expect(explain(call, right).described).toEqual([
      "remove /etc/nftables.d/furrow-inet-furrow.nft",
      "delete table inet furrow",
    ]);
    expect(explain(call, { ...right, accepted: absent, table: absent, file: absent }).steps).toEqual([]);
  });

  test("refuses a host without nft", () => {
    expect(tell({}, { program: absent }).refusal?.code).toBe("no-nft");
  });

  test.each([
    { param: "table", params: { table: "a b" } },
    { param: "family", params: { family: "ipv4" } },
    { param: "rules", params: { rules: "flush ruleset" } },
    { param: "main", params: { main: "nftables.conf" } },
  ])("refuses the param $param: $params", ({ param, params }) => {
    expect(() => tell(params)).toThrow(`param "${param}"`);
  });
});
