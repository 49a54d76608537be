import { expect, test } from "vitest";
import { recapOf } from "../../test/report/recorded-run.ts";
import type { RunEvent } from "../core/events.ts";
import { paintFor } from "./text/colours.ts";
import { profileLines, slowest } from "./profile.ts";

const paint = paintFor(false);
const finished = (more: Partial<Extract<RunEvent, { type: "runFinished" }>>): never =>
  ({ type: "runFinished", run: "r", mode: "apply", recap: [], durationMs: 1000, interrupted: false, ...more }) as never;

test("splits the time of a run by host, and lists the slowest tasks first, with the time of their steps on the host", () => {
  const tasks = [{ title: "package nginx", hostMs: 410, processes: 61 }];
  const profile = { connectMs: 120, frameMs: 700, hostMs: 450, processes: 80, tasks };
  const recap = [recapOf("web1", { changed: 1 }, { profile }), recapOf("db", {})];
  const timed = [
    { host: "web1", title: "file /etc/motd", ms: 3 },
    { host: "web1", title: "packages › package nginx", ms: 500 },
    { host: "web1", title: "user me", ms: 0.2 },
  ];
  expect(profileLines(finished({ recap, controller: { cpuMs: 460 } }), timed, paint)).toEqual([
    "",
    "profile",
    "  web1  3 round trips, 14.2 kB sent, 812 B received, 80 processes started",
    "        connect 0.1 s, host 0.5 s, link 0.3 s, controller 0.2 s",
    "  db    never connected",
    "",
    "slowest tasks",
    "  0.5 s  web1  packages › package nginx  (steps: 0.4 s, 61 processes)",
    "   3 ms  web1  file /etc/motd",
    "",
    "controller: 0.5 s of CPU, including startup",
  ]);
});

test("prints no profile for a run without measurements", () => {
  expect(profileLines(finished({}), [{ host: "a", title: "b", ms: 9 }], paint)).toEqual([]);
});

test("lists the ten slowest tasks", () => {
  const tasks = Array.from({ length: 30 }, (_, ms) => ({ host: "a", title: `t${ms}`, ms }));
  expect(slowest(tasks).map(({ ms }) => ms)).toEqual([29, 28, 27, 26, 25, 24, 23, 22, 21, 20]);
});
