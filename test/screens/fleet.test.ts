import { describe, expect, it } from "vitest";
import { liveReport } from "../../src/report/live/live.ts";
import { FakeTerminal } from "../report/fake-terminal.ts";
import { fleetNames, fleetRun, type Odd } from "../report/fleet.ts";
import type { Mode } from "../../src/core/events.ts";

const odds: Readonly<Record<string, Odd>> = {
  none: {},
  one: { edited: { web042: "welcome\nby hand\n" } },
  three: { edited: { web042: "welcome\nby hand\n" }, broken: ["web077"], down: ["web101"] },
  thirty: { broken: fleetNames(120).slice(30, 60) },
};

/** Everything that a terminal of this size has displayed at the end of a run on 120 hosts. */
async function screen(mode: Mode, odd: Odd, columns: number, rows: number): Promise<string[]> {
  const terminal = new FakeTerminal(columns, rows);
  const stream = terminal as unknown as NodeJS.WriteStream;
  const style = { color: false, diff: false, verbose: false, fold: true, folder: "/home/me" };
  const report = liveReport({ ...style, stdout: stream, stderr: stream });
  for (const event of fleetRun(mode, 120, odd)) report.handle(event);
  await report.close();
  return terminal.lines.map((line) => line.trimEnd());
}

/** 120 hosts with 4 tasks each, some with different results, on a small and a large terminal. */
describe.each([
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
])("a fleet on $columns columns", ({ columns, rows }) => {
  it.each([
    { mode: "check", odd: "none" },
    { mode: "check", odd: "one" },
    { mode: "apply", odd: "three" },
    { mode: "apply", odd: "thirty" },
  ] as const)("looks as recorded in mode $mode, with odd hosts: $odd", async ({ mode, odd }) => {
    const lines = await screen(mode, odds[odd] ?? {}, columns, rows);
    await expect(`${lines.join("\n").trimEnd()}\n`).toMatchFileSnapshot(
      `transcripts/fleet/${columns}-${mode}-${odd}.txt`,
    );
    expect(lines.length).toBeLessThanOrEqual(odd === "none" ? 24 : 50);
  });
});
