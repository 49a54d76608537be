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

test("a seed replays its run to the byte", async () => {
  for (const replayed of [4, 7, 25, 116, 265, 1120]) {
    const told = async (): Promise<string> => {
      const { operated, counts, virtualMs } = await runScenario(scenarioOf(replayed));
      return JSON.stringify({ events: operated.map(({ events }) => events), counts, virtualMs });
    };
    expect(await told()).toBe(await told());
  }
});
