import { Duplex } from "node:stream";
import { after } from "../../../core/world.ts";
import type { TunnelProcess } from "./process.ts";

/** Milliseconds within which the program must forward the last bytes; then it is killed. */
const lastBytesMs = 300;

/** The byte stream of a tunnel. Destroying the stream ends the program; `close` follows when the program has ended. */
export class TunnelStream extends Duplex {
  /** Number of bytes written to the program. */
  sent = 0;
  /** Number of bytes from the host that the program has printed. */
  received: number;
  readonly #process: TunnelProcess;

  /** `first` was already read from the program's output. */
  constructor(process: TunnelProcess, first: Buffer) {
    super({ allowHalfOpen: false });
    this.#process = process;
    this.received = first.length;
    this.push(first);
    process.stdout.on("data", (data: Buffer) => {
      this.received += data.length;
      if (!this.push(data)) process.stdout.pause();
    });
    process.stdout.once("end", () => this.push(null));
    process.stdout.once("close", () => this.push(null));
  }

  override _read(): void {
    this.#process.stdout.resume();
  }

  override _write(data: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#send(data, done);
  }

  override _writev(parts: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#send(Buffer.concat(parts.map(({ chunk }) => chunk)), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#process.stdin.end(() => done());
  }

  override _destroy(reason: Error | null, done: (error?: Error | null) => void): void {
    const { stdin, stdout, ended } = this.#process;
    if (stdin.writable) stdin.end();
    stdout.resume();
    const timer = after(lastBytesMs, () => this.#process.end());
    void ended
      .catch(() => undefined)
      .then(() => {
        timer.cancel();
        this.#process.end();
      })
      .finally(() => done(reason));
  }

  #send(data: Buffer, done: () => void): void {
    this.sent += data.length;
    // A program that has exited reads nothing; the end of its output then ends this stream.
    this.#process.stdin.write(data, () => done());
  }
}
