import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import type { Channel, Link } from "../../core/transport.ts";

/** What a far end sends once it has a frame: pieces of bytes, waits in milliseconds, and how it ends. */
export interface Behaviour {
  /** What it answers to a frame with this nonce. */
  readonly says: (nonce: string) => readonly (string | Buffer | number)[];
  /** After that: nothing, the end of its shell, or this again and again. */
  readonly ends: "silence" | "end" | { readonly flood: (nonce: string) => string };
  /** What it sends before its shell is there. */
  readonly banner?: "none" | "flood" | "silence" | "end" | "prompts";
  /** What the shell beside answers to orders. */
  readonly beside?: "silence" | "idle" | "runs" | "flood" | "end";
}

/** A far end in memory that does as it likes. */
export class HostileLink implements Link {
  readonly closed = new Promise<undefined>(() => {});
  readonly #behaviour: Behaviour;
  #channels = 0;

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
  }

  exec(command: string): Promise<Channel> {
    return Promise.resolve(new HostileChannel(this.#behaviour, command, this.#channels++ > 0));
  }

  execPty(command: string): Promise<Channel> {
    return this.exec(command);
  }

  stats(): { bytesSent: number; bytesReceived: number; channels: number } {
    return { bytesSent: 0, bytesReceived: 0, channels: this.#channels };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

class HostileChannel implements Channel {
  readonly ended: Channel["ended"];
  readonly #behaviour: Behaviour;
  readonly #isBeside: boolean;
  readonly #end: (end: { code: number; signal: undefined }) => void;
  readonly #waiting: Uint8Array[] = [];
  #stdout: ((data: Uint8Array) => void | Promise<void>) | undefined;
  readonly #opened: Promise<void>;
  #over = false;
  #read = "";

  constructor(behaviour: Behaviour, command: string, isBeside: boolean) {
    const { promise, resolve } = Promise.withResolvers<{ code: number; signal: undefined }>();
    this.ended = promise;
    this.#end = resolve;
    this.#behaviour = behaviour;
    this.#isBeside = isBeside;
    this.#opened = this.#open(/ready-[0-9a-f]+/.exec(command)?.[0] ?? "");
  }

  write(data: Uint8Array): Promise<void> {
    this.#read += Buffer.from(data).toString("latin1");
    const nonce = /_fn=(f[0-9a-f]{24}); /.exec(this.#read)?.[1] ?? /_fas (f[0-9a-f]{24}) /.exec(this.#read)?.[1];
    if (this.#isBeside && this.#read.endsWith("\n")) void this.#besides();
    else if (nonce !== undefined) void this.#answer(nonce);
    if (nonce !== undefined) this.#read = "";
    return Promise.resolve();
  }

  end(): void {
    this.destroy();
  }

  destroy(): void {
    this.#over = true;
    this.#end({ code: 0, signal: undefined });
  }

  onStdout(listener: (data: Uint8Array) => void | Promise<void>): void {
    this.#stdout = listener;
    for (const data of this.#waiting.splice(0)) void listener(data);
  }

  onStderr(): void {}

  #say(data: string | Buffer): void {
    if (this.#over) return;
    const bytes = Buffer.from(data);
    if (this.#stdout === undefined) this.#waiting.push(bytes);
    else void this.#stdout(bytes);
  }

  async #flood(text: string): Promise<void> {
    const bytes = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
    while (!this.#over) {
      this.#say(bytes);
      await turn();
    }
  }

  async #open(ready: string): Promise<void> {
    await turn();
    const { banner = "none" } = this.#behaviour;
    if (banner === "flood") await this.#flood("Welcome to \u001b[2J the machine\n");
    if (banner === "end") this.destroy();
    if (banner === "silence") await new Promise(() => {});
    if (banner === "prompts") this.#say("[sudo] password for root: \nPassword: \nask-0:ready-0\nstart-1\n");
    this.#say(`\n${ready}\n`);
  }

  async #answer(nonce: string): Promise<void> {
    await this.#opened;
    for (const part of this.#behaviour.says(nonce)) {
      if (typeof part === "number") await sleep(part);
      else this.#say(part);
    }
    const { ends } = this.#behaviour;
    if (ends === "end") this.destroy();
    else if (ends !== "silence") await this.#flood(ends.flood(nonce));
  }

  async #besides(): Promise<void> {
    await this.#opened;
    const { beside = "idle" } = this.#behaviour;
    if (beside === "flood") await this.#flood("began what? ");
    else if (beside === "end") this.destroy();
    else if (beside !== "silence") this.#say(`${beside}\nbegan \u001b]0;a title\u0007\n\n.\n`);
  }
}
