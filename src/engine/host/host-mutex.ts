/** Lets only one task at a time act on a host, even if the plays of several hosts act on it. */
export class HostMutex {
  #last: Promise<void> = Promise.resolve();

  /** Waits until all earlier turns have ended. Resolves to the function that ends this turn. */
  async take(): Promise<() => void> {
    const before = this.#last;
    let end = (): void => {};
    this.#last = new Promise((resolve) => (end = resolve));
    await before;
    return end;
  }
}
