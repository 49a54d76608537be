import type { Case } from "../../src/testing/index.ts";
import { chronySync } from "./chrony-sync.ts";

const call = chronySync({});
const clock = (more: object) => ({
  clock: { synchronized: true, source: "10.0.0.1", offset: 0.001, problem: "", ...more },
});

/** Test cases for `chronySync`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "synchronized", call, now: clock({}), steps: [] },
  { title: "too far from the source", call, now: clock({ offset: -3 }), steps: [], refusal: "not-synchronized" },
  { title: "no source", call, now: clock({ synchronized: false, source: "" }), steps: [], refusal: "not-synchronized" },
  {
    title: "chronyd is not running",
    call,
    now: clock({ synchronized: false, source: "", problem: "506 Cannot talk to daemon" }),
    steps: [],
    refusal: "not-synchronized",
  },
];
