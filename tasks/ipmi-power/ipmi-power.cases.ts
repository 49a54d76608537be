import type { Case } from "../../src/testing/index.ts";
import { ipmiPower } from "./ipmi-power.ts";

const bmc = { address: "bmc-1", user: "furrow", password: "example" };
const off = ipmiPower({ ...bmc, state: "off" });
const problem = { code: "no-ipmitool", message: "no ipmitool", hint: "Install it" };

/** What `ipmiPower` does, for each state of the machine. */
export const cases: readonly Case[] = [
  { title: "already off", call: off, now: { machine: { power: "off" } }, steps: [] },
  { title: "on, but must be off", call: off, now: { machine: { power: "on" } }, steps: ["switch bmc-1 off"] },
  {
    title: "off, but must be on",
    call: ipmiPower({ ...bmc, state: "on" }),
    now: { machine: { power: "off" } },
    steps: ["switch bmc-1 on"],
  },
  {
    title: "must be switched off and on",
    call: ipmiPower({ ...bmc, state: "cycled" }),
    now: { machine: { power: "on" }, cycle: false },
    steps: ["switch bmc-1 off and on"],
  },
  { title: "no answer", call: off, now: { machine: { problem } }, steps: [], refusal: "no-ipmitool" },
];
