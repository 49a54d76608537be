import { expect, test } from "vitest";
import type { RunEvent } from "../core/events.ts";
import { RunText } from "./run-text.ts";

test("shows no header for a play in which --tags selects no task on any host", () => {
  const begun = (play: string, empty?: true): RunEvent => ({
    type: "playStarted",
    play,
    hosts: ["a"],
    ...(empty && { empty }),
  });
  const events = [begun("web", true), begun("db"), begun("mail", true)];
  const shown = (verbose: boolean): string[] => {
    const text = new RunText({ color: false, diff: false, verbose, fold: true, folder: "/home/me" });
    return events.flatMap((event) => text.lines(event, 0)).filter((line) => line !== "");
  };
  expect(shown(false)).toEqual(["play db  a"]);
  expect(shown(true)).toEqual(["play web  a", "play db  a", "play mail  a"]);
});
