/** Lets one task at a time act on a host, even if plays of several hosts act on it. */
export class HostMutex {
  #last: Promise<void> = Promise.resolve();

  /** Waits until all earlier turns have ended. Resolves with the function that ends this turn. */
  async take(): Promise<() => void> {
    const before = this.#last;
    let end = (): void => {};
    this.#last = new Promise((resolve) => (end = resolve));
    await before;
    return end;
  }
}
