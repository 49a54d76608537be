import { mayRefuse, refuse, seconds, task, z } from "../../src/authoring.ts";
import { tracking } from "./tracking.ts";

const params = z.strictObject({
  maxOffsetSeconds: z.number().positive().default(0.1).describe("Largest accepted offset of the clock from its source"),
  intervalSeconds: seconds().default(2).describe("Seconds between two checks"),
  deadlineSeconds: seconds().default(300).describe("Seconds after which the wait fails"),
});

/**
 * Waits until chronyd has synchronized the clock with a source. The host's own clock (`local`) does not count as a
 * source.
 */
export const chronySync = task({
  name: "chronySync",
  summary: "Wait until chronyd has synchronized the host's clock",
  params,
  examples: [{}, { maxOffsetSeconds: 0.01, deadlineSeconds: 60 }],
  title: () => "the clock is synchronized",
})
  .facts(() => ({ clock: mayRefuse(tracking(), []) }))
  .want((p, { clock: { synchronized, offset, problem, source } }) => {
    if (synchronized && Math.abs(offset) <= p.maxOffsetSeconds) return {};
    return refuse({
      code: "not-synchronized",
      message: synchronized
        ? "the clock differs too much from its source"
        : `chronyd is not following any source${problem === "" ? "" : `: ${problem}`}`,
      current: synchronized ? `${offset} s from ${source}` : "not synchronized",
      expected: `at most ${p.maxOffsetSeconds} s from a source`,
      hint: "Run chronyc sources on the host: the servers may be unreachable or refuse this host, or chronyd might not be running",
    });
  })
  .wait((p) => ({
    intervalSeconds: p.intervalSeconds,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: "chronyd to synchronize the clock",
  }));
