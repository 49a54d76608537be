import { spawn } from "node:child_process";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

/** A command that a stand-in was asked to run. */
export interface Asked {
  readonly path: string;
  readonly argv: readonly string[];
  readonly protocol: string;
  readonly hasStdin: boolean;
}

/** What a stand-in does instead of running the command. */
export type Odd = (socket: WebSocket, asked: Asked) => void;

/**
 * Stands in for a kubelet with a container runtime: it accepts commands over WebSockets, as an API server forwards
 * them, and runs them as processes on this machine. There are no containers, so paths and programs are those of this
 * machine.
 */
export class KubeletStandIn {
  /** The commands so far. */
  readonly asked: Asked[] = [];
  /** The protocols that the stand-in supports; a kubelet before Kubernetes 1.30 does not support v5. */
  protocols: readonly string[] = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
  odd: Odd | undefined;
  /** The response to an unsupported protocol, as sent by x/net/websocket, which kubelets use. */
  refusal = "403 Forbidden";
  readonly #sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => this.protocols.find((one) => offered.has(one)) ?? false,
  });
  #server: Server | undefined;

  /** Listens, and accepts only connections with a certificate of this CA. Returns the port. */
  async up(tls: { readonly key: Buffer; readonly cert: Buffer; readonly ca: Buffer }): Promise<number> {
    this.#server = createServer({ ...tls, requestCert: true, rejectUnauthorized: true });
    this.attach(this.#server);
    const server = this.#server;
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    return (server.address() as AddressInfo).port;
  }

  /** Makes a server that is already listening accept commands at the paths of an API server or a kubelet. */
  attach(server: Server): void {
    server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  down(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? "", "https://kubelet");
    const offered = (request.headers["sec-websocket-protocol"] ?? "").split(/, */);
    if (!offered.some((one) => this.protocols.includes(one))) {
      return void socket.end(`HTTP/1.1 ${this.refusal}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    }
    return this.#sockets.handleUpgrade(request, socket, head, (open) => {
      const one = {
        path: url.pathname,
        argv: url.searchParams.getAll("command"),
        protocol: open.protocol,
        hasStdin: ["stdin", "input"].some((name) => ["1", "true"].includes(url.searchParams.get(name) ?? "")),
      };
      this.asked.push(one);
      if (this.odd === undefined) runCommand(open, one);
      else this.odd(open, one);
    });
  }
}

/** Sends data on a stream: 1 is stdout, 2 is stderr, 3 is how the command ended. */
export function tell(socket: WebSocket, stream: number, data: string | Buffer): void {
  socket.send(Buffer.concat([Buffer.of(stream), Buffer.from(data)]));
}

/** The status of a command that exited with this code. */
export function statusOf(exitCode: number): string {
  if (exitCode === 0) return JSON.stringify({ metadata: {}, status: "Success" });
  const causes = [{ reason: "ExitCode", message: String(exitCode) }];
  const message = `command terminated with non-zero exit code: exit code ${exitCode}`;
  return JSON.stringify({ metadata: {}, status: "Failure", reason: "NonZeroExitCode", message, details: { causes } });
}

function runCommand(socket: WebSocket, { argv: [program = "", ...args], protocol, hasStdin }: Asked): void {
  const child = spawn(program, args, { stdio: [hasStdin ? "pipe" : "ignore", "pipe", "pipe"] });
  child.stdout?.on("data", (data: Buffer) => tell(socket, 1, data));
  child.stderr?.on("data", (data: Buffer) => tell(socket, 2, data));
  child.stdin?.on("error", () => undefined);
  socket.on("message", (data: Buffer) => {
    if (data[0] === 0) child.stdin?.write(data.subarray(1));
    if (data[0] === 255 && data[1] === 0 && protocol.startsWith("v5")) child.stdin?.end();
  });
  socket.on("close", () => child.stdin?.end());
  child.on("error", () => {
    const message = `OCI runtime exec failed: exec: "${program}": executable file not found in $PATH: unknown`;
    tell(socket, 3, JSON.stringify({ metadata: {}, status: "Failure", reason: "InternalError", message, code: 500 }));
    socket.close(1000);
  });
  child.on("close", (code) => {
    if (code === null || code < 0) return;
    tell(socket, 3, statusOf(code));
    socket.close(1000);
  });
}
