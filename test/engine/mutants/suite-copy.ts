import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeOf } from "./mutant-place.ts";
import type { RunMutant } from "./run-mutants.ts";

const root = join(import.meta.dirname, "../../..");

/** A copy of sources and tests in which mutants are tested one at a time. */
export class SuiteCopy {
  readonly #folder = mkdtempSync(join(tmpdir(), "furrow-run-mutants-"));

  constructor() {
    for (const part of ["bin", "src", "tasks", "test", "package.json", "tsconfig.json", "vitest.config.ts"])
      cpSync(join(root, part), join(this.#folder, part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(this.#folder, "node_modules"));
    // The setup of the host suite takes over the work of interrupted runs on this machine. No test in the copy needs
    // that setup.
    writeFileSync(join(this.#folder, "test/take-up.ts"), "export function setup() {}\n");
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** True if the tests that must detect these mutants pass. */
  async pass(mutants: readonly RunMutant[], seconds = 5): Promise<boolean> {
    const whole = new Set(mutants.filter(({ only }) => only === undefined).map(({ test }) => test));
    if (whole.size > 0 && !(await this.#pass([...whole], seconds))) return false;
    for (const { test, only, project } of mutants)
      if (only !== undefined && !(await this.#pass([test, "-t", only], seconds, project))) return false;
    return true;
  }

  /** True if a test fails with the mutant in place. Throws if the mutant does not match exactly one place. */
  async notices(mutant: RunMutant, seconds?: number): Promise<boolean> {
    const { path, source, mutated } = placeOf(this.#folder, mutant);
    writeFileSync(path, mutated);
    try {
      return !(await this.pass([mutant], seconds));
    } finally {
      writeFileSync(path, source);
    }
  }

  /** Throws if no test ran: such a run proves nothing. */
  async #pass(words: readonly string[], seconds: number, project = "unit"): Promise<boolean> {
    const vitest = join(this.#folder, "node_modules/vitest/vitest.mjs");
    const report = join(this.#folder, "report.json");
    const reporter = ["--reporter", "json", "--outputFile", report];
    const args = ["run", "--project", project, "--bail", "1", "--testTimeout", String(seconds * 1000), ...reporter];
    rmSync(report, { force: true });
    // The deadline applies only to the outer run, in which this whole inner run is part of a single test.
    const { FURROW_DEADLINE: _, ...env } = process.env;
    const passed = await new Promise<boolean>((resolve) => {
      const options = { cwd: this.#folder, env, timeout: 300_000 };
      execFile(process.execPath, [vitest, ...args, ...words], options, (error) => resolve(error === null));
    });
    if (!passed) return false;
    const { numPassedTests } = JSON.parse(readFileSync(report, "utf8")) as { numPassedTests: number };
    if (numPassedTests === 0) throw new Error(`no test ran: ${words.join(" ")}`);
    return true;
  }
}
