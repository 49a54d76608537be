import { expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/index.ts";
import { registered } from "./registered.ts";

const ended = { load: "loaded", active: "inactive", state: "stopped", enabled: true, masked: false, since: 1 };
const unit = (more: object) => ({ ...ended, ...more });

test.each([
  ["without the service", absent, undefined],
  ["whose service is masked", unit({ load: "masked", masked: true, since: 0 }), undefined],
  ["that does not register itself", unit({ enabled: false, since: 0 }), undefined],
  ["that has registered since it booted", unit({}), undefined],
  ["whose service has not started yet", unit({ since: 0 }), "not-yet"],
  ["that registers now", unit({ active: "activating", state: "between" }), "not-yet"],
  ["whose registration failed", unit({ active: "failed" }), "not-registered"],
])("a machine %s", (_which, state, code) => {
  const { refusal } = explain(registered({ deadlineSeconds: 1 }), { unit: state });
  expect([refusal?.code, refusal?.final]).toEqual([code, code === "not-registered" ? true : undefined]);
});
