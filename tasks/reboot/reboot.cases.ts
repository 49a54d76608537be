import type { Case } from "../../src/testing/index.ts";
import { reboot } from "./reboot.ts";

/** Test cases for `reboot`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  {
    title: "a package asks for a reboot",
    call: reboot({}),
    now: { needed: { needed: true, because: ["libc6"] } },
    steps: ["reboot"],
  },
  { title: "nothing asks for a reboot", call: reboot({}), now: { needed: { needed: false, because: [] } }, steps: [] },
  { title: "every time", call: reboot({ when: "always" }), now: { ran: false }, steps: ["reboot"] },
];
