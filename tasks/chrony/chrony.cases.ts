import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { chrony } from "./chrony.ts";

const file = (text: string): object => ({ type: "file", mode: "0644", owner: "root", group: "root", text });
const call = chrony({ servers: ["ntp-1"], allow: ["10.0.0.0/8"] });
const lines = "server ntp-1 iburst\nallow 10.0.0.0/8\nmakestep 1 3\n";

/** Test cases for `chrony`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already up to date", call, now: { configs: [file(`rtcsync\n${lines}`), absent] }, steps: [] },
  {
    title: "Debian's own pool",
    call,
    now: { configs: [file("pool 2.debian.pool.ntp.org iburst\nrtcsync\n"), absent] },
    steps: ["write /etc/chrony/chrony.conf"],
  },
  {
    title: "SUSE and Red Hat",
    call,
    now: { configs: [absent, file("server old\n")] },
    steps: ["write /etc/chrony.conf"],
  },
  { title: "not installed", call, now: { configs: [absent, absent] }, steps: [], refusal: "no-chrony" },
];
