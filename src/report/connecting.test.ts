import { expect, it } from "vitest";
import { finished, label } from "../../test/report/recorded-run.ts";
import type { RunEvent } from "../core/events.ts";
import { RunText } from "./run-text.ts";

it("does not count connecting as part of the first task, but counts reconnecting as part of a reboot", () => {
  const [motd, reboot] = [label("0", "file /etc/motd"), label("1", "reboot")];
  const events: readonly RunEvent[] = [
    { type: "runStarted", run: "1", playbook: "p", mode: "apply", hosts: ["web1"], version: "0" },
    { type: "playStarted", play: "web", hosts: ["web1"] },
    { type: "taskStarted", host: "web1", task: motd, attempt: 1 },
    { type: "hostConnected", host: "web1", durationMs: 14_000 },
    finished("web1", motd, "changed", { durationMs: 14_200 }),
    { type: "taskStarted", host: "web1", task: reboot, attempt: 1 },
    { type: "hostConnected", host: "web1", durationMs: 20_000 },
    finished("web1", reboot, "changed", { durationMs: 21_000 }),
  ];
  const text = new RunText({ color: false, diff: false, verbose: false, fold: true, folder: "/" });
  expect(events.flatMap((event) => text.lines(event)).slice(3)).toEqual([
    "web1  changed      file /etc/motd",
    "web1  changed      reboot  21 s",
  ]);
});
