import { expect, test } from "vitest";
import type { Driver } from "../../src/core/host/driver.ts";
import { on } from "../../src/core/authoring/group.ts";
import type { Play } from "../../src/core/authoring/playbook.ts";
import { place, publish } from "../simulation/sim-tasks.ts";
import { runPlays } from "./runs.ts";

/** A driver with one entry, which starts at 0. */
function bench(): Driver {
  let entry = { v: 0, names: [] };
  return {
    name: "bench-in-turn",
    read: () => Promise.resolve(structuredClone(entry)),
    call: (request) => Promise.resolve(void (entry = { ...entry, v: (request as { v: number }).v })),
  };
}

const put = (cell: string) => place({ cell, entry: "e", driver: "bench-in-turn" });

test.each([
  ["in another play", [[put("one")], [on("b", [publish({ cell: "c", entry: "e" })])], [put("two")]]],
  ["in the same play", [[put("one"), on("b", [publish({ cell: "c", entry: "e" })]), put("two")]]],
])("a change by the controller %s is visible to the next task that reads the fact", async (_where, lists) => {
  const driver = bench();
  const plays = lists.map((tasks): Play<never> => ({ hosts: "a", tasks: () => tasks }));
  const { cells, result } = await runPlays(plays, {
    hosts: ["a", "b"],
    cells: { c: { v: 7, w: "" } },
    request: { drivers: () => Promise.resolve(driver) },
  });
  expect(result.errors).toEqual([]);
  expect(cells["a"]).toMatchObject({ one: 0, two: 7 });
});
