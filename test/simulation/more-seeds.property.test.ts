import { expect, test } from "vitest";
import { halfTimeout, simulateHalf } from "./simulate-half.ts";

test(
  "the other half of the simulated runs end, report what the naive executor reports, and leave nothing behind",
  {
    timeout: halfTimeout,
  },
  async () => {
    expect(await simulateHalf(1)).toEqual([]);
  },
);
