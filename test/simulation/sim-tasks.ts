import { z } from "zod";
import { factId } from "../../src/core/facts/fact.ts";
import { isRecord } from "../../src/core/facts/symbols.ts";
import { task } from "../../src/core/authoring/task.ts";
import { cell } from "../engine/toy-tasks.ts";

const key = z.string();
const none = (): string[] => [];

/** The driver that answers for a simulated controller: `bench` can be read ahead, `bench-in-turn` cannot. */
export type BenchDriver = "bench" | "bench-in-turn";

interface Entry {
  readonly v: number;
  readonly names: readonly string[];
}

/** A fact about an entry on the controller's bench. */
const bench = (driver: BenchDriver, entry: string) => ({ driver, request: { entry } });

function entryOf(value: unknown): Entry {
  return isRecord(value) ? (value as unknown as Entry) : { v: 0, names: [] };
}

/** Like `file` with a source: copies an entry on the controller to a cell on the host. */
export const place = task({
  name: "place",
  summary: "Copy an entry on the controller to a cell",
  params: z.strictObject({ cell: key, entry: key, driver: z.enum(["bench", "bench-in-turn"]) }),
  examples: [],
  disturbs: none,
})
  .facts((p) => ({ source: bench(p.driver, p.entry), own: cell(p.cell) }))
  .want((_p, now) => ({ own: { v: entryOf(now.source).v } }))
  .steps((p, { now }) => [{ step: "run", argv: ["put", p.cell, JSON.stringify({ v: entryOf(now.source).v })] }]);

/** Like `directoryTree`: the controller says which cells should exist, and then they are read. */
export const tree = task({
  name: "tree",
  summary: "Set the cells that an entry on the controller names",
  params: z.strictObject({ prefix: key, entry: key, driver: z.enum(["bench", "bench-in-turn"]) }),
  examples: [],
  disturbs: none,
})
  .facts((p) => ({ source: bench(p.driver, p.entry) }))
  .facts((p, { source }) => ({ leaves: entryOf(source).names.map((name) => cell(`${p.prefix}${name}`)) }))
  .want((_p, now) => ({ leaves: entryOf(now.source).names.map(() => ({ v: entryOf(now.source).v })) }))
  .steps((p, { now }) =>
    entryOf(now.source).names.map((name) => ({
      step: "run",
      argv: ["put", `${p.prefix}${name}`, JSON.stringify({ v: entryOf(now.source).v })],
    })),
  );

/** Like a cloud task: acts on the controller in the middle of a play, and also reads the host. */
export const publish = task({
  name: "publish",
  summary: "Copy a cell's number to an entry on the controller",
  params: z.strictObject({ cell: key, entry: key }),
  examples: [],
  // The same entry under the name of the other driver.
  disturbs: (p) => [factId(bench("bench", p.entry))],
})
  .facts((p) => ({ there: bench("bench-in-turn", p.entry), own: cell(p.cell) }))
  .want((_p, now) => ({ there: { v: typeof now.own === "symbol" ? 9 : now.own.v } }))
  .steps((p, { now }) => [
    {
      step: "call",
      driver: "bench-in-turn",
      request: { entry: p.entry, v: typeof now.own === "symbol" ? 9 : now.own.v },
      label: `publish ${p.entry}`,
    },
  ]);

/** Like `fetch`: copies a cell on the host to a file on the controller. */
export const bring = task({
  name: "bring",
  summary: "Fetch a cell",
  params: z.strictObject({ cell: key, to: key }),
  examples: [],
  disturbs: none,
})
  .facts((p) => ({ own: cell(p.cell), local: { driver: "files", request: { path: p.to } } }))
  .want((_p, now) => ({ local: { v: typeof now.own === "symbol" ? -1 : now.own.v } }))
  .steps((p) => [{ step: "fetch", path: `/${p.cell}`, to: p.to, mode: "0600" }]);
