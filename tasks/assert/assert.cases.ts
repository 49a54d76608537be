import type { Case } from "../../src/testing/index.ts";
import { assert } from "./assert.ts";

/** Test cases for `assert`: conditions, and how the task reacts to them. */
export const cases: readonly Case[] = [
  {
    title: "all conditions hold",
    call: assert({ that: [{ check: true, message: "fewer than 8 CPUs" }] }),
    now: {},
    steps: [],
  },
  {
    title: "one condition fails",
    call: assert({
      that: [
        { check: true, message: "fewer than 8 CPUs" },
        { check: false, message: "no /dev/kvm", hint: "Turn nested virtualization on" },
      ],
    }),
    now: {},
    steps: [],
    refusal: "assertion-failed",
  },
];
