import { expect, test } from "vitest";
import { z } from "zod";
import { task } from "../../src/core/authoring/task.ts";
import { FurrowError } from "../../src/core/errors.ts";
import type { Json } from "../../src/core/facts/fact.ts";
import { type Absent, absent } from "../../src/core/facts/symbols.ts";
import { runPlays } from "./runs.ts";

/** A service whose calls finish only when all the expected calls have begun, so they must run in parallel. */
function serviceFor(together: number, refusesOnce: readonly string[] = []) {
  const calls: string[] = [];
  const made = new Set<string>();
  const asked = new Set<string>();
  let running = 0;
  let begin: (() => void)[] = [];
  const service = {
    name: "service",
    read: (request: Json) => Promise.resolve(made.has(request as string) ? ("there" as const) : absent),
    call: async (request: Json) => {
      const name = request as string;
      calls.push(`begin ${name}`);
      running += 1;
      await new Promise<void>((resolve) => {
        begin.push(resolve);
        if (running >= together || name.startsWith("last")) begin.forEach((one) => one());
      });
      begin = [];
      calls.push(`end ${name}`);
      if (refusesOnce.includes(name) && !asked.has(name)) {
        asked.add(name);
        throw new FurrowError("E_DRIVER", { what: `${name} is refused` });
      }
      made.add(name);
    },
  };
  return { calls, drivers: () => Promise.resolve(service) };
}

/** A task that creates objects; those with the same letter are created in parallel. */
const make = task({
  name: "make",
  summary: "Make things",
  params: z.strictObject({ names: z.array(z.string()) }),
  examples: [],
})
  .facts(({ names }) => ({
    things: names.map((name) => ({
      driver: "service",
      request: name,
      value: undefined as unknown as "there" | Absent,
    })),
  }))
  .want(({ names }) => ({ things: names.map(() => "there" as const) }))
  .steps(({ names }) =>
    names.map((name) => ({
      step: "call" as const,
      driver: "service",
      request: name,
      label: `make ${name}`,
      alongside: name.slice(0, 1),
    })),
  );

test("calls that do not depend on each other run at the same time, and later calls begin after them", async () => {
  const { calls, drivers } = serviceFor(3);
  const names = ["a1", "a2", "a3", "last"];
  const run = await runPlays([{ hosts: "all", tasks: () => [make({ names })] }], {
    hosts: ["h"],
    request: { drivers },
  });
  expect(run.result.failed).toEqual([]);
  expect(calls.slice(0, 3)).toEqual(["begin a1", "begin a2", "begin a3"]);
  expect(calls.slice(3, 6).toSorted()).toEqual(["end a1", "end a2", "end a3"]);
  expect(calls.slice(6)).toEqual(["begin last", "end last"]);
});

test("a call that needs an earlier one is repeated once the earlier one has finished, and the rest follows in order", async () => {
  const { calls, drivers } = serviceFor(2, ["a2"]);
  const names = ["a1", "a2", ...Array.from({ length: 9 }, (_, at) => `a${at + 3}`)];
  const run = await runPlays([{ hosts: "all", tasks: () => [make({ names })] }], {
    hosts: ["h"],
    request: { drivers },
  });
  expect(run.result.failed).toEqual([]);
  expect(calls.filter((call) => call === "begin a2")).toHaveLength(2);
});

test("the task fails with the error of the first call that fails twice, and later calls do not begin", async () => {
  const calls: string[] = [];
  const service = {
    name: "service",
    read: () => Promise.resolve(absent),
    call: async (request: Json) => {
      calls.push(request as string);
      await new Promise((resolve) => setTimeout(resolve, 1));
      throw new FurrowError("E_DRIVER", { what: `${request as string} is refused` });
    },
  };
  const names = Array.from({ length: 80 }, (_, at) => `a${at}`);
  const run = await runPlays([{ hosts: "all", tasks: () => [make({ names })] }], {
    hosts: ["h"],
    request: { drivers: () => Promise.resolve(service) },
  });
  expect(run.result.failed).toEqual(["h"]);
  expect(calls).toHaveLength(9);
  expect(calls.at(-1)).toBe("a0");
  expect(JSON.stringify(run.events)).toContain("a0 is refused");
});
