/** Lets one task at a time act on a host, also where several hosts' plays act on it. */
export class HostMutex {
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
