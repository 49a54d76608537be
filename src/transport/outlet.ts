import type { Readable } from "node:stream";

/**
 * A listener of a {@link Channel} stream. If the listener returns a promise, the stream pauses until the promise
 * settles.
 */
export type ByteListener = (data: Uint8Array) => void | Promise<void>;

/** Number of bytes kept for a missing or busy listener before the stream is paused. */
const queueLimit = 1 << 20;

/**
 * Passes one output stream of a process to one listener. It keeps data that arrives before the listener is set, passes
 * chunks to the listener in order and one at a time, and pauses the source while the listener is busy.
 */
export class Outlet {
  /**
   * Resolves when the source has ended and the listener, if any, has received every byte. Rejects with the listener's
   * error.
   */
  readonly finished: Promise<void>;
  readonly #source: Readable;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #listener: ByteListener | undefined;
  #busy = false;
  #sourceEnded = false;
  #finish!: () => void;
  #fail!: (error: unknown) => void;

  constructor(source: Readable) {
    this.#source = source;
    this.finished = new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
    // The channel's `ended` reports this rejection.
    this.finished.catch(() => undefined);
    source.on("data", (chunk: Uint8Array) => this.#take(chunk));
    const end = (): void => {
      this.#sourceEnded = true;
      this.#pump();
    };
    source.once("end", end);
    source.once("close", end);
  }

  listen(listener: ByteListener): void {
    this.#listener = listener;
    this.#pump();
  }

  /** Drops queued and further data, so that the source can end. */
  discard(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#listener = () => undefined;
    this.#source.resume();
    this.#pump();
  }

  #take(chunk: Uint8Array): void {
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.length;
    this.#pump();
    if (this.#queuedBytes >= queueLimit) this.#source.pause();
  }

  #pump(): void {
    if (this.#busy) return;
    while (this.#listener !== undefined) {
      const chunk = this.#queue.shift();
      if (chunk === undefined) break;
      this.#queuedBytes -= chunk.length;
      if (this.#source.isPaused() && this.#queuedBytes < queueLimit) this.#source.resume();
      const pause = this.#call(chunk);
      if (pause !== undefined) {
        this.#wait(pause);
        return;
      }
    }
    if (this.#sourceEnded) this.#finish();
  }

  #call(chunk: Uint8Array): Promise<void> | undefined {
    try {
      return this.#listener?.(chunk) ?? undefined;
    } catch (error) {
      this.#broken(error);
      return undefined;
    }
  }

  #wait(pause: Promise<void>): void {
    this.#busy = true;
    pause
      .catch((error: unknown) => this.#broken(error))
      .finally(() => {
        this.#busy = false;
        this.#pump();
      })
      .catch(() => undefined);
  }

  #broken(error: unknown): void {
    this.#fail(error);
    this.discard();
  }
}
