import { FurrowError } from "../../core/errors.ts";
import type { Channel, Link, LinkStats } from "../../core/host/transport.ts";
import { channelArguments } from "./arguments.ts";
import { opensshChannel, type LinkFate } from "./channel.ts";
import { lostLink } from "./failure.ts";
import type { Place } from "./folder.ts";
import type { Master } from "./master.ts";
import { after } from "../../core/world.ts";
import { outside } from "../outside.ts";

/** Milliseconds that a graceful close may take. */
const closeGraceMs = 1000;

/**
 * How many milliseconds a channel waits for its turn if ssh does not report that it has requested the previous channel.
 */
const turnMs = 2000;

/**
 * A {@link Link} over the connection of one ssh process. Each channel is another ssh process that shares it. If the
 * host refuses a channel, the channel's `ended` rejects, not `exec`, because data is sent before the host has answered.
 */
export class OpensshLink implements Link, LinkFate {
  readonly host: string;
  readonly closed: Promise<FurrowError | undefined>;
  readonly #master: Master;
  readonly #place: Place;
  readonly #open = new Set<Channel>();
  readonly #count = { sent: 0, received: 0, channels: 0 };
  /** Resolves when ssh has asked the host for the last channel that was requested. */
  #turn: Promise<unknown> = Promise.resolve();
  #closing = false;
  #lost: FurrowError | undefined;
  #gone = false;

  /** `host` is the host's name in the inventory. */
  constructor(host: string, master: Master, place: Place) {
    this.host = host;
    this.#master = master;
    this.#place = place;
    this.closed = master.ended.then(() => {
      this.#gone = true;
      if (!this.#closing) this.#lost = lostLink(host, master.said());
      place.remove();
      return this.#lost;
    });
  }

  exec(command: string): Promise<Channel> {
    return this.#start(command, false);
  }

  execPty(command: string): Promise<Channel> {
    return this.#start(command, true);
  }

  stats(): LinkStats {
    return { bytesSent: this.#count.sent, bytesReceived: this.#count.received, channels: this.#count.channels };
  }

  async fate(): Promise<FurrowError | "closed" | undefined> {
    if (!this.#closing && !this.#gone) {
      if (await this.#answers()) return undefined;
      // The master is ending; if not, it is unusable anyway.
      this.#master.end("SIGTERM");
    }
    return (await this.closed) ?? "closed";
  }

  async close(): Promise<void> {
    this.#closing = true;
    for (const channel of this.#open) channel.destroy();
    this.#master.end("SIGTERM");
    const timer = after(closeGraceMs, () => this.#master.end("SIGKILL"));
    await this.closed;
    timer.cancel();
  }

  /**
   * Requests channels in order. Each channel is a separate ssh process, and a later one may be quicker: if the host
   * allows few channels, a channel that only speeds up an upload could otherwise take the place of a shell.
   */
  #start(command: string, terminal: boolean): Promise<Channel> {
    const started = this.#turn.then(async () => {
      const asked = this.#master.asks();
      const channel = await this.#spawn(command, terminal);
      return { channel, asked };
    });
    this.#turn = started.then(
      ({ channel, asked }) =>
        Promise.race([asked, over(channel), new Promise<void>((resolve) => after(turnMs, resolve, { idle: true }))]),
      () => undefined,
    );
    return started.then(({ channel }) => channel);
  }

  #spawn(command: string, terminal: boolean): Promise<Channel> {
    return new Promise((resolve, reject) => {
      if (this.#gone || this.#closing) {
        reject(this.#lost ?? lostLink(this.host, ""));
        return;
      }
      const args = channelArguments(this.#place.socket, command, terminal);
      const child = outside.spawn("ssh", args, { detached: true, env: { ...process.env, LC_ALL: "C", TERM: "dumb" } });
      child.once("error", (error) => reject(noProcess(this.host, error)));
      child.once("spawn", () => {
        this.#count.channels += 1;
        const channel = opensshChannel(child, this, this.#count);
        this.#open.add(channel);
        channel.ended.finally(() => this.#open.delete(channel)).catch(() => undefined);
        resolve(channel);
      });
    });
  }

  /**
   * True while ssh still shares its connection. ssh stops sharing before it ends the processes that use the connection.
   */
  #answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = outside.connect(this.#place.socket);
      socket.once("connect", () => {
        socket.destroy();
        resolve(true);
      });
      // Other errors mean that ssh is busy.
      socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code !== "ECONNREFUSED" && code !== "ENOENT"));
    });
  }
}

function over({ ended }: Channel): Promise<unknown> {
  return ended.catch(() => undefined);
}

function noProcess(host: string, error: Error): FurrowError {
  return new FurrowError("E_UNREACHABLE", {
    what: "no process can be started on the controller",
    where: { host },
    current: error.message,
    hint: "Check the controller's limits (ulimit -u, ulimit -n)",
    cause: error,
  });
}
