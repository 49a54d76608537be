import { Chalk } from "chalk";
import type { Outcome } from "../../core/events.ts";

/** Colors by meaning. */
export interface Paint {
  readonly good: (text: string) => string;
  readonly changed: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly unsure: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly strong: (text: string) => string;
}

const painters = new Map<boolean, Paint>();

/** Returns the color functions; without `color`, they return their text unchanged. */
export function paintFor(color: boolean): Paint {
  const known = painters.get(color);
  if (known !== undefined) return known;
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const paint = {
    good: chalk.green,
    changed: chalk.yellow,
    bad: chalk.red,
    unsure: chalk.magenta,
    dim: chalk.dim,
    strong: chalk.bold,
  };
  painters.set(color, paint);
  return paint;
}

/** Returns the color function for an outcome. */
export function paintOutcome(paint: Paint, outcome: Outcome): (text: string) => string {
  switch (outcome) {
    case "ok":
      return paint.good;
    case "changed":
      return paint.changed;
    case "skipped":
      return paint.dim;
    case "undecided":
      return paint.unsure;
    case "failed":
    case "unreachable":
      return paint.bad;
  }
}
