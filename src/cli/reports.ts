import { jsonReport } from "../report/json.ts";
import { liveReport } from "../report/live.ts";
import { plainReport } from "../report/plain.ts";
import { redacted } from "../report/redacted.ts";
import type { Report } from "../report/report.ts";
import { print, wantsColor } from "./terminal.ts";

/** The flags that choose how a run is shown. */
export interface ReportFlags {
  readonly json?: boolean | undefined;
  readonly diff?: boolean | undefined;
  readonly verbose?: boolean | undefined;
}

/** The report for this command line: JSON lines where asked, the live view on a terminal, else plain lines. */
export function chooseReport(flags: ReportFlags): Report {
  if (flags.json === true) return redacted(jsonReport(print));
  const options = {
    color: wantsColor(process.stdout),
    diff: flags.diff ?? false,
    verbose: flags.verbose ?? false,
    folder: process.cwd(),
  };
  const { CI, TERM } = process.env;
  const drawable = process.stdout.isTTY && TERM !== "dumb" && (CI === undefined || CI === "");
  return redacted(
    drawable
      ? liveReport({ ...options, stdout: process.stdout, stderr: process.stderr })
      : plainReport({ ...options, write: print }),
  );
}
