import type { RunOptions } from "../playbooks/deployment.ts";
import { histogram, seeded, tortureSeed } from "../seeded.ts";
import type { KilledPlaybook, Life } from "./killed-playbook.ts";
import { drawMoment } from "./moments.ts";

/** Throws if the run did not succeed. The error is short, because a suite's summary shows only short lines. */
export function ended({ code, text }: Life): void {
  if (code === 0) return;
  const lines = text.trimEnd().split("\n");
  const errors = lines.flatMap(errorIn);
  throw new Error(`exit code ${code}\n${(errors.length > 0 ? errors : lines.slice(-6)).join("\n")}`);
}

/** The parts of the error in a JSON line, each as a separate line. */
function errorIn(line: string): string[] {
  if (!line.startsWith("{") || !line.includes('"error":')) return [];
  const { task, error } = JSON.parse(line) as { task?: { title: string }; error: Record<string, unknown> };
  return [task?.title ?? "host", ...Object.entries(error).map(([name, part]) => `  ${name}: ${JSON.stringify(part)}`)];
}

/** Kills each playbook once, at a moment drawn from the seed, and counts where the kills occurred. */
export class KilledOnce {
  readonly #killed: KilledPlaybook;
  readonly #random = seeded(tortureSeed);
  readonly #counts = new Map<string, number>();
  #hits = 0;

  constructor(killed: KilledPlaybook) {
    this.#killed = killed;
    process.stdout.write(`FURROW_TORTURE_SEED=${tortureSeed}\n`);
  }

  /** How many runs were killed. The other runs finished before the signal reached them. */
  get hits(): number {
    return this.#hits;
  }

  /**
   * Runs a playbook and kills the run at a moment that every run reaches, however fast the run is.
   *
   * @param calm the undisturbed run
   * @returns true if it was killed
   */
  async kill(book: RunOptions, calm: Life): Promise<boolean> {
    const moment = drawMoment(calm, this.#random);
    const life = await this.#killed.run(book, moment);
    const isHit = life.code === null;
    if (!isHit) ended(life);
    const where = "start" in moment ? (life.started.at(moment.start - 1) ?? life.last) : life.last;
    const name = `${book.playbook} ${isHit ? `in ${where}` : `not hit: ${JSON.stringify(moment)}`}`;
    process.stdout.write(`${name}\n`);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    if (isHit) this.#hits += 1;
    return isHit;
  }

  /** Runs a playbook, kills the run once, and lets a second run finish. */
  async survive(book: RunOptions, calm: Life): Promise<void> {
    await this.kill(book, calm);
    ended(await this.#killed.run(book));
  }

  /** Prints where the runs were killed. */
  print(title: string): void {
    process.stdout.write(`${histogram(title, this.#counts)}\n`);
  }
}
