import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { block } from "../../core/authoring/group.ts";
import type { Play } from "../../core/authoring/playbook.ts";
import { FurrowError } from "../../core/errors.ts";
import type { ControllerFact, Json } from "../../core/facts/fact.ts";
import { task } from "../../core/authoring/task.ts";
import { type Absent, absent, knownAfterApply } from "../../core/facts/symbols.ts";
import { runPlays } from "../../../test/engine/runs.ts";
import { set } from "../../../test/engine/toy-tasks.ts";

interface Thing {
  readonly id: string;
}

/** The things that exist in the service, and the calls that it received. */
const there = new Map<string, Thing>();
const calls: string[] = [];
/** The names in the earlier requests, for each rehearsed call. */
const before: string[][] = [];
const refused = new Set<string>();

const thing = (name: string): ControllerFact<Thing | Absent> => ({ driver: "service", request: { name } });
const nameIn = (request: Json): string => (request as { readonly name: string }).name;
const service = {
  name: "service",
  read: (request: Json) => Promise.resolve(there.get(nameIn(request)) ?? absent),
  call: (request: Json) => {
    calls.push(`make ${nameIn(request)}`);
    there.set(nameIn(request), { id: "1" });
    return Promise.resolve(undefined);
  },
  rehearse: (request: Json, _signal: AbortSignal, earlier: readonly Json[]) => {
    before.push(earlier.map(nameIn));
    const name = nameIn(request);
    calls.push(`ask ${name}`);
    if (refused.has(name)) return Promise.reject(new FurrowError("E_REFUSED", { what: `${name} is not permitted` }));
    return Promise.resolve(name === "late" ? "nothing to ask about yet" : undefined);
  },
};
const drivers = () => Promise.resolve(service);

const make = task({
  name: "make",
  summary: "Make a thing",
  params: z.strictObject({ name: z.string() }),
  examples: [],
  title: ({ name }) => name,
})
  .facts(({ name }) => ({ thing: thing(name) }))
  .want(() => ({ thing: { id: "1" } }))
  .steps(({ name }) => [{ step: "call" as const, driver: "service", request: { name }, label: `make ${name}` }]);

const play = (tasks: Play<never>["tasks"]): Play<never>[] => [{ hosts: "all", tasks }];
const made = (): string[] => calls.filter((call) => call.startsWith("make"));

beforeEach(() => {
  there.clear();
  refused.clear();
  calls.length = 0;
  before.length = 0;
});

test("asks the driver about all calls before the first change, except calls of tasks that have nothing to change", async () => {
  there.set("b", { id: "1" });
  const list = play(() => [set({ cell: "one", v: 1 }), make({ name: "a" }), make({ name: "b" }), make({ name: "c" })]);
  await runPlays(list, { request: { drivers } });
  expect(calls).toEqual(["ask a", "ask c", "make a", "make c"]);
  calls.length = 0;
  await runPlays(list, { request: { drivers } });
  expect(calls).toEqual([]);
});

test("notes in check mode which calls cannot be asked about yet, and makes no call", async () => {
  const { events } = await runPlays(
    play(() => [make({ name: "late" })]),
    { mode: "check", request: { drivers } },
  );
  expect(events.find(({ type }) => type === "taskFinished")).toMatchObject({
    outcome: "changed",
    notes: ["not known in advance: make late (nothing to ask about yet)"],
  });
  expect(made()).toEqual([]);
});

test("notes in check mode that the calls depend on a value that is known only during the run", async () => {
  const guess = task({
    name: "guess",
    summary: "Make a thing from another one",
    params: z.strictObject({ name: z.string(), from: z.string() }),
    examples: [],
    title: ({ name }) => name,
  })
    .facts(({ name, from }) => ({ thing: thing(name), from: thing(from) }))
    .want(() => ({ thing: { id: "1" } }))
    .steps(({ name }, { now: { from } }) => [
      { step: "call" as const, driver: "service", request: { name, id: from === absent ? "" : from.id }, label: name },
    ]);
  const late = task({
    name: "late",
    summary: "Make a thing whose id the service chooses",
    params: z.strictObject({}),
    examples: [],
    title: () => "late",
  })
    .facts(() => ({ thing: thing("b") }))
    .want(() => ({ thing: { id: knownAfterApply } }))
    .steps(() => [{ step: "call" as const, driver: "service", request: { name: "b" }, label: "make b" }]);
  const { events } = await runPlays(
    play(() => [late({}), guess({ name: "a", from: "b" })]),
    { mode: "check", request: { drivers } },
  );
  expect(events.filter(({ type }) => type === "taskFinished").at(-1)).toMatchObject({
    notes: ["not known in advance: the calls depend on a value that is known only during the run"],
  });
  expect(made()).toEqual([]);
});

test("tells the driver which calls earlier tasks will make", async () => {
  await runPlays(
    play(() => [make({ name: "a" }), make({ name: "b" }), make({ name: "c" })]),
    { mode: "check", request: { drivers } },
  );
  expect(before).toEqual([[], ["a"], ["a", "b"]]);
});

test("makes no call if a later one would be refused", async () => {
  refused.add("b");
  const { result } = await runPlays(
    play(() => [make({ name: "a" }), make({ name: "b" })]),
    { request: { drivers } },
  );
  expect(result.errors[0]).toMatchObject({
    failure: { what: "b is not permitted", details: ['found before the first change, for the later task "b"'] },
  });
  expect(made()).toEqual([]);
});

test.each([
  ["its failure is ignored", () => make({ name: "b" }, { ignoreFailure: true })],
  ["a rescue catches its failure", () => block("risky", [make({ name: "b" })], { rescue: [] })],
  ["it is tried again", () => make({ name: "b" }, { retries: { times: 1, delaySeconds: 0 } })],
])("makes the first call even if a later one would be refused, because %s", async (_why, later) => {
  refused.add("b");
  await runPlays(
    play(() => [make({ name: "a" }), later()]),
    { request: { drivers } },
  );
  expect(made()).toContain("make a");
});
