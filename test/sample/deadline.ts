import { relative } from "node:path";
import { it, type RunnerTask, TestRunner, type VitestTestRunner } from "vitest";

/** A file that has started may start further tests until this many milliseconds after the deadline. */
const rest = 10 * 60_000;

/**
 * Starts no test file after `FURROW_DEADLINE` (milliseconds since 1970): each such file counts as one skipped test,
 * which the summary lists. Ten minutes later, the remaining tests of the running files are skipped, too. A test that
 * has begun is never interrupted. Without the variable, everything runs.
 */
export default class DeadlineRunner extends TestRunner {
  readonly #deadline = Number(process.env["FURROW_DEADLINE"] ?? Number.POSITIVE_INFINITY);

  override importFile(...[file, source]: Parameters<VitestTestRunner["importFile"]>): unknown {
    if (source !== "collect" || Date.now() < this.#deadline) return super.importFile(file, source);
    return it(`${relative(this.config.root, file)} (no time was left)`, ({ skip }) => skip());
  }

  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    if (Date.now() > this.#deadline + rest) {
      test.mode = "skip";
      // Without a result, reports count the test as unfinished, which is a failure.
      test.result = { state: "skip" };
    }
    await super.onBeforeRunTask(test);
  }
}
