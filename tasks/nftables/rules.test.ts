import { describe, expect, test } from "vitest";
import { addsElements, problemOfRules, sourceOf } from "./rules.ts";

describe("rules", () => {
  test.each([
    "",
    "chain a { }",
    'chain a {\n  counter comment "a } b" # a } comment\n}\nset s { type ipv4_addr; flags interval; elements = { 10.0.0.0/8 } }',
    'chain a { log prefix "flush ruleset" }',
    "# include everything, flush ruleset\nchain a { }",
  ])("accepts rules that stay inside their table: %j", (rules) => expect(problemOfRules(rules)).toBeUndefined());

  test.each([
    ["} table inet other {", "has a matching {"],
    ["chain a {", "every { is closed"],
    ["flush ruleset", "flush ruleset"],
    ["chain a { }\n}\nflush  ruleset\n{", "flush ruleset"],
    ["table inet furrow { }", "without `table"],
    ["chain a { }\ndelete table inet other", "without `table"],
    ['include "/etc/other.nft"', "include"],
    ['chain a { } ; include "/etc/other.nft"', "include"],
    ['chain a { log prefix "x\n }', "closed on the same line"],
  ])("refuses the rules %j", (rules, problem) => expect(problemOfRules(rules)).toContain(problem));

  test("detects rules that fill sets", () => {
    expect(addsElements("set s { type ipv4_addr; flags dynamic, timeout; }")).toBe(true);
    expect(addsElements("chain a { } # timeout")).toBe(false);
  });

  test("keeps the closing brace out of a comment at the end", () => {
    expect(sourceOf("inet", "t", "chain a { } # end")).toBe(
      "table inet t\ndelete table inet t\ntable inet t {\nchain a { } # end\n}\n",
    );
  });
});
