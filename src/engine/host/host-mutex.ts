/** Turns on one host: tasks of several plays' hosts never mix on it. */
export class Turn {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when all turns taken before have ended, with what ends this one. */
  async take(): Promise<() => void> {
    const before = this.#last;
    let end = (): void => {};
    this.#last = new Promise((resolve) => (end = resolve));
    await before;
    return end;
  }
}
