import { relative } from "node:path";
import { it, TestRunner, type VitestTestRunner } from "vitest";

/**
 * Begins no test file after `FURROW_DEADLINE` (milliseconds since 1970): such a file counts as one skipped test, which
 * the summary names. Without the variable, every file runs. A file that has begun is never cut short.
 */
export default class DeadlineRunner extends TestRunner {
  override importFile(...[file, source]: Parameters<VitestTestRunner["importFile"]>): unknown {
    const deadline = Number(process.env["FURROW_DEADLINE"] ?? Number.POSITIVE_INFINITY);
    if (source !== "collect" || Date.now() < deadline) return super.importFile(file, source);
    return it(`${relative(this.config.root, file)} (no time was left)`, ({ skip }) => skip());
  }
}
