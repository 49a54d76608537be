import type { Case } from "../../src/testing/index.ts";
import { redfishPower } from "./redfish-power.ts";

const bmc = { url: "https://bmc-1.example.org", user: "furrow", password: "example" };
const off = redfishPower({ ...bmc, state: "off" });
const ways = ["On", "ForceOff", "GracefulShutdown"];
const at = (power: string, offers: readonly string[] | undefined = ways) => ({ machine: { power, ways: offers } });
const problem = { code: "no-answer", message: "bmc-1.example.org does not say", hint: "Check the address" };

/** What `redfishPower` does, for each state of the machine. */
export const cases: readonly Case[] = [
  { title: "already off", call: off, now: at("off"), steps: [] },
  { title: "on, but must be off", call: off, now: at("on"), steps: ["switch bmc-1.example.org off"] },
  { title: "between on and off", call: off, now: at("powering off"), steps: ["switch bmc-1.example.org off"] },
  { title: "cannot be asked to shut down", call: off, now: at("on", ["ForceOff"]), steps: [], refusal: "no-shutdown" },
  {
    title: "cannot be asked to shut down, but its power may be cut",
    call: redfishPower({ ...bmc, state: "off", force: true }),
    now: at("on", ["ForceOff"]),
    steps: ["switch bmc-1.example.org off"],
  },
  {
    title: "off, but must be on",
    call: redfishPower({ ...bmc, state: "on" }),
    now: at("off"),
    steps: ["switch bmc-1.example.org on"],
  },
  { title: "already on", call: redfishPower({ ...bmc, state: "on" }), now: at("on"), steps: [] },
  {
    title: "must be switched off and on",
    call: redfishPower({ ...bmc, state: "cycled", system: "1" }),
    now: { ...at("on"), cycle: false },
    steps: ["switch bmc-1.example.org 1 off and on"],
  },
  { title: "no answer", call: off, now: { machine: { problem } }, steps: [], refusal: "no-answer" },
];
