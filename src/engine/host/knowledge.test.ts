import { describe, expect, test } from "vitest";
import type { HostFact } from "../../core/facts/fact.ts";
import { ran } from "../../core/facts/ran.ts";
import { absent, knownAfterApply } from "../../core/facts/symbols.ts";
import { Knowledge } from "./knowledge.ts";

const file = (key: string, facets: readonly string[] = [], secret = false): HostFact<unknown> => ({
  kind: "file",
  key,
  facets,
  ...(secret && { secret }),
});
const web = { driver: "http", request: { url: "http://x" } };

describe("knowledge about a host", () => {
  test("answers only for the facets that were read", () => {
    const known = new Knowledge();
    known.learn(file("/a", ["sha256"]), { sha256: "1" });
    expect(known.lookup(file("/a"))).toEqual({ value: { sha256: "1" }, by: undefined });
    expect(known.lookup(file("/a", ["sha256"]))?.value).toEqual({ sha256: "1" });
    expect(known.lookup(file("/a", ["sha256", "text"]))).toBeUndefined();
    expect(known.lookup(file("/b"))).toBeUndefined();
    expect(known.facetsOf(file("/a"))).toEqual(["sha256"]);
  });
  test("keeps the secret view of a file separate, but uses a prediction for both views", () => {
    const known = new Knowledge();
    known.learn(file("/a", ["text"], true), { seal: "s" });
    expect(known.lookup(file("/a", ["text"]))).toBeUndefined();
    known.predict(file("/a", ["text"]), { text: "x", seal: "t" }, "task");
    expect(known.lookup(file("/a", ["text"], true))).toEqual({ value: { text: "x", seal: "t" }, by: "task" });
    expect(known.lookup(file("/a", ["size"]))?.by).toBe("task");
  });
  test("stores the controller's answers by request", () => {
    const known = new Knowledge();
    known.learn(web, { status: 200 });
    expect(known.lookup({ ...web })?.value).toEqual({ status: 200 });
    expect(known.lookup({ driver: "http", request: { url: "http://y" } })).toBeUndefined();
  });
  test("forgets only the facts that a pattern names, including secret views", () => {
    const known = new Knowledge();
    const facts = [file("/etc/a"), file("/etc/a", [], true), file("/srv/a")];
    for (const fact of facts) known.learn(fact, absent);
    known.forget(["file:/etc/**"]);
    expect(facts.map((fact) => known.lookup(fact) !== undefined)).toEqual([false, false, true]);
    known.forget(["everything", "!file:/srv/a"]);
    expect(known.lookup(file("/srv/a"))?.value).toBe(absent);
    known.forgetAll();
    expect(known.lookup(file("/srv/a"))).toBeUndefined();
  });
});

describe("a fact that a task may provide", () => {
  test("depends on that task, even if it was read before, until it is predicted again", () => {
    const known = new Knowledge();
    known.learn(file("/etc/x/conf"), absent);
    known.mayProvide(["file:/etc/x/**"], "package x");
    expect(known.lookup(file("/etc/x/conf"))).toEqual({ value: knownAfterApply, by: "package x" });
    expect(known.lookup(file("/etc/y"))).toBeUndefined();
    known.predict(file("/etc/x/conf"), { type: "file" }, "file");
    expect(known.lookup(file("/etc/x/conf"))).toEqual({ value: { type: "file" }, by: "file" });
    expect(known.lookup(file("/etc/x/other"))?.by).toBe("package x");
  });
  test("depends on the first task that names the fact, if several do", () => {
    const known = new Knowledge();
    known.mayProvide(["unit:*"], "package a");
    known.mayProvide(["unit:*"], "package b");
    expect(known.lookup({ kind: "unit", key: "x", facets: [] })?.by).toBe("package a");
  });
});

describe("an action with no observable result", () => {
  const reload = ran("daemon-reload for x", ["file:/etc/x", "entries:/etc/x.d"]);

  test("counts as done for later tasks until a fact that it names changes or may change", () => {
    for (const change of [
      (known: Knowledge) => known.predict(file("/etc/x"), { type: "file" }, "file"),
      (known: Knowledge) => known.touched(["entries:/etc/x.d"], "file"),
      (known: Knowledge) => known.mayProvide(["file:/etc/**"], "package"),
    ]) {
      const known = new Knowledge();
      expect(known.acts.has(reload)).toBe(false);
      known.acts.note(reload);
      known.predict(file("/etc/y"), { type: "file" }, "file");
      known.touched(["entries:/etc/y.d"], "file");
      expect(known.acts.has(reload)).toBe(true);
      change(known);
      expect(known.acts.has(reload)).toBe(false);
    }
  });
  test("does not count as done for another task if it names no facts", () => {
    const known = new Knowledge();
    known.acts.note(ran("reboot"));
    expect(known.acts.has(ran("reboot"))).toBe(false);
  });
});
