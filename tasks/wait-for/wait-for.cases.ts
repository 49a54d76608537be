import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { waitFor } from "./wait-for.ts";

const there = { type: "file", mode: "0644", owner: "root", group: "root" };
const gone = waitFor({ path: "/run/app.pid", state: "absent" });

const behind = waitFor({ port: 22, tunnel: { sessionManager: { instance: "i-0123456789abcdef0" } } });
const jumped = waitFor({ port: 22, address: "10.0.0.7", proxyJump: "gate" });
const closed = { open: false, said: "no agent: TargetNotConnected", hint: "Check the agent", final: false } as const;

/** Test cases for `waitFor`: states, and whether the task accepts them. */
export const cases: readonly Case[] = [
  { title: "a port that is open", call: waitFor({ port: 6443 }), now: { port: { open: true } }, steps: [] },
  { title: "a port that is closed", call: waitFor({ port: 6443 }), now: { port: { open: false } }, steps: [] },
  { title: "an SSH server behind a tunnel", call: behind, now: { way: { open: true } }, steps: [] },
  { title: "a tunnel that cannot be opened yet", call: behind, now: { way: closed }, steps: [], refusal: "not-yet" },
  { title: "an SSH server behind a jump host", call: jumped, now: { way: { open: true } }, steps: [] },
  {
    title: "a jump host that refuses the login",
    call: jumped,
    now: { way: { ...closed, final: true } },
    steps: [],
    refusal: "not-yet",
  },
  { title: "a file that exists", call: waitFor({ path: "/run/app.pid" }), now: { path: there }, steps: [] },
  { title: "a file that does not exist", call: waitFor({ path: "/run/app.pid" }), now: { path: absent }, steps: [] },
  { title: "a file that must disappear", call: gone, now: { path: there }, steps: [] },
  { title: "a file that has disappeared", call: gone, now: { path: absent }, steps: [] },
  {
    title: "a host that has come up",
    call: waitFor({ cloudInit: true }),
    now: { cloudInit: { state: "done" } },
    steps: [],
  },
  {
    title: "a host that is still coming up",
    call: waitFor({ cloudInit: true }),
    now: { cloudInit: { state: "running" } },
    steps: [],
    refusal: "not-yet",
  },
];
