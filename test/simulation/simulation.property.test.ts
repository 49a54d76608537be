import { expect, test } from "vitest";
import { runScenario } from "./run-scenario.ts";
import { scenarioOf } from "./scenario.ts";
import { halfTimeout, simulateHalf } from "./simulate-half.ts";

test(
  "simulated runs end, report what the naive executor reports, and leave nothing behind",
  { timeout: halfTimeout },
  async () => {
    expect(await simulateHalf(0)).toEqual([]);
  },
);

/** Seeds that once revealed a bug; valid as long as scenarios are generated in the same way. */
const found: readonly (readonly [number, string])[] = [
  [1963, "hours of waiting for another run are reported"],
  [4175, "a runner that a waiting run has stopped goes on for its own run"],
  [395_839, "a run that has lost its host no longer reads there"],
  [425_019, "a run that has lost its host hears it before it waits"],
  [608_089, "a frame that is lost while it re-reads a change after its steps leaves what it read there"],
  [446_467, "a frame that is lost while the controller is asked leaves the task its known values"],
];

test.each(found)("seed %i: %s", async (seed) => {
  expect((await runScenario(scenarioOf(seed))).faults).toEqual([]);
});

test("a seed replays its run to the byte", async () => {
  for (const replayed of [4, 7, 25, 116, 265, 1120]) {
    const told = async (): Promise<string> => {
      const { operated, counts, virtualMs } = await runScenario(scenarioOf(replayed));
      return JSON.stringify({ events: operated.map(({ events }) => events), counts, virtualMs });
    };
    expect(await told()).toBe(await told());
  }
});
