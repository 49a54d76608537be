import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { command } from "./command.ts";

const program = { path: "/usr/bin/make" };
const there = { type: "file", mode: "0644", owner: "root", group: "root" };
const base = { command: ["make", "install"] };
const creates = command({ ...base, creates: "/opt/app", stdin: "yes\n", env: { PREFIX: "/opt" } });
const removes = command({ ...base, removes: "/opt/app" });
const unless = command({ ...base, unless: ["test", "-e", "/opt/app"] });
const always = command({ command: "make | tee log", always: true });

/** Test cases for `command`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "nothing at `creates`", call: creates, now: { program, creates: absent }, steps: ["make install"] },
  { title: "something at `creates`", call: creates, now: { program, creates: there }, steps: [] },
  { title: "something at `removes`", call: removes, now: { program, removes: there }, steps: ["make install"] },
  { title: "nothing at `removes`", call: removes, now: { program, removes: absent }, steps: [] },
  { title: "`unless` fails", call: unless, now: { program, unless: { exitCode: 1 } }, steps: ["make install"] },
  { title: "`unless` succeeds", call: unless, now: { program, unless: { exitCode: 0 } }, steps: [] },
  { title: "a shell command that always runs", call: always, now: { ran: false }, steps: ["sh -c 'make | tee log'"] },
  {
    title: "no such program",
    call: creates,
    now: { program: absent, creates: absent },
    steps: [],
    refusal: "no-program",
  },
];
