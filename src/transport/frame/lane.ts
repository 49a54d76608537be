import type { Channel } from "../../core/transport.ts";

/** A shell that takes lines and bytes, and answers with lines that begin with a nonce. */
export class Lane {
  readonly #shell: Channel;
  readonly #nonce: string;
  readonly #answers: string[] = [];
  #rest = "";
  #said = "";
  #wake: () => void = () => {};
  #over: { readonly code: number | undefined } | { readonly error: unknown } | undefined;

  constructor(shell: Channel, nonce: string) {
    this.#shell = shell;
    this.#nonce = nonce;
    shell.onStdout((data) => this.#take(Buffer.from(data).toString("latin1")));
    shell.onStderr((data) => {
      this.#said = (this.#said + Buffer.from(data).toString("utf8")).slice(-2000);
    });
    shell.ended.then(
      ({ code }) => this.#end({ code }),
      (error: unknown) => this.#end({ error }),
    );
  }

  /** What the shell complained of; empty where it did not. */
  get said(): string {
    return this.#said.trim();
  }

  /** Its exit code, once it ended by itself. */
  get code(): number | undefined {
    return this.#over !== undefined && "code" in this.#over ? this.#over.code : undefined;
  }

  /** The next answer, as words without the nonce; undefined when the shell has ended. Throws what the link was lost by. */
  async next(): Promise<readonly string[] | undefined> {
    for (;;) {
      const line = this.#answers.shift();
      if (line !== undefined) return line.split(" ");
      if (this.#over !== undefined) {
        if ("error" in this.#over) throw this.#over.error;
        return undefined;
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Writes; resolves to false where the shell ended before it had read. Throws what the link was lost by. */
  async write(data: string | Uint8Array): Promise<boolean> {
    try {
      await this.#shell.write(typeof data === "string" ? Buffer.from(data) : data);
      return true;
    } catch {
      // Why it ended is told by its end.
      await this.#shell.ended;
      return false;
    }
  }

  /** Ends the shell without waiting for it. */
  destroy(): void {
    this.#shell.destroy();
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const answer = line.replace(/\r$/, "");
      if (answer.startsWith(`${this.#nonce} `)) this.#answers.push(answer.slice(this.#nonce.length + 1));
    }
    this.#wake();
  }

  #end(over: { readonly code: number | undefined } | { readonly error: unknown }): void {
    this.#over = over;
    this.#wake();
  }
}
