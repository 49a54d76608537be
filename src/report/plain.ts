import type { Report, ReportOptions } from "./report.ts";
import { RunText } from "./run-text.ts";

/** How often what is held back is looked at, in milliseconds. */
const lookMs = 1000;

/** Lines for pipes, logs and continuous integration: what changed, what failed and why, and a recap. */
export function plainReport(options: ReportOptions): Report {
  const text = new RunText(options);
  const write = (lines: readonly string[]): void => {
    if (lines.length > 0) options.write(`${lines.join("\n")}\n`);
  };
  const looks = setInterval(() => write(text.due()), lookMs).unref();
  return {
    handle: (event) => write(text.lines(event)),
    async close() {
      clearInterval(looks);
      write(text.rest());
    },
  };
}
