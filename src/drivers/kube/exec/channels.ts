import type { IncomingMessage } from "node:http";
import type { RawData, WebSocket } from "ws";
import { z } from "zod";
import { keptOutputBytes, type StepResult } from "../../../core/host/step.ts";
import type { Credential } from "../../kubeconfig/exec-credential.ts";
import type { ClusterAccess } from "../../kubeconfig/kubeconfig.ts";
import { agentFor } from "../../kubeconfig/proxy-agent.ts";
import { type ApiAnswer, NoAnswer, parsed } from "../../kubernetes-exchange.ts";

/** How a command in a container ended, or why the server did not start it. */
export type Ended = { readonly result: StepResult } | { readonly refused: ApiAnswer } | { readonly failed: string };

/** The command as it is sent to the server. */
export interface Sent {
  readonly path: string;
  /** Text for stdin, if any. */
  readonly stdin: string | undefined;
  readonly deadlineMs: number;
}

/** A command that did not finish before the deadline. */
export class TooLate extends Error {}

const streams = { stdin: 0, stdout: 1, stderr: 2, status: 3, close: 255 } as const;
const connectMs = 30_000;
/** A connection that is silent for this long is treated as lost. */
const silenceMs = 60_000;
const chunk = 32 * 1024;

/**
 * Runs a command over a WebSocket, on which each message begins with the number of its stream
 * (`v5.channel.k8s.io`, https://kubernetes.io/blog/2024/08/20/websockets-transition/). Throws NoAnswer if there is no
 * connection, or if the connection is lost before the server has reported how the command ended; TooLate at the
 * deadline; or the signal's reason.
 */
export async function runOverChannels(
  access: ClusterAccess,
  credential: Credential,
  sent: Sent,
  signal: AbortSignal,
): Promise<Ended> {
  const { WebSocket: Socket } = await import("ws");
  const { ca, insecure, serverName, impersonation } = access;
  const { cert, key, token } = credential;
  // Only version 5 of the protocol can close stdin. With an older version, a command would wait for more input, or
  // treat an empty stdin as the whole input.
  const protocols = ["v5.channel.k8s.io", ...(sent.stdin === undefined ? ["v4.channel.k8s.io"] : [])];
  signal.throwIfAborted();
  const socket = new Socket(new URL(access.server + sent.path), protocols, {
    agent: agentFor(access, { keepAlive: false }),
    rejectUnauthorized: !insecure,
    handshakeTimeout: connectMs,
    perMessageDeflate: false,
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(serverName !== undefined && { servername: serverName }),
    headers: {
      "user-agent": "furrow",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...impersonation,
    },
  });
  return new Promise((settle, fail) => new Exchange(socket, sent, signal, settle, fail));
}

class Exchange {
  readonly #socket: WebSocket;
  readonly #output = { stdout: new Tail(), stderr: new Tail() };
  readonly #stop: () => void;
  #status = "";
  #error: Error | undefined;
  #refused: ApiAnswer | undefined;
  #isOpen = false;

  constructor(
    socket: WebSocket,
    { stdin, deadlineMs }: Sent,
    signal: AbortSignal,
    settle: (ended: Ended) => void,
    fail: (error: unknown) => void,
  ) {
    this.#socket = socket;
    const abort = (): void => this.#end(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    const deadline = setTimeout(() => this.#end(new TooLate()), deadlineMs);
    const heartbeat = this.#heartbeat();
    this.#stop = () => {
      clearTimeout(deadline);
      clearInterval(heartbeat);
      signal.removeEventListener("abort", abort);
    };
    socket.on("open", () => {
      this.#isOpen = true;
      if (stdin !== undefined) this.#send(stdin);
    });
    socket.on("message", (data: RawData) =>
      this.#take(Buffer.isBuffer(data) ? data : Buffer.from(data as ArrayBuffer)),
    );
    socket.on("unexpected-response", (_request, response) => void this.#readRefusal(response));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      this.#error ??= new NoAnswer(error.code ?? "ERROR", error.message);
    });
    socket.on("close", () => {
      this.#stop();
      try {
        settle(this.#ended());
      } catch (error) {
        fail(error);
      }
    });
  }

  #end(error: Error): void {
    this.#error ??= error;
    this.#socket.terminate();
  }

  /**
   * Sends pings, because proxies close an idle connection. Ends the connection if it stays silent for too long, because
   * otherwise neither end would notice that the other is gone.
   */
  #heartbeat(): NodeJS.Timeout {
    let heard = Date.now();
    for (const event of ["pong", "ping", "message", "open"]) this.#socket.on(event, () => (heard = Date.now()));
    return setInterval(() => {
      if (!this.#isOpen) return;
      if (Date.now() - heard > silenceMs) this.#end(new NoAnswer("timeout", `silence for ${silenceMs / 1000} seconds`));
      else if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
    }, 5000);
  }

  #send(stdin: string): void {
    const bytes = Buffer.from(stdin, "utf8");
    for (let at = 0; at < bytes.length; at += chunk) {
      this.#socket.send(Buffer.concat([Buffer.of(streams.stdin), bytes.subarray(at, at + chunk)]));
    }
    this.#socket.send(Buffer.of(streams.close, streams.stdin));
  }

  #take(message: Buffer): void {
    const data = message.subarray(1);
    if (message[0] === streams.stdout) this.#output.stdout.add(data);
    else if (message[0] === streams.stderr) this.#output.stderr.add(data);
    else if (message[0] === streams.status && this.#status.length < 65_536) this.#status += data.toString("utf8");
  }

  async #readRefusal(response: IncomingMessage): Promise<void> {
    let body = "";
    try {
      for await (const part of response) if (body.length < 65_536) body += String(part);
    } catch {
      // There will be no more output: use what has arrived.
    }
    this.#refused = { status: response.statusCode ?? 0, body };
    this.#socket.terminate();
  }

  #ended(): Ended {
    if (this.#refused !== undefined) return { refused: this.#refused };
    const status = statusSchema.safeParse(parsed(this.#status)).data;
    // The result of a finished command counts, even if the connection was not closed cleanly.
    if (status === undefined) {
      throw this.#error ?? new NoAnswer("cut-short", "the connection ended before the command did");
    }
    const { stdout, stderr } = this.#output;
    const exitCode = exitCodeIn(status);
    if (exitCode === undefined) return { failed: status.message };
    const cut = (["stdout", "stderr"] as const).filter((name) => this.#output[name].isCut);
    return { result: { exitCode, stdout: stdout.text, stderr: stderr.text, ...(cut.length > 0 && { cut }) } };
  }
}

const statusSchema = z.looseObject({
  status: z.enum(["Success", "Failure"]),
  reason: z.string().default(""),
  message: z.string().default("it gave no reason"),
  details: z
    .looseObject({
      causes: z.array(z.looseObject({ reason: z.string().default(""), message: z.string().default("") })).default([]),
    })
    .default({ causes: [] }),
});

/** The exit code of a command; undefined if the container did not run it. */
function exitCodeIn({ status, reason, details }: z.output<typeof statusSchema>): number | undefined {
  if (status === "Success") return 0;
  const code = details.causes.find((cause) => cause.reason === "ExitCode")?.message ?? "";
  return reason === "NonZeroExitCode" && /^[1-9]\d{0,2}$/.test(code) ? Number(code) : undefined;
}

/** Stores the last part of a stream. */
class Tail {
  #parts: Buffer[] = [];
  #size = 0;
  isCut = false;

  add(part: Buffer): void {
    this.#parts.push(part);
    this.#size += part.length;
    // Joined only now and then, because joining copies the data.
    if (this.#size > 4 * keptOutputBytes) this.#shorten();
  }

  get text(): string {
    this.#shorten();
    const text = Buffer.concat(this.#parts).toString("utf8");
    return this.isCut ? `(only the last ${keptOutputBytes / 1024} KiB are kept)\n${text}` : text;
  }

  #shorten(): void {
    if (this.#size <= keptOutputBytes) return;
    this.isCut = true;
    this.#parts = [Buffer.concat(this.#parts).subarray(-keptOutputBytes)];
    this.#size = keptOutputBytes;
  }
}
