import { describe, expect, test } from "vitest";
import { absent, file, ran, refuse, run, type Step, task, z } from "../../src/authoring.ts";
import { reveal } from "../../src/core/secrets/secret.ts";
import { type Case, contractOf } from "../../src/testing/index.ts";
import { broken, card, casesOf, type Links, planted, there } from "./planted.ts";

const write = (path: string): Step => ({ step: "writeFile", path, text: "" });
/** Counts calls, for planted functions that are not pure. */
let calls = 0;

describe("the contract for links", () => {
  const tricks: readonly { what: string; links: Partial<Links>; says: string }[] = [
    {
      what: "facts that ask different questions each time",
      links: { facts: ({ path }) => ({ own: file(`${path}${(calls += 1)}`, ["text"]) }) },
      says: "returns different facts",
    },
    {
      what: "facts of an undefined kind",
      links: { facts: ({ path }) => ({ own: { kind: "moon", key: path, facets: [] } }) },
      says: "no fact kind is named",
    },
    {
      what: "a facet that the kind lacks",
      links: { facts: ({ path }) => ({ own: { kind: "file", key: path, facets: ["smell", "text"] } }) },
      says: 'the facet "smell"',
    },
    {
      what: "facets that are not sorted",
      links: { facts: ({ path }) => ({ own: { kind: "file", key: path, facets: ["text", "sha256"] } }) },
      says: "are not sorted",
    },
    {
      what: "a key of two lines",
      links: { facts: ({ path }) => ({ own: { kind: "file", key: `${path}\n/b`, facets: ["text"] } }) },
      says: "is not one line",
    },
    {
      what: "params that are mutated",
      links: {
        want: (p) => {
          (p as { content: string }).content += "x";
          return { own: { text: p.content } };
        },
      },
      says: "params.content cannot be changed",
    },
    {
      what: "a step that reboots the host although the card does not declare it",
      links: { steps: () => [{ step: "reboot", deadlineSeconds: 60 }] },
      says: "reboots the host: set reboots: true on the card",
    },
    {
      what: "a want for a fact that the task does not ask for",
      links: { want: () => ({ own: { text: "" }, other: 1 }) },
      says: 'binds "other"',
    },
    {
      what: "a want that is never satisfied",
      links: {
        want: (_p, { own }: never) => ({ own: { text: own === absent ? "" : `${(own as typeof there).text}x` } }),
      },
      says: "it still wants file:/a to be",
    },
    {
      what: "a want that refuses its own result",
      links: {
        want: (_p, { own }: never) =>
          own === absent ? { own: { type: "file" } } : refuse({ code: "there", message: "it is there", hint: "Go" }),
      },
      says: '("there") the state that it has just set up',
    },
    {
      what: "a want that differs each time",
      links: { want: () => ({ own: { text: `${(calls += 1)}` } }) },
      says: "a want must be pure",
    },
    { what: "a missing step", links: { steps: () => [] }, says: "no step would change it" },
    {
      what: "steps that differ each time",
      links: { steps: () => [write(`/a${(calls += 1)}`)] },
      says: "gives different steps",
    },
    {
      what: "a step that is not data",
      links: { steps: () => [{ ...write("/a"), undo: () => {} }] },
      says: "is not plain data",
    },
    {
      what: "a secret in an argument",
      links: { steps: (p) => [run`echo ${p.content}`] },
      says: "a step's arguments, paths or label contains a secret",
    },
    {
      what: "a secret's bare value in a step",
      links: { steps: (p) => [{ ...write(p.path), text: reveal(p.content) }] },
      says: "contains a secret's bare value",
    },
    {
      what: "a secret in a fact's id",
      links: { facts: (p) => ({ own: file(`/${p.content}`, ["text"]) }) },
      says: "a fact's id contains a secret",
    },
    {
      what: "a refusal whose code is not in kebab-case",
      links: { want: () => refuse({ code: "No", message: "no" }) },
      says: 'the refusal\'s code is not in kebab-case: "No"',
    },
    {
      what: "a hint without a verb",
      links: { want: () => refuse({ code: "no", message: "no", hint: "The end" }) },
      says: "not a verb",
    },
    {
      what: "a secret in a refusal",
      links: { want: (p) => refuse({ code: "no", message: `no ${p.content}`, hint: "Stop" }) },
      says: "the refusal contains a secret",
    },
  ];
  test.each(tricks)("reports $what", ({ links, says }) => {
    const module = planted(links);
    expect(broken(module, casesOf(module, "x"))).toContain(says);
  });

  test("reports a change that has a step only if another change is also made", () => {
    const module = planted({
      facts: ({ path }) => ({ own: file(path, ["text"]), folder: file("/", []) }),
      want: () => ({ own: { type: "file", text: "" }, folder: { mode: "0755" } }),
      steps: ({ path }, { change }: never) => [(change as { own?: object }).own && write(path)],
    });
    const folder = { type: "directory", mode: "0700", owner: "root", group: "root" };
    const cases = casesOf(module).map((one) => ({ ...one, now: { ...one.now, folder } }));
    expect(broken(module, cases)).toContain('if only "folder" is not in the desired state, no step would change it');
  });

  test("reports links that throw on values that are not known yet", () => {
    const module = planted({
      want: (_p, now: never) => {
        const raw = Object.getOwnPropertyDescriptor(now, "own")?.value as string | typeof there;
        return { own: { type: "file", text: typeof raw === "symbol" && raw !== absent ? `${Number(raw)}` : "" } };
      },
    });
    expect(broken(module)).toMatch(/if own is not known yet, decide throws TypeError/);
    const results = planted({}).outputs(() => z.string().parse(undefined));
    expect(broken(results as never, casesOf(results as never))).toContain("outputs throws");
  });

  test("reports a wait that does not say what it waits for, and a task without a case in which it has nothing to do", () => {
    const wait = task(card)
      .facts(({ path }) => ({ own: file(path) }))
      .want(() => ({ own: {} }))
      .wait(() => ({ intervalSeconds: 0, deadlineSeconds: 1, consecutive: 0, waitsFor: "" }));
    const cases: readonly Case[] = [
      {
        title: "already up to date",
        call: wait({ path: "/a" }),
        now: { own: { ...there, text: undefined } },
        steps: [],
      },
    ];
    const laws = contractOf(wait, cases).join("\n");
    for (const says of ["interval and deadline", "consecutive must be", "waitsFor is not", "has to wait for"]) {
      expect(laws).toContain(says);
    }
    const acts = task(card)
      .facts(() => ({ own: ran("x") }))
      .want(() => ({ own: true }))
      .steps(() => [run`true`]);
    const once: Case = { title: "always", call: acts({ path: "/a" }), now: { own: false }, steps: ["true"] };
    expect(contractOf(acts, [once])).toEqual(["no case shows a host where nothing has to be done"]);
  });
});
