import { expect, test } from "vitest";
import { hostLock as lockFunctions } from "../on-host/sent/host-lock.ts";
import { clockFunction } from "./clock.ts";
import { encipher, hideFunctions } from "./hidden-lines.ts";
import { prelude, stepFunctions } from "./prelude.ts";
import { borderFunctions, runnerFunctions } from "../session/runner-script.ts";

test("gives each shell function its own name, because a session's shell gets all of them in any order", () => {
  const scripts = [prelude, stepFunctions, lockFunctions, runnerFunctions, borderFunctions];
  const bodies = new Map<string, Set<string>>();
  for (const script of [...scripts, clockFunction, hideFunctions]) {
    for (const [, name = "", body = ""] of script.matchAll(/^(_f\w+)\(\) (\{.*\}$|\{$[^]*?^\})/gm)) {
      bodies.set(name, (bodies.get(name) ?? new Set()).add(body));
    }
  }
  expect(bodies.size).toBeGreaterThan(25);
  expect([...bodies].filter(([, { size }]) => size > 1).map(([name]) => name)).toEqual([]);
});

test("tests openssl with the same call that encrypts later", () => {
  expect(hideFunctions).toContain(encipher);
});
