import { redacted } from "../../report/redacted.ts";
import type { Report } from "../../report/report.ts";
import { printRedacted, wantsColor } from "../terminal.ts";

/** The flags that select how a run is shown. */
export interface ReportFlags {
  readonly json?: boolean | undefined;
  readonly diff?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  readonly "no-fold"?: boolean | undefined;
}

/**
 * Selects the report for this command line: JSON lines with --json; otherwise the live view on a terminal, and plain
 * lines elsewhere.
 */
export async function chooseReport(flags: ReportFlags): Promise<Report> {
  if (flags.json === true) return redacted((await import("../../report/json.ts")).jsonReport(printRedacted));
  const options = {
    color: wantsColor(process.stdout),
    diff: flags.diff ?? false,
    verbose: flags.verbose ?? false,
    fold: flags["no-fold"] !== true,
    folder: process.cwd(),
  };
  const { CI, TERM } = process.env;
  const drawable = process.stdout.isTTY && TERM !== "dumb" && (CI === undefined || CI === "");
  if (drawable) {
    const { liveReport } = await import("../../report/live/live.ts");
    return redacted(liveReport({ ...options, stdout: process.stdout, stderr: process.stderr }));
  }
  return redacted((await import("../../report/plain.ts")).plainReport({ ...options, write: printRedacted }));
}
