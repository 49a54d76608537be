import { FurrowError } from "../../../core/errors.ts";
import type { Address } from "../../../core/host/transport.ts";
import type { OpenableTunnel } from "../../../core/host/tunnel.ts";
import { gatherWrites, type Wire } from "../wire.ts";
import { brokenTunnel, noTunnel } from "./failure.ts";
import { startTunnel, type TunnelEnd, type TunnelProcess } from "./process.ts";
import { tunnelProgram } from "./program.ts";
import { TunnelStream } from "./stream.ts";

/** Number of bytes that the program may print before the host's first line. */
const mostNotes = 16 * 1024;

/**
 * Opens a tunnel to the host's SSH port, and waits for the first line of its SSH server. The program may print lines
 * before it, as session-manager-plugin does; they are dropped. Throws `signal.reason`, E_UNREACHABLE or E_AUTH; if
 * another attempt cannot help, the error is wrapped in an AbortError.
 */
export async function openTunnel(address: Address, tunnel: OpenableTunnel, signal: AbortSignal): Promise<Wire> {
  signal.throwIfAborted();
  const program = tunnelProgram(tunnel, address.port);
  const running = startTunnel(program);
  const start = await greeting(running, signal).catch((error: unknown) => {
    running.end();
    throw signal.aborted ? error : noProcess(address, error as Error);
  });
  if (!Buffer.isBuffer(start)) {
    running.end();
    throw noTunnel(address, tunnel, program, start);
  }
  let lost: FurrowError | undefined;
  running.ended.then(
    (end) => {
      if (!running.wasEnded) lost = brokenTunnel(address, tunnel, program, end);
    },
    () => undefined,
  );
  const stream = new TunnelStream(running, start);
  gatherWrites(stream);
  return { stream, sent: () => stream.sent, received: () => stream.received, lost: () => lost, isRelayed: true };
}

function noProcess(address: Address, error: Error): FurrowError {
  return new FurrowError("E_UNREACHABLE", {
    what: "no process can be started on the controller",
    where: { host: address.name },
    current: error.message,
    hint: "Check the controller's limits (ulimit -u, ulimit -n)",
    cause: error,
  });
}

/** Resolves to the first bytes from the host or, if none arrive, to how the program ended. */
function greeting({ stdout, ended }: TunnelProcess, signal: AbortSignal): Promise<Buffer | TunnelEnd> {
  let notes = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      signal.removeEventListener("abort", abort);
      stdout.off("data", hear);
      stdout.pause();
    };
    const abort = (): void => {
      settle();
      reject(signal.reason as Error);
    };
    const hear = (data: Buffer): void => {
      notes = Buffer.concat([notes, data]);
      const at = firstLine(notes);
      if (at === undefined && notes.length < mostNotes) return;
      settle();
      resolve(
        at === undefined ? { code: null, said: "the program printed something other than SSH" } : notes.subarray(at),
      );
    };
    signal.addEventListener("abort", abort, { once: true });
    stdout.on("data", hear);
    ended.then(
      ({ code, said }) => {
        settle();
        resolve({ code, said: `${notes.toString("utf8")}\n${said}` });
      },
      (error: unknown) => {
        settle();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}

/** Where an SSH server's first line begins (RFC 4253, 4.2). */
function firstLine(text: Buffer): number | undefined {
  if (text.indexOf("SSH-") === 0) return 0;
  const at = text.indexOf("\nSSH-");
  return at < 0 ? undefined : at + 1;
}
