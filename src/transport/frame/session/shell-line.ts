import { FurrowError } from "../../../core/errors.ts";
import { shellQuote } from "../../../core/host/step.ts";
import type { Channel } from "../../../core/host/transport.ts";
import { hostLock as lockFunctions } from "../on-host/sent/host-lock.ts";
import { clockFunction } from "../compile/clock.ts";
import { compileFrame } from "../compile/compile.ts";
import { canHide } from "../compile/hidden-lines.ts";
import type { Line, SentFrame } from "../compile/frame-line.ts";
import { prelude, stepFunctions } from "../compile/prelude.ts";
import { borderFunctions, farewell, runnerFunctions } from "./runner-script.ts";
import { after } from "../../../core/world.ts";

/** The names by which a session identifies itself to the host. */
export interface SessionIdentity {
  /** Letters and digits. */
  readonly run: string;
  /** An id that distinguishes the sessions of one run. It consists of letters and digits. */
  readonly session: string;
  /** The holder and start time, if the session claims the host for its run. One line without quotes. */
  readonly holder: string | undefined;
}

/** Ignores data between frames. */
const deaf = (): void => {};

/** One shell on the host. */
export class ShellLine implements Line {
  readonly shell: Channel;
  readonly lost: Promise<never>;
  readonly #identity: SessionIdentity;
  readonly #host: string;
  #listener: (data: Uint8Array) => void = deaf;
  #complaints = "";
  #greeted = false;
  #claimed = false;
  #runs = false;
  #knowsClaims = false;
  #acts = false;
  #asked = false;

  constructor(shell: Channel, host: string, identity: SessionIdentity) {
    this.shell = shell;
    this.#identity = identity;
    this.#host = host;
    shell.onStdout((data) => this.#listener(data));
    shell.onStderr((data) => {
      this.#complaints = (this.#complaints + Buffer.from(data).toString("utf8")).slice(-4096);
    });
    this.lost = shell.ended.then(({ code }) => {
      throw shellEnded(host, code, this.#complaints);
    });
    this.lost.catch(() => {});
  }

  listen(listener: (data: Uint8Array) => void): () => void {
    if (this.#listener !== deaf) {
      throw new FurrowError("E_BUG", {
        what: "a second listener was set on a line while a frame is open on it",
        where: { host: this.#host },
        hint: "Report this bug, with the playbook",
      });
    }
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = deaf;
    };
  }

  async begin({ nonce, items, runsIn, continued, hideKey, timed, known }: SentFrame): Promise<void> {
    const { text } = compileFrame(items, nonce, { continued, hideKey, timed, journal: runsIn === "runner" });
    const acts = items.some(({ item }) => item === "steps");
    const functions = runsIn === "runner" ? this.#runner() : acts ? this.#actFunctions() : "";
    const run = `_frn ${nonce} ${quoteScript(text)}`;
    const hidden = hideKey === undefined ? run : `if ${canHide}; then ${run}; else printf '%s N h\\n' ${nonce}; fi`;
    // After a loss, the shell may learn that another run has taken the host; then it must not run even a read-only
    // frame.
    const inShell = this.#asked ? `_ftq ${nonce} || {\n${text.trim()}\n}` : text.trim();
    const act = runsIn === "runner" ? hidden : inShell;
    const clock = timed ? `${clockFunction}\n` : "";
    await this.#send(
      nonce,
      `${clock}${functions}`,
      timed ? `_fti b; ${act}` : act,
      known ? `! _ftv ${nonce} && _flk` : "_flk",
    );
  }

  async ask(nonce: string, taken: number, known: boolean): Promise<void> {
    // Only a session that claims the host creates its own folder before the host first answers.
    this.#asked = true;
    const flag = known && this.#identity.holder !== undefined ? 1 : 0;
    await this.#send(nonce, this.#runner(), `_fas ${nonce} ${taken} ${flag}`, "{ _ftn || _flk; }");
  }

  /** Renews the claim on the host while no frame runs. */
  async renew(): Promise<void> {
    if (this.#claimed) await this.shell.write(Buffer.from("_fls\n"));
  }

  /** The host has refused the claim: the next frame repeats it. */
  unclaimed(): void {
    this.#claimed = false;
  }

  /**
   * Makes the shell remove the session's files on the host, then ends it.
   *
   * @param awaited wait until the shell has ended, for at most one second; on a terminal, this always waits
   */
  async bye(awaited: boolean): Promise<void> {
    const goodbye = async (): Promise<void> => {
      if (this.#claimed || this.#runs) await this.shell.write(Buffer.from(`${farewell}\n`));
      this.shell.end();
      if (awaited || this.shell.onTerminal === true) await this.shell.ended;
    };
    await Promise.race([
      goodbye().catch(() => {}),
      new Promise((resolve) => after(1000, () => resolve(undefined), { idle: true })),
    ]);
  }

  /** `take` is the shell call that claims the host; it is used only if the session claims the host for its run. */
  async #send(nonce: string, functions: string, act: string, take = "_flk"): Promise<void> {
    const greeting = this.#greeted ? "" : `${prelude}${this.#names()}`;
    const hello = this.#greeted
      ? ""
      : `{ read -r _bt </proc/sys/kernel/random/boot_id; } 2>/dev/null; printf '%s H %s %s %s\\n' ${nonce} "$_bt" "$_fdn" $$; `;
    const claims = this.#identity.holder !== undefined && !this.#claimed;
    const claim = claims ? `${take} && ` : "";
    const needed = claims ? this.#claims() : "";
    this.#greeted = true;
    this.#claimed ||= claims;
    await this.shell.write(
      Buffer.from(`${greeting}${needed}${functions}{ _fn=${nonce}; ${claim}{ ${hello}${act}\n}\n}\n`),
    );
  }

  #names(): string {
    const { run, session, holder } = this.#identity;
    return `_fR=${run}; _fS=${session}; _fH='${holder ?? ""}'; _fK=${holder === undefined ? "x" : "a"}\n`;
  }

  /** The shell functions for claims, sent once and kept as text for runners. */
  #claims(): string {
    if (this.#knowsClaims) return "";
    this.#knowsClaims = true;
    return claims();
  }

  /** The functions for handing frames to a runner, sent once. */
  #runner(): string {
    if (this.#runs) return "";
    this.#runs = true;
    return `${this.#claims()}${runner()}`;
  }

  /** The functions that steps need in this shell if the host keeps no journal. */
  #actFunctions(): string {
    if (this.#acts) return "";
    this.#acts = true;
    return `${borderFunctions}\n${stepFunctions}`;
  }
}

/**
 * The shell functions for claims, kept as text for runners. They are the same for every session, so they are quoted
 * once.
 */
const claims = lazily(() => `_fC=${quoteScript(lockFunctions)}; eval "$_fC"\n`);

/** The other functions for handing frames to a runner. */
const runner = lazily(() => {
  const carried = quoteScript(`${borderFunctions}\n${stepFunctions}`);
  return `${runnerFunctions}\n_fP=$_fC${carried}\n`;
});

function lazily(make: () => string): () => string {
  let made: string | undefined;
  return () => (made ??= make());
}

/** Quotes a script in single quotes, even if shellQuote alone would add none. */
function quoteScript(text: string): string {
  return shellQuote(`${text.trim()}\n`);
}

function shellEnded(host: string, code: number | undefined, complaints: string): FurrowError {
  return new FurrowError("E_UNREACHABLE", {
    what: `the shell on the host exited while a frame was running`,
    where: { host },
    ...(code !== undefined && { current: `exit code ${code}` }),
    ...(complaints.trim() !== "" && { details: complaints.trim().split("\n").slice(-6) }),
    hint: "Rerun; if it happens again, check whether something on the host kills shells",
  });
}
