import type { FurrowError } from "../../../core/errors.ts";
import type { FrameListener } from "../../../core/host/frame.ts";
import { now } from "../../../core/world.ts";

/** Reports a lost connection twice: when it is lost, and when it is back. */
export class LossReport {
  readonly #listener: Pick<FrameListener, "notice" | "lost">;
  readonly #reconnectSeconds: number;
  /** The first loss since the last report by `back`. `told`: true if `tell` has reported it. */
  #loss: { readonly at: number; readonly error: FurrowError; told: boolean } | undefined;

  /** `reconnectSeconds`: how long furrow tries to reopen the connection. */
  constructor(listener: Pick<FrameListener, "notice" | "lost">, reconnectSeconds: number) {
    this.#listener = listener;
    this.#reconnectSeconds = reconnectSeconds;
  }

  /** Call this when the connection is lost. */
  occurred(error: FurrowError): void {
    this.#loss ??= { at: now(), error, told: false };
  }

  /** Reports, only once, that the connection was lost and is being reopened. */
  tell(): void {
    if (!this.#loss || this.#loss.told) return;
    this.#loss.told = true;
    const text = `connection lost${why(this.#loss.error)}, reconnecting for up to ${this.#reconnectSeconds} s`;
    this.#listener.lost?.(text);
  }

  /** Reports, only once, that the connection is back. `then` is appended to the message. */
  back(then = ""): void {
    if (!this.#loss) return;
    const { at, error } = this.#loss;
    this.#loss = undefined;
    const seconds = Math.max(1, Math.round((now() - at) / 1000));
    const text = `the connection was lost${why(error)}; connected again after ${seconds} s${then}`;
    this.#listener.notice?.(text, "back");
  }
}

function why({ failure: { current } }: FurrowError): string {
  return current === undefined ? "" : ` (${current})`;
}
