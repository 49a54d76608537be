import type { Client, ClientChannel } from "ssh2";
import { softwareOf, type Handler, type Inside } from "./inside.ts";

/** A server's report about a channel that it has opened. */
interface Opened {
  readonly recipient: number;
  readonly sender: number;
  readonly window: number;
  readonly packetSize: number;
}

/** Number of bytes to send to a process before the server states its window. OpenSSH allows 2 MiB. */
const guessedWindow = 256 * 1024;

/** The number of the first channel on both sides. The server's number is a guess that is correct for OpenSSH. */
const first = 0;

const sends = ["session", "exec", "channelData", "channelEOF", "channelClose"] as const;

/**
 * Starts a connection's first process without waiting for answers. When furrow opens the channel and starts the
 * process, ssh2 gets the answers that OpenSSH is expected to give; the real answers are compared with them later. That
 * saves two round trips, and a third if the channel is opened right after the login request: "any non-authentication
 * messages sent by the client after the request that resulted in success MUST be passed by the server to the service"
 * (RFC 4252, 5.1). A server that refuses the login drops what follows it (OpenSSH) or disconnects (others). Dropped
 * messages are sent again once another login succeeds.
 */
export class HeadStart {
  readonly #client: Client;
  readonly #inside: Inside;
  /** Everything sent to the channel while the result of the login is unknown. */
  readonly #sent: (() => void)[] = [];
  #letIn = false;
  #used = false;

  /** Takes a client that has begun to connect. */
  constructor(client: Client, inside: Inside) {
    this.#client = client;
    this.#inside = inside;
  }

  /** True while no channel has been opened, if the answers of this server software are known. */
  get isOpen(): boolean {
    return !this.#used && softwareOf(this.#client).startsWith("OpenSSH_");
  }

  /**
   * Starts a process. `wrong` is called later, at most once, if the server's answers differ from the guesses. After
   * that, the connection is unusable.
   */
  exec(command: string, wrong: (error: Error) => void): ClientChannel {
    this.#used = true;
    if (!this.#letIn) this.#record();
    let stream: ClientChannel | undefined;
    this.#client.exec(command, (error, opened) => {
      if (error === undefined) stream = opened;
    });
    const { CHANNEL_OPEN_CONFIRMATION: confirm, CHANNEL_SUCCESS: succeed } = this.#inside._handlers;
    confirm?.(this.#inside, { recipient: first, sender: first, window: guessedWindow, packetSize: 32 * 1024 });
    succeed?.(this.#inside, first);
    if (stream === undefined) throw new Error("ssh2 does not open a channel before the host answers");
    this.#holdAgainst(wrong);
    return stream;
  }

  /**
   * Call this when the login has succeeded. `again` is true if the first attempt failed: the server has then dropped
   * the messages that followed that attempt.
   */
  letIn(again: boolean): void {
    this.#letIn = true;
    if (!this.#used) return;
    for (const name of sends) Reflect.deleteProperty(this.#inside, name);
    if (again) for (const send of this.#sent) send();
    this.#sent.length = 0;
  }

  #record(): void {
    const inside = this.#inside;
    for (const name of sends) {
      const original = inside[name];
      inside[name] = (...details) => {
        const send = (): void => original.apply(inside, details);
        this.#sent.push(send);
        send();
      };
    }
  }

  #holdAgainst(wrong: (error: Error) => void): void {
    let owed = guessedWindow;
    this.#take("CHANNEL_OPEN_CONFIRMATION", ({ sender, window }: Opened) => {
      owed -= window;
      if (sender !== first) wrong(new Error(`the first channel has the number ${sender} on the host`));
    });
    this.#take("CHANNEL_SUCCESS", () => undefined);
    const refuse = (what: string) => () => wrong(new Error(what));
    this.#take("CHANNEL_OPEN_FAILURE", refuse("the host refuses the channel"));
    this.#take("CHANNEL_FAILURE", refuse("the host does not start the process"));
    const adjust = this.#inside._handlers["CHANNEL_WINDOW_ADJUST"] as Handler;
    this.#inside._handlers["CHANNEL_WINDOW_ADJUST"] = (protocol, recipient, amount) => {
      if (recipient !== first || owed <= 0) {
        adjust(protocol, recipient, amount);
        return;
      }
      owed -= amount as number;
      if (owed < 0) adjust(protocol, recipient, -owed);
    };
  }

  /** Handles, in place of ssh2, the first message of this type about the first channel. */
  #take(name: string, hear: (details: never) => void): void {
    const original = this.#inside._handlers[name] as Handler;
    this.#inside._handlers[name] = (protocol, ...details) => {
      const [about] = details;
      const recipient = typeof about === "object" && about !== null ? (about as Opened).recipient : about;
      if (recipient !== first) {
        original(protocol, ...details);
        return;
      }
      this.#inside._handlers[name] = original;
      hear(about as never);
    };
  }
}
