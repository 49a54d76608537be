import { type FrameRun, performFrame } from "./far-frame.ts";
import type { Claim, FarHost, Folder, Journal, Process } from "./far-host.ts";
import { shellFrame, command, hello, names, orders } from "./command-text.ts";
import { Cursor, NotUnderstood, readFrame } from "./frame-text.ts";

/** Receives what a shell prints. */
export type Print = (text: string | Buffer) => void;

/** The shell behind a channel: executes commands one after another, as it receives them. */
export class FarShell {
  readonly process: Process;
  readonly #host: FarHost;
  readonly #carrier: Process;
  readonly #print: Print;
  #run = "x";
  #session = "";
  #holder = "";
  #claim: Claim | undefined;
  #fresh = "";
  /** True if another run has taken over the host from this shell's session and the shell has reported it. */
  #isOthers = false;
  /** The frame whose answer has not ended yet. */
  #open: string | undefined;
  #last: Promise<void> = Promise.resolve();
  #ended!: (code: number) => void;
  readonly ended: Promise<number>;

  constructor(host: FarHost, carrier: Process, print: Print) {
    this.#host = host;
    this.#carrier = carrier;
    this.#print = (text) => {
      if (this.process.alive) print(text);
    };
    this.process = host.start();
    this.ended = new Promise((resolve) => (this.#ended = resolve));
  }

  /** Receives one write to its stdin, which consists of whole commands. */
  take(text: string): void {
    const sent = command.exec(text);
    const nonce = sent?.[1];
    if (nonce !== undefined) {
      if (this.#open !== undefined)
        this.#host.options.violated(`${this.#host.options.name}: frame ${nonce} came while ${this.#open} is open`);
      this.#open = nonce;
    }
    this.#last = this.#last.then(() => (this.process.alive ? this.#do(text, sent) : undefined));
    this.#last.catch((error: unknown) => this.#host.options.violated(String(error)));
  }

  /** Signals the end of input: the shell exits after its remaining commands. */
  endOfInput(): void {
    void this.#last.then(() => this.exit(0));
  }

  exit(code: number): void {
    this.#host.end(this.process);
    this.#ended(code);
  }

  async #do(text: string, sent: RegExpExecArray | null): Promise<void> {
    const named = names.exec(text);
    if (named) [, this.#run = "", this.#session = "", this.#holder = ""] = named;
    if (sent) return this.#frame(text.slice(sent.index), sent);
    if (text === "_fls\n") return this.#sign();
    const order = orders.exec(text);
    if (order) return this.#order(text, order[1] ?? "", order[2] ?? "");
    const fetched = /^\{ printf '(\w+)\\n'; exec cat -- ([^\n]*); \}\n$/.exec(text);
    if (fetched) return this.#cat(fetched[1] ?? "", new Cursor(fetched[2] ?? "").word());
    if (text.includes("rmdir") && text.trim().endsWith("exit 0\n}")) return this.#farewell();
    throw new NotUnderstood(`not a command of a session: ${JSON.stringify(text.slice(0, 300))}`);
  }

  #sign(): void {
    if (this.#claim) this.#claim.lease = this.#host.uptime;
    const folder = this.#folder();
    if (folder) folder.lease = this.#host.uptime;
  }

  #folder(): Folder | undefined {
    return this.#host.folders.get(`${this.#run}.${this.#session}`);
  }

  get #isNoted(): boolean {
    return this.#host.noted.has(`${this.#run}.${this.#session}`);
  }

  /** The session's folder, which is created if missing; undefined if the host cannot write files. */
  #makeFolder(): Folder | undefined {
    if (!this.#host.options.journals) return undefined;
    const known = this.#folder();
    this.#fresh = known && known.taken === undefined ? "" : "1";
    if (known) return known;
    const folder: Folder = {
      run: this.#run,
      session: this.#session,
      journals: new Map(),
      givenUp: new Set(),
      stop: false,
      wanted: false,
      lease: this.#host.uptime,
      taken: undefined,
      task: undefined,
      current: undefined,
    };
    this.#host.folders.set(`${this.#run}.${this.#session}`, folder);
    return folder;
  }

  #claimed(kind: Claim["kind"], process: Process): Claim {
    const [run, session, holder] = [this.#run, this.#session, this.#holder];
    const carrier = kind === "a" || kind === "x" ? this.#carrier : undefined;
    return { kind, run, session, holder, process, carrier, lease: this.#host.uptime };
  }

  async #frame(text: string, [head, nonce = "", claims]: RegExpExecArray): Promise<void> {
    await this.#host.options.world.pause(this.#host.options.random(5));
    const say = (words: string): void => this.#print(`${nonce} ${words}\n`);
    if (claims?.includes("_ftv") === true && this.#isNoted) return this.#refuse(nonce);
    const isKept = claims?.includes("_ftn") === true && this.#isNoted;
    if (claims !== undefined && this.#host.options.journals && !isKept) {
      const claim = this.#claimed("a", this.process);
      const { said, taken } = this.#host.take(claim);
      for (const words of said.split("\n")) if (words !== "") say(words);
      if (!taken) return this.#over();
      this.#claim = claim;
      this.#makeFolder();
      this.#sign();
    }
    const cursor = new Cursor(text.slice(head.length));
    if (cursor.maybe(hello)) say(`H ${this.#host.boot} ${this.#fresh} 4711`);
    if (cursor.maybe(/_frn (\w+) /y)) await this.#handOver(nonce, cursor.word());
    else if (cursor.maybe(/_fas (\w+) /y)) {
      const [, from, known] = cursor.take(/(\d+) ([01])/y, "how much of a journal is known");
      await this.#asked(nonce, Number(from), known === "1");
    } else {
      const { isAsked, frame } = shellFrame(text.slice(head.length));
      if (isAsked && this.#isOthers) return this.#refuse(nonce);
      const run: FrameRun = {
        host: this.#host,
        run: this.#run,
        process: this.process,
        folder: undefined,
        print: (words) => this.#tell(words),
      };
      await performFrame(frame, run);
    }
    this.#over();
  }

  #refuse(nonce: string): void {
    this.#over();
    this.#print(`${nonce} Q taken ${this.#host.boot} ${this.#host.uptime}\n`);
  }

  #over(): void {
    this.#open = undefined;
  }

  /** Prints text. The end of an answer closes its frame, so the next frame may follow. */
  #tell(words: string | Buffer): void {
    this.#print(words);
    if (this.#open !== undefined && words.includes(`${this.#open} X\n`)) this.#over();
  }

  /** `_frn`: a runner executes the frame and writes its journal; this shell prints the journal as it grows. */
  async #handOver(nonce: string, script: string): Promise<void> {
    if (this.#isOthers) return this.#refuse(nonce);
    const folder = this.#makeFolder();
    if (!folder) {
      this.#over();
      return this.#print(`${nonce} N\n`);
    }
    this.#sign();
    if (folder.givenUp.has(nonce)) return;
    folder.wanted = false;
    const frame = readFrame(script);
    const journal: Journal = { text: Buffer.alloc(0), live: undefined, runner: this.#host.start() };
    folder.journals.set(nonce, journal);
    this.#print(`${nonce} J 0\n`);
    void this.#runner(nonce, frame, folder, journal);
    await this.#follow(journal, 0);
    this.#print(`${nonce} E\n`);
  }

  async #runner(nonce: string, frame: ReturnType<typeof readFrame>, folder: Folder, journal: Journal): Promise<void> {
    const host = this.#host;
    const print = (words: string): void => {
      journal.text = Buffer.concat([journal.text, Buffer.from(words, "latin1")]);
    };
    await host.options.world.pause(host.options.random(10));
    const claim = this.#claimed(this.#claim ? "r" : "y", journal.runner);
    host.claims.add(claim);
    print(`${nonce} B 77 7\n`);
    const taken = claim.kind === "r" && host.others(this.#run).holds !== undefined;
    if (taken || folder.givenUp.has(nonce)) print(`${nonce} F\n${nonce} X\n`);
    else {
      const show = (words: string | undefined): void => void (journal.live = words);
      await performFrame(frame, { host, run: this.#run, process: journal.runner, folder, print, show }).catch(
        (error: unknown) => host.options.violated(String(error)),
      );
    }
    host.end(journal.runner);
  }

  /** Prints a journal from a byte offset on, as it grows, until its runner has ended. */
  async #follow(journal: Journal, from: number): Promise<void> {
    let at = from;
    const look = (): void => {
      const { text } = journal;
      if (text.length > at) this.#tell(text.subarray(at));
      at = text.length;
      if (journal.live !== undefined && this.#host.options.random(2) === 0) this.#print(journal.live);
    };
    while (journal.runner.alive && this.process.alive) {
      await this.#host.options.world.pause(1 + this.#host.options.random(300));
      look();
    }
    look();
  }

  /** `_fas`: after a lost connection, reports how far a frame has got. */
  async #asked(nonce: string, from: number, known: boolean): Promise<void> {
    this.#host.counts.asked += 1;
    const say = (state: string): void => this.#print(`${nonce} Q ${state} ${this.#host.boot} ${this.#host.uptime}\n`);
    const isTaken = this.#folder()?.taken !== undefined;
    if (!isTaken && ((this.#fresh === "1" && known) || this.#isNoted)) return say("taken");
    const folder = this.#makeFolder();
    if (!folder) return this.#print(`${nonce} N\n`);
    this.#sign();
    folder.givenUp.add(nonce);
    folder.wanted = false;
    for (const claim of this.#host.claims) {
      const mine = claim.run === this.#run && claim.session === this.#session && claim.process !== this.process;
      if (!mine || (claim.kind !== "a" && claim.kind !== "x")) continue;
      this.#host.end(claim.process);
      this.#host.claims.delete(claim);
    }
    const journal = folder.journals.get(nonce);
    if (journal === undefined || journal.text.length === 0)
      return from > 0 && !isTaken ? this.#print(`${nonce} N\n`) : say(isTaken ? "taken" : "never");
    say("begun");
    this.#print(`${nonce} J ${from}\n`);
    await this.#follow(journal, from);
    if (isTaken) {
      this.#isOthers = true;
      return say("taken");
    }
    this.#print(`${nonce} E\n`);
  }

  /** Executes an order for a running frame; the order comes through a separate shell. */
  async #order(text: string, run: string, session: string): Promise<void> {
    await this.#host.options.world.pause(this.#host.options.random(10));
    const folder = this.#host.folders.get(`${run}.${session}`);
    let uncut = "";
    if (folder && text.includes('"$D/stop"')) folder.stop = true;
    if (folder && text.includes("/proc/uptime")) {
      folder.lease = this.#host.uptime;
      for (const claim of this.#host.claims)
        if (claim.kind === "a" && claim.run === run && claim.session === session) claim.lease = this.#host.uptime;
    }
    if (folder?.current && text.includes("kill -TERM")) {
      if (folder.current.uncut) uncut = " «uncut»";
      else this.#host.end(folder.current.process);
    }
    this.#print(`${folder ? `${folder.task ?? ""}${uncut}\n` : ""}\n.\n`);
  }

  async #cat(nonce: string, path: string): Promise<void> {
    await this.#host.options.world.pause(this.#host.options.random(300));
    const cell = this.#host.options.cells.get(`cell:${path.slice(1)}`);
    this.#print(`${nonce}\n${cell === undefined ? "" : JSON.stringify(cell)}`);
    this.exit(cell === undefined ? 1 : 0);
  }

  #farewell(): void {
    for (const claim of this.#host.claims)
      if (claim.run === this.#run && claim.session === this.#session) this.#host.claims.delete(claim);
    this.#host.folders.delete(`${this.#run}.${this.#session}`);
    if (!this.#run.startsWith("x"))
      for (const [name, { taken }] of this.#host.folders) if (taken !== undefined) this.#host.folders.delete(name);
    this.exit(0);
  }
}
