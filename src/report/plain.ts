import type { Report, ReportOptions } from "./report.ts";
import { RunText } from "./run-text.ts";

/** Lines for pipes, logs and continuous integration: what changed, what failed and why, and a recap. */
export function plainReport(options: ReportOptions): Report {
  const text = new RunText(options);
  return {
    handle(event) {
      const lines = text.lines(event);
      if (lines.length > 0) options.write(`${lines.join("\n")}\n`);
    },
    close: async () => {},
  };
}
