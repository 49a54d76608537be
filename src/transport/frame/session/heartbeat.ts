import { every, type Timer } from "../../../core/world.ts";
import { renewSeconds } from "./orders.ts";

/**
 * Sends a session's heartbeats through the session's own shell. A heartbeat that is due while a frame occupies that
 * shell is sent at the end of the frame; a long frame has its own heartbeats, through the second shell.
 */
export class Heartbeat {
  readonly #send: () => void;
  readonly #timer: Timer;
  #busy = false;
  #owed = false;

  constructor(send: () => void) {
    this.#send = send;
    this.#timer = every(renewSeconds * 1000, () => this.#due());
  }

  /** Records that a frame occupies the session's shell. Returns a function that records the frame's end. */
  during(): () => void {
    this.#busy = true;
    return () => {
      this.#busy = false;
      if (this.#owed) this.#due();
    };
  }

  /** Stops sending heartbeats. */
  end(): void {
    this.#timer.cancel();
  }

  #due(): void {
    this.#owed = this.#busy;
    if (!this.#busy) this.#send();
  }
}
