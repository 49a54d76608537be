import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Runs `work` while no other process of the machine holds the same lock, and waits for its turn.
 *
 * The lock is a bound socket in Linux' abstract namespace (unix(7)): it leaves no file, and the kernel releases it when
 * its holder dies for any reason.
 *
 * @param name any text; equal names exclude each other
 * @param onWait called once if the lock is held
 */
export async function withLock<T>(name: string, work: () => Promise<T>, onWait?: () => void): Promise<T> {
  let told = false;
  let server = await bound(name);
  while (server === undefined) {
    if (!told) onWait?.();
    told = true;
    await sleep(50);
    server = await bound(name);
  }
  try {
    return await work();
  } finally {
    server.close();
  }
}

/** Runs `work` under the lock if it is free; otherwise does nothing. */
export async function ifUnlocked(name: string, work: () => Promise<void>): Promise<void> {
  const server = await bound(name);
  if (server === undefined) return;
  try {
    await work();
  } finally {
    server.close();
  }
}

/** The socket, or undefined when another process has it. */
async function bound(name: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.listen(`\0furrow-lab:${name}`);
  try {
    await once(server, "listening");
    return server;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return undefined;
    throw error;
  }
}
