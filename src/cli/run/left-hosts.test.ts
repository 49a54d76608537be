import { expect, test } from "vitest";
import { recapOf } from "../../../test/report/recorded-run.ts";
import { FurrowError } from "../../core/errors.ts";
import { LeftHosts } from "./left-hosts.ts";

const error = new FurrowError("E_STEP", { what: "no" });

function watched(plays: readonly string[][]): { left: LeftHosts; seen: () => object | undefined; pass: () => void } {
  let last: object | undefined;
  let now = 0;
  const left = new LeftHosts(
    plays,
    (to) => void (last = to),
    () => now,
  );
  return { left, seen: () => last, pass: () => void (now += 1000) };
}

test("records failed and unfinished hosts during a run, so that they are known even if the run is killed", () => {
  const { left, seen, pass } = watched([["a", "b", "c"], ["a"]]);
  expect(seen()).toEqual({ failed: [], unfinished: ["a", "b", "c"] });
  left.take({ type: "hostStopped", host: "b", outcome: "failed", error });
  expect(seen()).toEqual({ failed: ["b"], unfinished: ["a", "b", "c"] });
  pass();
  left.take({ type: "hostDone", host: "c" });
  expect(seen()).toEqual({ failed: ["b"], unfinished: ["a", "b"] });
  pass();
  left.take({ type: "hostDone", host: "a" });
  expect(seen()).toEqual({ failed: ["b"], unfinished: ["a", "b"] });
  pass();
  left.take({ type: "hostDone", host: "a" });
  expect(seen()).toEqual({ failed: ["b"], unfinished: ["b"] });
});

test("records the hosts that a run left unfinished", () => {
  const { left, seen } = watched([["a", "b", "c"]]);
  left.take({ type: "hostStopped", host: "b", outcome: "unreachable", error });
  const recap = [recapOf("a", {}), recapOf("b", {}, { end: "unreachable" }), recapOf("c", {}, { end: "notStarted" })];
  left.take({ type: "runFinished", run: "1", mode: "apply", durationMs: 1, interrupted: true, recap });
  expect(seen()).toEqual({ failed: ["b"], unfinished: ["b", "c"] });
});
