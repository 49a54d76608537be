import { expect, test } from "vitest";
import { halfTimeout, simulateHalf } from "./simulate-half.ts";

test(
  "the other half of the simulated runs ends, reports what the naive executor reports, and leaves nothing behind",
  {
    timeout: halfTimeout,
  },
  async () => {
    expect(await simulateHalf(1)).toEqual([]);
  },
);
