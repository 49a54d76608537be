/** Left by bin/furrow.js where it has turned V8's last compiler (TurboFan) off, which short runs are better without. */
const turn = Reflect.get(globalThis, Symbol.for("furrow.optimize")) as ((on: boolean) => void) | undefined;

let stays = false;

/** Hosts of a run from which on the code that TurboFan makes saves more than it costs (docs/decisions). */
const manyHosts = 100;

/** Turns TurboFan on for the rest of this process where a run has many hosts. */
export function optimizeFor(hosts: number): void {
  if (hosts < manyHosts || stays) return;
  stays = true;
  turn?.(true);
}

/** Does something that computes for long, with TurboFan turned on meanwhile: ten times as fast, if it is one hot loop. */
export function optimized<T>(act: () => T): T {
  if (stays || turn === undefined) return act();
  turn(true);
  try {
    return act();
  } finally {
    turn(false);
  }
}
