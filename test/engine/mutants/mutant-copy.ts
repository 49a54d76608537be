import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mutant } from "./mutant.ts";
import { placeOf } from "./mutant-place.ts";

const root = join(import.meta.dirname, "../../..");
const parts = [
  "src/core",
  "src/engine",
  "src/transport/simulated.ts",
  "src/transport/outside.ts",
  "src/transport/become.ts",
  "src/transport/shell",
  "src/transport/frame",
  "test/engine",
  "test/simulation",
  "test/seeded.ts",
  "package.json",
];
/** A mutant survives if this many playbooks do not detect it. */
const programs = 10_000;

/** A copy of the sources in which mutants are tested one at a time. */
export class MutantCopy {
  readonly #folder = mkdtempSync(join(tmpdir(), "furrow-mutants-"));
  /** The number of playbooks that it took to detect each mutant, keyed by name. */
  readonly killedAfter: Record<string, number> = {};

  constructor() {
    for (const part of ["src/transport", "test"]) mkdirSync(join(this.#folder, part), { recursive: true });
    for (const part of parts) cpSync(join(root, part), join(this.#folder, part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(this.#folder, "node_modules"));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * The number of playbooks after which the comparison failed with the mutant in place; undefined if it never failed.
   */
  async kill(mutant: Mutant): Promise<number | undefined> {
    const { name, mode } = mutant;
    const { path, source, mutated } = placeOf(this.#folder, mutant);
    writeFileSync(path, mutated);
    try {
      const count = await this.#playbooksUntilFailure(mode);
      if (count !== undefined) this.killedAfter[name] = count;
      return count;
    } finally {
      writeFileSync(path, source);
    }
  }

  #playbooksUntilFailure(mode: string): Promise<number | undefined> {
    const runner = join(this.#folder, "test/engine/mutants/mutant-run.ts");
    // Only the mutant's own file changes, so the rest is compiled once.
    const env = { ...process.env, NODE_COMPILE_CACHE: join(this.#folder, "compiled") };
    return new Promise((resolve, reject) => {
      const args = [runner, mode, String(programs)];
      execFile(process.execPath, args, { timeout: 600_000, env }, (error, stdout, stderr) => {
        if (!error) resolve(undefined);
        else if (error.code === 1 && /^\d+\n$/.test(stdout)) resolve(Number(stdout));
        else if (error.killed === true) resolve(programs);
        else reject(new Error(stderr));
      });
    });
  }
}
