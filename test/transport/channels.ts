import type { Channel, Link } from "../../src/core/host/transport.ts";
import { outputOf } from "./sshd.ts";

/** The output of a command, trimmed. */
export async function says(link: Link, command: string): Promise<string> {
  const { stdout } = await outputOf(await link.exec(command));
  return stdout.trim();
}

/** Listens to a channel's stdout. Returns the complete output once the channel has ended. */
export function heard(channel: Channel): () => Buffer {
  const chunks: Uint8Array[] = [];
  channel.onStdout((data) => void chunks.push(data));
  return () => Buffer.concat(chunks);
}

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

/**
 * Sends every byte through a terminal on the host. Returns the received bytes, and the expected bytes: a line from the
 * host, and then each byte unchanged.
 */
export async function throughTerminal(link: Link): Promise<readonly [seen: Buffer, wanted: Buffer]> {
  const terminal = await link.execPty("tty >/dev/null && echo tty && exec head -c 256");
  const seen = heard(terminal);
  await terminal.write(everyByte);
  await terminal.ended;
  return [seen(), Buffer.concat([Buffer.from("tty\n"), everyByte])];
}
