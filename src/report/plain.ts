import { Progress } from "./live/progress.ts";
import type { Report, ReportOptions } from "./report.ts";
import { RunText } from "./run-text.ts";

/** The interval, in milliseconds, at which held-back results are checked. */
const lookMs = 1000;
/**
 * A task that runs this long, in milliseconds, gets a progress line, and another line after each further interval of
 * this length.
 */
const workMs = 10_000;

/** The report for pipes, logs and CI: what changed, what failed and why, and a recap. */
export function plainReport(options: ReportOptions): Report {
  const text = new RunText(options);
  const progress = new Progress();
  let toldAt = Date.now();
  const write = (lines: readonly string[]): void => {
    if (lines.length > 0) options.write(`${lines.join("\n")}\n`);
  };
  const look = (): void => {
    write(text.due());
    const now = Date.now();
    if (now - toldAt < workMs) return;
    const working = progress.atWorkFor(workMs, now);
    // The interval restarts only with a printed line, so a task that begins later also gets its first line after
    // `workMs`.
    if (working.length > 0) toldAt = now;
    write(working.map((line) => text.working(line, now - line.since)));
  };
  const looks = setInterval(look, lookMs).unref();
  return {
    handle(event) {
      progress.handle(event, Date.now());
      write(text.lines(event));
    },
    async close() {
      clearInterval(looks);
      write(text.rest());
    },
  };
}
