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

/** Seeds that once revealed a bug. The seeds are valid as long as the generator of scenarios stays the same. */
const found: readonly (readonly [number, string])[] = [
  [1963, "hours of waiting for another run are reported"],
  [4175, "a run continues after a waiting run has stopped its runner"],
  [395_839, "a run that has lost its host stops reading from it"],
  [425_019, "a run that has lost its host learns of the loss before it waits"],
  [608_089, "a change that was verified after its steps stays verified although its frame is lost"],
  [446_467, "a task keeps the known facts although its frame is lost while the controller is queried"],
];

test.each(found)("seed %i: %s", async (seed) => {
  expect((await runScenario(scenarioOf(seed))).faults).toEqual([]);
});

test("a seed replays its run byte for byte", async () => {
  for (const replayed of [4, 7, 25, 116, 265, 1120]) {
    const told = async (): Promise<string> => {
      const { operated, counts, virtualMs } = await runScenario(scenarioOf(replayed));
      return JSON.stringify({ events: operated.map(({ events }) => events), counts, virtualMs });
    };
    expect(await told()).toBe(await told());
  }
});
