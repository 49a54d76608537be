import { FurrowError } from "../../src/core/errors.ts";
import type { Channel, Link } from "../../src/core/host/transport.ts";
import type { FarHost, Process } from "./far-host.ts";
import { FarShell } from "./far-shell.ts";

/** How a network treats the connections to one host. */
export interface Weather {
  /** The one-way delay in milliseconds. */
  readonly latency: number;
  /** How many more links may break. */
  losses: number;
  /** The number of consecutive losses without a byte from the host. */
  fruitless: number;
}

/** Creates links to hosts in memory. Links can break at any point. */
export class FarNetwork {
  readonly #weather: ReadonlyMap<FarHost, Weather>;
  /** All open links and channels. */
  readonly open = new Set<object>();

  constructor(weather: ReadonlyMap<FarHost, Weather>) {
    this.#weather = weather;
  }

  /** Connects to a host. The first connection always succeeds; later ones may take several attempts. */
  async connect(host: FarHost, signal: AbortSignal, isFirst = false): Promise<Link> {
    const weather = this.#weather.get(host)!;
    const { random, world } = host.options;
    await world.pause(3 * weather.latency + random(20));
    signal.throwIfAborted();
    if (!isFirst && weather.losses > 0 && weather.fruitless < 2 && random(10) === 0) {
      weather.losses -= 1;
      weather.fruitless += 1;
      throw lost("does not answer");
    }
    return new FarLink(host, weather, this.open);
  }
}

class FarLink implements Link {
  readonly closed: Promise<Error | undefined>;
  readonly #host: FarHost;
  readonly #weather: Weather;
  readonly #open: Set<object>;
  readonly #carrier: Process;
  readonly #channels = new Set<FarChannel>();
  #close!: (reason: Error | undefined) => void;
  /** True once nothing gets through, even if this side does not know that yet. */
  #isCut = false;
  #error: FurrowError | undefined;
  /** How many more bytes from the host will get through; undefined for all. */
  #bytesLeft: number | undefined;

  constructor(host: FarHost, weather: Weather, open: Set<object>) {
    this.#host = host;
    this.#weather = weather;
    this.#open = open;
    this.#carrier = host.start();
    this.closed = new Promise((resolve) => (this.#close = resolve));
    open.add(this);
    const { random, world } = host.options;
    if (weather.losses <= 0 || weather.fruitless >= 2) return;
    if (random(2) === 0) this.#bytesLeft = random(random(2) === 0 ? 400 : 8000);
    else world.happen(random(12_000), () => this.#cut());
  }

  async exec(line: string): Promise<Channel> {
    const { world } = this.#host.options;
    await world.pause(this.#host.options.random(3));
    if (this.#error) throw this.#error;
    const channel = new FarChannel(this.#host, this, this.#carrier, line);
    this.#channels.add(channel);
    this.#open.add(channel);
    void channel.over.then(() => this.#open.delete(channel));
    return channel;
  }

  execPty(line: string): Promise<Channel> {
    return this.exec(line);
  }

  stats(): { bytesSent: number; bytesReceived: number; channels: number } {
    return { bytesSent: 0, bytesReceived: 0, channels: this.#channels.size };
  }

  async close(): Promise<void> {
    this.#open.delete(this);
    // Earlier writes still arrive, followed by the end of input.
    for (const channel of this.#channels) channel.endOfInput();
    this.#isCut = true;
    const closed = lost("the link was closed");
    for (const channel of this.#channels) channel.fail(closed);
    this.#close(undefined);
    this.#hangUp(this.#weather.latency + 30_000);
  }

  /** Milliseconds to the other side; undefined if nothing arrives. */
  get way(): number | undefined {
    return this.#isCut ? undefined : this.#weather.latency + this.#host.options.random(3);
  }

  /** Given a number of bytes from the host, returns how many of them get through. */
  pass(count: number): number {
    if (this.#isCut) return 0;
    if (this.#bytesLeft === undefined) return count;
    const some = Math.min(count, this.#bytesLeft);
    this.#bytesLeft -= some;
    if (some < count) this.#cut();
    return some;
  }

  heard(): void {
    this.#weather.fruitless = 0;
  }

  get error(): FurrowError | undefined {
    return this.#error;
  }

  /** Cuts the link: from now on nothing gets through, and each side detects that in its own time. */
  #cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#weather.losses -= 1;
    this.#weather.fruitless += 1;
    this.#host.counts.losses += 1;
    const { random, world } = this.#host.options;
    // The link is reset immediately, or stays silent until the keepalive gives up.
    const silence = random(3) === 0 ? random(45_000) : random(50);
    world.happen(silence, () => {
      if (!this.#open.has(this)) return;
      this.#open.delete(this);
      this.#error = lost("the connection was lost");
      for (const channel of this.#channels) channel.fail(this.#error);
      this.#close(this.#error);
    });
    this.#hangUp(random(2) === 0 ? random(50) : random(60_000));
  }

  #hangUp(ms: number): void {
    this.#host.options.world.happen(ms, () => {
      this.#host.end(this.#carrier);
      for (const channel of this.#channels) channel.hangUp();
    });
  }
}

class FarChannel implements Channel {
  readonly ended: Channel["ended"];
  /** Resolves when neither side uses the link. */
  readonly over: Promise<void>;
  readonly #host: FarHost;
  readonly #link: FarLink;
  readonly #shell: FarShell;
  readonly #marker: string;
  #become = false;
  /** The times at which the last bytes in each direction arrive. */
  #arrival = { host: 0, stdout: 0, stderr: 0 };
  readonly #heard: Record<"stdout" | "stderr", { listener?: (data: Uint8Array) => unknown; waiting: Buffer[] }> = {
    stdout: { waiting: [] },
    stderr: { waiting: [] },
  };
  #end!: (end: { code: number | undefined; signal: undefined }) => void;
  #fail!: (error: unknown) => void;
  #isOver = false;

  constructor(host: FarHost, link: FarLink, carrier: Process, line: string) {
    this.#host = host;
    this.#link = link;
    this.#marker = /start-(\w+)/.exec(line)?.[1] ?? "";
    this.ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    // The rejection is handled here even if no code awaits it, because a lost link must not cause an unhandled
    // rejection.
    this.over = this.ended.then(nothing, nothing);
    this.#shell = new FarShell(host, carrier, (text) => this.#say("stdout", Buffer.from(text as string, "latin1")));
    void this.#tellEnd();
    this.#say("stdout", Buffer.from(`\nstart-${this.#marker}\n`));
  }

  async #tellEnd(): Promise<void> {
    const code = await this.#shell.ended;
    if (this.#link.way !== undefined) this.#arrive("stdout", () => this.#end({ code, signal: undefined }));
  }

  write(data: Uint8Array): Promise<void> {
    if (this.#isOver || this.#link.error) return Promise.reject(this.#link.error ?? lost("the channel is closed"));
    const text = Buffer.from(data).toString("utf8");
    const way = this.#link.way;
    // Bytes in flight may or may not arrive when the link is cut; half a command does nothing.
    if (way !== undefined) this.#arrive("host", () => this.#receive(text));
    return Promise.resolve();
  }

  #receive(text: string): void {
    if (!this.#shell.process.alive) return;
    if (this.#become) return this.#shell.take(text);
    if (text !== `go-${this.#marker}\n`) return;
    this.#become = true;
    this.#say("stdout", Buffer.from(`\nready-${this.#marker}\n`));
    this.#say("stderr", Buffer.from(`\nready-${this.#marker}\n`));
  }

  end(): void {
    this.endOfInput();
  }

  endOfInput(): void {
    if (this.#link.way !== undefined) this.#arrive("host", () => this.#shell.endOfInput());
  }

  destroy(): void {
    this.#isOver = true;
    this.#end({ code: undefined, signal: undefined });
    if (this.#link.way !== undefined) this.#arrive("host", () => this.hangUp());
  }

  /** Tells the host's side that the peer has disconnected. */
  hangUp(): void {
    if (this.#shell.process.alive) this.#shell.exit(129);
  }

  fail(error: FurrowError): void {
    this.#isOver = true;
    this.#fail(error);
  }

  onStdout(listener: (data: Uint8Array) => void | Promise<void>): void {
    this.#listen("stdout", listener);
  }

  onStderr(listener: (data: Uint8Array) => void | Promise<void>): void {
    this.#listen("stderr", listener);
  }

  #listen(name: "stdout" | "stderr", listener: (data: Uint8Array) => unknown): void {
    this.#heard[name].listener = listener;
    for (const data of this.#heard[name].waiting.splice(0)) listener(data);
  }

  /** Sends bytes back, in chunks that may end anywhere. */
  #say(name: "stdout" | "stderr", all: Buffer): void {
    const { random } = this.#host.options;
    const data = all.subarray(0, this.#link.pass(all.length));
    const pieces = random(100) < 60 ? 1 : 1 + random(4);
    let at = 0;
    for (let piece = 1; piece <= pieces && at < data.length; piece += 1) {
      const end = piece === pieces ? data.length : Math.min(data.length, at + 1 + random(data.length));
      const bytes = data.subarray(at, end);
      this.#arrive(name, () => this.#deliver(name, bytes));
      at = end;
    }
  }

  #deliver(name: "stdout" | "stderr", bytes: Buffer): void {
    if (this.#isOver) return;
    this.#link.heard();
    const { listener, waiting } = this.#heard[name];
    if (listener) listener(bytes);
    else waiting.push(bytes);
  }

  /** Delivers in order, no matter how long each chunk takes. */
  #arrive(name: "host" | "stdout" | "stderr", act: () => void): void {
    const { world, random } = this.#host.options;
    const soonest = world.now() + (this.#link.way ?? 0) + random(2);
    const at = Math.max(soonest, this.#arrival[name]);
    this.#arrival[name] = at;
    world.happenAt(at, act);
  }
}

function nothing(): void {}

function lost(what: string): FurrowError {
  return new FurrowError("E_UNREACHABLE", { what });
}
