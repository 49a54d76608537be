import { type Outside, type Program, cells } from "./programs.ts";
import { glanceAt, probe } from "./toy-probe.ts";
import * as toy from "./toy-tasks.ts";
import type { Vocabulary } from "./vocabulary.ts";

const nameOf = (cell: number): string => `c${cell}`;

const probed = Array.from({ length: cells }, (_, cell) => nameOf(cell));

/** The operations for simulated hosts, on which every cell is a toy cell. */
export const toyVocabulary: Vocabulary = {
  set(cell, { v, w, gone }, leaf, options) {
    const leaves = [{ v }, { w }, { v, w }][leaf];
    return [toy.set({ cell: nameOf(cell), ...(gone ? { gone: true } : leaves) }, options)];
  },
  raise: (cell, min) => toy.raise({ cell: nameOf(cell), min }),
  probe: (cell, declared) => probe({ cell: nameOf(cell), declared }),
  follow: (cell, v) => toy.follow({ cell: nameOf(cell), v }),
  await: (cell, v) => toy.awaitCell({ cell: nameOf(cell), v }),
  copy: (from, to) => toy.copy({ from: nameOf(from), to: nameOf(to) }),
  provide: (cell, target, v) => toy.provide({ cell: nameOf(cell), target: nameOf(target), v }),
  disturb: (cell, target, v) => toy.disturb({ cell: nameOf(cell), target: nameOf(target), v }),
  wreak: (cell, target, v) => toy.wreak({ cell: nameOf(cell), target: nameOf(target), v }),
  risky: ({ cell, way, times, ignored }) =>
    toy.risky(
      { cell: nameOf(cell), way, times },
      { ignoreFailure: ignored, ...(way === "flaky" && { retries: { times: 1, delaySeconds: 0 } }) },
    ),
  fill: (cell) => toy.fillUp({ cell: nameOf(cell) }),
  say: (text, about) => toy.say({ text, about: nameOf(about) }),
  use: (cell, source) => toy.set({ cell: `u${cell}`, w: source.output.map(String) }),
  conditional: (cell, when) => toy.set({ cell: `k${cell}`, v: 1 }, { when }),
};

/** The initial state of a program's hosts; the host `other` has only every second cell. */
export function stateOf(program: Program, host: "main" | "other"): Map<string, unknown> {
  const names = [...Array.from({ length: cells }, (_, cell) => nameOf(cell)), "t0", "t1", "t2"];
  const state = new Map<string, unknown>(
    names.flatMap((name, position) => {
      const cell = program.state[position];
      return cell && (host === "main" || position % 2 === 0) ? [[`cell:${name}`, cell] as const] : [];
    }),
  );
  glanceAt(probed, state);
  return state;
}

/**
 * Executes the steps on one simulated host, together with the changes that a third party makes during these steps. The
 * returned function counts steps, so each run needs a new one.
 */
export function performAmong(outside: Outside | undefined): typeof toy.performToy {
  let seen = 0;
  return (argv, state) => {
    const meets = outside !== undefined && (argv[0] === "put" || argv[0] === "provide") && (seen += 1) === outside.nth;
    const meddle = (): void => {
      if (!meets) return;
      const id = `cell:${argv[1]}`;
      state.set(id, { w: outside.w, ...(state.get(id) as object | undefined), v: outside.v });
    };
    if (outside?.late !== true) meddle();
    const result = toy.performToy(argv, state);
    if (outside?.late === true) meddle();
    glanceAt(probed, state);
    return result;
  };
}
