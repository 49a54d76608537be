import type { Client, ClientChannel } from "ssh2";

/** A handler for one type of message from the server. */
export type Handler = (protocol: Inside, ...details: unknown[]) => void;

/** One of ssh2's methods that send a message to the server. */
type Send = (this: Inside, ...details: unknown[]) => void;

/** The internals of ssh2 that the patches use. */
export interface Inside {
  /** Handlers by message name, as in RFC 4250: `CHANNEL_SUCCESS`. */
  readonly _handlers: Record<string, Handler>;
  service: Send;
  session: Send;
  exec: Send;
  channelData: Send;
  channelEOF: Send;
  channelClose: Send;
}

/** The internals of a client that has begun to connect. The self-test has checked that they exist. */
export function insideOf(client: Client): Inside {
  return (client as unknown as { readonly _protocol: Inside })._protocol;
}

/** The server's software as given in its first line: `OpenSSH_9.2p1`. */
export function softwareOf(client: Client): string {
  return (client as unknown as { readonly _remoteVer?: string })._remoteVer ?? "";
}

/** True once the host has reported the end of a process's output. */
export function outputIsComplete(stream: ClientChannel): boolean {
  const { incoming } = stream as { incoming?: { state?: string } };
  return incoming?.state === "eof" || incoming?.state === "closed";
}
