import { FurrowError } from "../../core/errors.ts";
import type { Channel, Link } from "../../core/transport.ts";
import { openShell } from "../become.ts";
import type { OpenShell } from "./stage.ts";

/** A link that is lost once so many bytes have been written to all its channels together, or on demand. */
export class CutLink implements Link {
  /** Bytes written so far. */
  written = 0;
  readonly closed = new Promise<undefined>(() => {});
  readonly #link: Link;
  readonly #after: number;
  readonly #channels = new Set<Channel>();
  protected isCut = false;
  #lost!: (error: FurrowError) => void;
  readonly #loss = new Promise<never>((_, reject) => (this.#lost = reject));

  constructor(link: Link, after = Number.POSITIVE_INFINITY) {
    this.#link = link;
    this.#after = after;
    this.#loss.catch(() => {});
  }

  async exec(command: string): Promise<Channel> {
    const channel = await this.#link.exec(command);
    this.#channels.add(channel);
    const ended = Promise.race([channel.ended, this.#loss]);
    ended.catch(() => {});
    return {
      ...channel,
      ended,
      // Nobody at this end can end a process behind a lost link.
      destroy: () => (this.isCut ? channel.end() : channel.destroy()),
      write: async (data) => {
        const room = this.#after - this.written;
        this.written += Math.min(data.length, Math.max(0, room));
        if (room > 0) await Promise.race([channel.write(data.subarray(0, room)), this.#loss]);
        if (data.length >= room) this.cut();
        await (data.length >= room ? this.#loss : undefined);
      },
    };
  }

  execPty(command: string): Promise<Channel> {
    return this.exec(command);
  }

  stats(): ReturnType<Link["stats"]> {
    return this.#link.stats();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** As sshd does: what has arrived is still read, then the processes find the end of their input. */
  cut(): void {
    this.isCut = true;
    this.#lost(new FurrowError("E_UNREACHABLE", { what: "the connection was cut" }));
    for (const channel of this.#channels) channel.end();
  }
}

/** Opens shells on a link as a session does. */
export function onLink(link: Link): OpenShell {
  const { signal } = new AbortController();
  return () => openShell(link, { host: "here", signal, eager: true });
}
