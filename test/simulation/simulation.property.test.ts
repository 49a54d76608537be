import { expect, test } from "vitest";
import { runScenario } from "./run-scenario.ts";
import { scenarioOf } from "./scenario.ts";
import { halfTimeout, simulateHalf } from "./simulate-half.ts";

test(
  "simulated runs end, are what the naive executor tells, and leave nothing behind",
  { timeout: halfTimeout },
  async () => {
    expect(await simulateHalf(0)).toEqual([]);
  },
);

/** What a seed found once, as long as scenarios are made as they were then. */
const found: readonly (readonly [number, string])[] = [
  [1963, "waits of hours for another run are no noise"],
  [4175, "a runner that a waiting run has stopped goes on for its own"],
  [395_839, "a run that has lost its host reads there no more"],
  [425_019, "a run that has lost its host is told so before it waits"],
  [608_089, "a frame lost while a change is looked at behind its steps leaves what was read there"],
  [446_467, "a frame lost while the controller is asked takes no known value away from the task"],
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
