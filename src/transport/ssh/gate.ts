/** Admits a limited number of callers at a time. The others wait in order. */
export class Gate {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  /** Waits for a place. Resolves to a function that releases the place. Throws `signal.reason`. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    let inside = true;
    return () => {
      if (inside) this.#leave();
      inside = false;
    };
  }

  /** Adds places, or removes them if the number is negative; then callers wait until enough others have left. */
  grow(places: number): void {
    this.#free += places;
    this.#admit();
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal.reason as Error);
      };
      const enter = (): void => {
        signal.removeEventListener("abort", abort);
        resolve();
      };
      signal.addEventListener("abort", abort, { once: true });
      this.#waiting.push(enter);
    });
  }

  #leave(): void {
    this.#free += 1;
    this.#admit();
  }

  #admit(): void {
    while (this.#free > 0) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#free -= 1;
      next();
    }
  }
}
