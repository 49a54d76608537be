import { Duplex } from "node:stream";
import type { Client } from "ssh2";
import { insideOf } from "./inside.ts";
import type { Patches } from "./patches.ts";

/** The version of ssh2 that the patches were written for and tested with. package.json pins it. */
export const patchedVersion = "1.17.0";

const handlers = [
  "SERVICE_ACCEPT",
  "EXT_INFO",
  "GLOBAL_REQUEST",
  "CHANNEL_OPEN_CONFIRMATION",
  "CHANNEL_OPEN_FAILURE",
  "CHANNEL_SUCCESS",
  "CHANNEL_FAILURE",
  "CHANNEL_WINDOW_ADJUST",
  "CHANNEL_EOF",
];
const methods = ["service", "authPK", "session", "exec", "channelData", "channelEOF", "channelClose"];

/** Stands in for a server: reads everything and never answers. */
class SilentServer extends Duplex {
  override _read(): void {}
  override _write(_data: Buffer, _encoding: string, done: () => void): void {
    done();
  }
}

/**
 * Finds a difference between this ssh2's internals and those that the patches were written for; undefined if they are
 * the same. It checks a client that talks to a silent server in memory, and starts a process on it without waiting for
 * answers. The check uses no network and takes about a millisecond. It runs once in each run that connects by SSH.
 */
export function findDifference(version: string, Ssh2Client: typeof Client, patches: Patches): string | undefined {
  if (version !== patchedVersion) return `ssh2 has version ${version}, but the patches are for ${patchedVersion}`;
  const client = new Ssh2Client();
  client.on("error", () => undefined);
  try {
    const server = new SilentServer();
    client.connect({ sock: server, username: "nobody", readyTimeout: 0 });
    return missingPart(client) ?? wrongChannel(client, patches.apply(client, server), patches);
  } catch (error) {
    return `a patched ssh2 fails: ${(error as Error).message}`;
  } finally {
    client.destroy();
  }
}

function missingPart(client: Client): string | undefined {
  const inside = insideOf(client) as unknown as Record<string, unknown> | undefined;
  const table = inside?.["_handlers"] as Record<string, unknown> | undefined;
  const handler = handlers.find((name) => typeof table?.[name] !== "function");
  if (handler !== undefined) return `ssh2 has no handler named ${handler}`;
  const method = methods.find((name) => typeof inside?.[name] !== "function");
  if (method !== undefined) return `ssh2's protocol has no method named ${method}`;
  return "_remoteVer" in client ? undefined : "ssh2's client does not keep the server's version";
}

function wrongChannel(client: Client, headStart: ReturnType<Patches["apply"]>, patches: Patches): string | undefined {
  const stream = headStart.exec("true", () => undefined);
  if (patches.outputIsComplete(stream)) return "ssh2 considers the output of a new process complete";
  insideOf(client)._handlers["CHANNEL_EOF"]?.(insideOf(client), 0);
  return patches.outputIsComplete(stream) ? undefined : "ssh2 does not record that a process's output is complete";
}
