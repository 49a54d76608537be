import type { Client } from "ssh2";

/** A handler of one kind of message from the server. */
export type Handler = (protocol: Inside, ...details: unknown[]) => void;

/** A message to the server, by its method's name in ssh2. */
type Send = (this: Inside, ...details: unknown[]) => void;

/** The part of ssh2 1.17 that has no public name and that we use. */
export interface Inside {
  /** By the name of the message, as in RFC 4250: `CHANNEL_SUCCESS`. */
  readonly _handlers: Record<string, Handler>;
  service: Send;
  session: Send;
  exec: Send;
  channelData: Send;
  channelEOF: Send;
  channelClose: Send;
}

const handlers = [
  "SERVICE_ACCEPT",
  "EXT_INFO",
  "GLOBAL_REQUEST",
  "CHANNEL_OPEN_CONFIRMATION",
  "CHANNEL_OPEN_FAILURE",
  "CHANNEL_SUCCESS",
  "CHANNEL_FAILURE",
  "CHANNEL_WINDOW_ADJUST",
];
const sends = ["service", "session", "exec", "channelData", "channelEOF", "channelClose"];

/**
 * The inside of a client that has begun to connect; undefined where it is not as it is in ssh2 1.17, and then everything
 * is done by the public ways, at the price of more round trips (a test counts them).
 */
export function insideOf(client: Client): Inside | undefined {
  const { _protocol: inside } = client as unknown as { readonly _protocol?: Record<string, unknown> };
  const table = inside?.["_handlers"] as Record<string, unknown> | undefined;
  const fits =
    handlers.every((name) => typeof table?.[name] === "function") &&
    sends.every((name) => typeof inside?.[name] === "function");
  return fits ? (inside as unknown as Inside) : undefined;
}

/** The server's software as it names itself in its first line: `OpenSSH_9.2p1`. */
export function softwareOf(client: Client): string {
  return (client as unknown as { readonly _remoteVer?: string })._remoteVer ?? "";
}
