import type { Channel } from "../../core/host/transport.ts";
import type { ByteListener } from "../outlet.ts";
import type { Sinks } from "./password-prompt.ts";

/** Number of bytes that may be written before the shell runs. Further writes wait for the shell. */
const earlyBytes = 256 * 1024;

/**
 * The channel that `openShell` returns. The process behind it may be replaced once (by one on a terminal, if sudo
 * demands it), so data written before the shell runs is kept and can be sent again.
 */
export class ShellChannel implements Channel, Sinks {
  readonly ended: Channel["ended"];
  /** Resolves when a process is attached. */
  readonly attached: Promise<void>;
  #process: Channel | undefined;
  #opened: Promise<void> = Promise.resolve();
  #isOpen = false;
  #started = false;
  #early: Uint8Array[] = [];
  #earlyLength = 0;
  #earlyEnd = false;
  readonly #waiting: Record<"stdout" | "stderr", Uint8Array[]> = { stdout: [], stderr: [] };
  readonly #listeners: Partial<Record<"stdout" | "stderr", ByteListener>> = {};
  #attach!: () => void;
  #end!: (end: Awaited<Channel["ended"]>) => void;
  #fail!: (error: unknown) => void;

  constructor() {
    this.attached = new Promise((resolve) => (this.#attach = resolve));
    this.ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    this.ended.catch(() => undefined);
  }

  get onTerminal(): boolean {
    return this.#process?.onTerminal ?? false;
  }

  /** Replaces a process that did not become the shell. */
  attach(process: Channel): void {
    this.#process = process;
    this.#started = false;
    this.#attach();
  }

  /** Makes the channel fail if it cannot be opened. */
  follow(opening: Promise<void>): void {
    this.#opened = opening.then(() => {
      this.#isOpen = true;
      this.#early = [];
      if (this.#earlyEnd) this.#process?.end();
      this.#process?.ended.then(this.#end, this.#fail);
    });
    this.#opened.catch((error: unknown) => {
      this.#early = [];
      this.#fail(error);
    });
  }

  /** Returns the data written so far. From now on, writes go straight to the process. */
  early(): readonly Uint8Array[] {
    this.#started = true;
    return this.#early;
  }

  async write(data: Uint8Array): Promise<void> {
    if (!this.#isOpen && this.#earlyLength < earlyBytes) {
      this.#early.push(data);
      this.#earlyLength += data.length;
      // If the process refuses the data, the next process gets it, or the opening fails with the reason.
      if (this.#started) await this.#process?.write(data).catch(() => this.#opened);
      return;
    }
    await this.#opened;
    await this.#process?.write(data);
  }

  end(): void {
    if (this.#isOpen) this.#process?.end();
    else this.#earlyEnd = true;
  }

  destroy(): void {
    this.#process?.destroy();
  }

  onStdout(listener: ByteListener): void {
    this.#listen("stdout", listener);
  }

  onStderr(listener: ByteListener): void {
    this.#listen("stderr", listener);
  }

  stdout(data: Uint8Array): void | Promise<void> {
    return this.#deliver("stdout", data);
  }

  stderr(data: Uint8Array): void | Promise<void> {
    return this.#deliver("stderr", data);
  }

  #listen(name: "stdout" | "stderr", listener: ByteListener): void {
    this.#listeners[name] = listener;
    for (const data of this.#waiting[name].splice(0)) void listener(data);
  }

  #deliver(name: "stdout" | "stderr", data: Uint8Array): void | Promise<void> {
    const listener = this.#listeners[name];
    if (listener !== undefined) return listener(data);
    this.#waiting[name].push(data);
  }
}
