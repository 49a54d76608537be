import { FurrowError } from "../../../core/errors.ts";
import type { Channel } from "../../../core/host/transport.ts";
import { after } from "../../../core/world.ts";
import { brokenProtocol } from "../protocol-error.ts";

/** Maximum number of characters in a line, and of unread answers. A tree produces one answer for each file. */
const [lineBytes, waitingAnswers] = [65_536, 200_000];

/** A shell that reads lines and bytes, and answers with lines that begin with a nonce. */
export class Lane {
  readonly #shell: Channel;
  readonly #nonce: string;
  readonly #stallMs: number;
  readonly #answers: string[] = [];
  #rest = "";
  #said = "";
  #wake: () => void = () => {};
  #over: { readonly code: number | undefined } | { readonly error: unknown } | undefined;

  /** `stallMs`: maximum milliseconds to wait for an answer, or for bytes to be read. */
  constructor(shell: Channel, nonce: string, stallMs: number) {
    this.#shell = shell;
    this.#nonce = nonce;
    this.#stallMs = stallMs;
    shell.onStdout((data) => this.#take(Buffer.from(data).toString("latin1")));
    shell.onStderr((data) => {
      this.#said = (this.#said + Buffer.from(data).toString("utf8")).slice(-2000);
    });
    shell.ended.then(
      ({ code }) => this.#end({ code }),
      (error: unknown) => this.#end({ error }),
    );
  }

  /** The shell's error messages, or an empty string. */
  get said(): string {
    return this.#said.trim();
  }

  /** The shell's exit code, once the shell has ended by itself. */
  get code(): number | undefined {
    return this.#over !== undefined && "code" in this.#over ? this.#over.code : undefined;
  }

  /**
   * The next answer, as words without the nonce. Undefined when the shell has ended. Throws the error of a lost link.
   */
  async next(): Promise<readonly string[] | undefined> {
    for (;;) {
      const line = this.#answers.shift();
      if (line !== undefined) return line.split(" ");
      if (this.#over !== undefined) {
        if ("error" in this.#over) throw this.#over.error;
        return undefined;
      }
      await this.#inTime(new Promise<void>((resolve) => (this.#wake = resolve)));
    }
  }

  /**
   * Writes data to the shell. Resolves to false if the shell ended before it had read everything. Throws the error of a
   * lost link.
   */
  async write(data: string | Uint8Array): Promise<boolean> {
    try {
      await this.#inTime(this.#shell.write(typeof data === "string" ? Buffer.from(data) : data));
      return true;
    } catch {
      if (this.#over !== undefined && "error" in this.#over) throw this.#over.error;
      // Wait until the shell has ended: its result contains the reason.
      await this.#shell.ended;
      return false;
    }
  }

  /** Ends the shell without waiting for it. */
  destroy(): void {
    this.#shell.destroy();
  }

  async #inTime<T>(act: Promise<T>): Promise<T> {
    const timer = after(
      this.#stallMs,
      () => {
        this.#end({ error: standsStill(this.#stallMs) });
        this.destroy();
        stop(standsStill(this.#stallMs));
      },
      { idle: true },
    );
    const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
    try {
      return await Promise.race([act, stopped]);
    } finally {
      timer.cancel();
    }
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > lineBytes || this.#answers.length > waitingAnswers) {
      this.#end({ error: brokenProtocol("the host sent unexpected output instead of the answers to a transfer") });
      this.destroy();
      return;
    }
    for (const line of lines) {
      const answer = line.replace(/\r$/, "");
      if (answer.startsWith(`${this.#nonce} `)) this.#answers.push(answer.slice(this.#nonce.length + 1));
    }
    this.#wake();
  }

  /** Notes how the shell ended; only the first call has an effect. */
  #end(over: { readonly code: number | undefined } | { readonly error: unknown }): void {
    this.#over ??= over;
    this.#wake();
  }
}

function standsStill(ms: number): FurrowError {
  return new FurrowError("E_UNREACHABLE", {
    what: `the host has neither read nor answered for ${ms / 1000} s while a file was sent`,
    hint: "Find out why writing hangs on the host (a slow or broken disk?), or raise --stall-timeout, then rerun",
  });
}
