import { factId } from "../../core/fact.ts";
import type { Host } from "../host/host.ts";
import { type Script, Tape } from "./sent-frame.ts";

/** Holds the tape that a host's run plays, if any, and the host's turn as long as it plays. */
export class Deck {
  readonly #warn: (text: string) => void;
  #playing: { readonly tape: Tape; readonly host: Host } | undefined;
  #turn: (() => void) | undefined;
  #surprised = false;

  constructor(warn: (text: string) => void) {
    this.#warn = warn;
  }

  /** The tape that plays. */
  get tape(): Tape | undefined {
    return this.#playing?.tape;
  }

  /** True once a guard has not held: a guess that is wrong of one thing would be wrong of all that are like it. */
  get surprised(): boolean {
    return this.#surprised;
  }

  /** Ends a tape whose frame was ended by a guard. */
  surprise(): void {
    this.#surprised = true;
    this.stop();
  }

  /** Sends a script to a host; from here on its tasks take their parts from the tape. */
  play(host: Host, script: Script, signal: AbortSignal): Tape {
    const tape = new Tape(host, script, signal);
    this.#playing = { tape, host };
    return tape;
  }

  /** Acts in one's turn on a host, which lasts until the tape that was begun in it has ended. */
  async inTurn<T>(host: Host, act: () => Promise<T>): Promise<T> {
    if (this.#turn !== undefined) return this.#act(act);
    this.#turn = await host.turn.take();
    return this.#act(act);
  }

  async #act<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      await this.abandon();
      throw error;
    } finally {
      if (this.#playing === undefined) this.#endTurn();
    }
  }

  #endTurn(): void {
    this.#turn?.();
    this.#turn = undefined;
  }

  /** Ends the tape where its frame has ended, and with it the turn; inside of a turn, that ends by itself. */
  stop(): void {
    this.#playing = undefined;
  }

  /**
   * Puts an end to a tape in whose middle the tasks went another way. Where it performed what no task took, that can only
   * be a mistake of furrow's: it is said, and nothing that is known of the host is believed any more.
   */
  async abandon(): Promise<void> {
    const playing = this.#playing;
    if (playing === undefined) return;
    const { tape, host } = playing;
    if (await tape.hasUntaken()) {
      const part = tape.next?.task ?? "?";
      this.#warn(
        `what was sent ahead for task ${part} does not match what the task now needs; furrow does the task again from the current state`,
      );
      host.knowledge.forgetAll();
    }
    host.knowledge.forget(tape.kept.map(({ fact }) => factId(fact)));
    this.stop();
  }

  /** Abandons the tape, and the turn with it. */
  async leave(): Promise<void> {
    await this.abandon();
    this.#endTurn();
  }
}
