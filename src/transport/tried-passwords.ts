import type { FurrowError } from "../core/errors.ts";

/** One sending of a password; exactly one of these is to be called once it is known what came of it. */
export interface Sending {
  /** It is right: from here on it may be sent whenever it is needed. */
  accepted(this: void): void;
  /** It is wrong: whoever would send it again gets this error. */
  refused(this: void, error: FurrowError): void;
  /** The far end has said nothing about it. */
  untold(this: void): void;
}

/**
 * What became of the passwords of a run, so that a wrong one is sent once: some hosts lock an account after a few. As
 * long as nobody knows whether a password is right, one sends it and the others wait for what comes of it. One that was
 * accepted once counts as right for the rest of the run: a host that is starting up refuses right ones, too.
 */
export class TriedPasswords {
  readonly #fates = new Map<string, Promise<FurrowError | "accepted" | "untold">>();

  /**
   * Waits until the password may be sent. `place` names the host, who asks there and the password itself. Throws the
   * error of the earlier refusal.
   */
  async send(place: string): Promise<Sending> {
    for (let fate = this.#fates.get(place); fate !== undefined; fate = this.#fates.get(place)) {
      const known = await fate;
      if (known === "accepted") return { accepted: () => {}, refused: () => {}, untold: () => {} };
      if (known !== "untold") throw known;
      if (this.#fates.get(place) === fate) this.#fates.delete(place);
    }
    const { promise, resolve } = Promise.withResolvers<FurrowError | "accepted" | "untold">();
    this.#fates.set(place, promise);
    return { accepted: () => resolve("accepted"), refused: resolve, untold: () => resolve("untold") };
  }
}
