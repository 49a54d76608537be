/**
 * The switch that bin/furrow.js provides if it has turned off V8's optimizing compiler (TurboFan), which slows down
 * short runs.
 */
const turn = Reflect.get(globalThis, Symbol.for("furrow.optimize")) as ((on: boolean) => void) | undefined;

let stays = false;

/**
 * The minimum number of hosts in a run for which TurboFan's code saves more time than compiling it costs
 * (docs/decisions/project/029).
 */
const manyHosts = 100;

/** Turns TurboFan on for the rest of this process if a run has many hosts. */
export function optimizeFor(hosts: number): void {
  if (hosts >= manyHosts) optimizeAll();
}

/** Turns TurboFan on for the rest of this process, before a long computation. */
export function optimizeAll(): void {
  if (stays) return;
  stays = true;
  turn?.(true);
}

/** Runs a long computation with TurboFan turned on, which makes a single hot loop ten times as fast. */
export function optimized<T>(act: () => T): T {
  if (stays || turn === undefined) return act();
  turn(true);
  try {
    return act();
  } finally {
    turn(false);
  }
}
