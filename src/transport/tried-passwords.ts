import type { FurrowError } from "../core/errors.ts";

/** One use of a password. Call exactly one of these methods when the result is known. */
export interface Sending {
  /** The password is correct: from now on it may be sent whenever needed. */
  accepted(this: void): void;
  /** The password is wrong: a later attempt to send it fails with this error. */
  refused(this: void, error: FurrowError): void;
  /** The host did not report a result. */
  untold(this: void): void;
}

/**
 * Remembers which passwords of a run worked, so that a wrong one is sent only once: some hosts lock an account after a
 * few failures. While it is unknown whether a password is correct, one caller sends it and the others wait for the
 * result. Once accepted, it is treated as correct for the rest of the run: a host that is starting up may refuse even
 * correct passwords.
 */
export class TriedPasswords {
  readonly #fates = new Map<string, Promise<FurrowError | "accepted" | "untold">>();

  /**
   * Waits until the password may be sent. `place` names the host, the program that asks there, and the password itself.
   * Throws the error of an earlier refusal.
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
