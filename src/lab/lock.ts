import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits for a lock, and runs `work` while holding it: no other process on the machine can hold the same lock at the
 * same time.
 *
 * The lock is a socket bound in Linux's abstract namespace (unix(7)): it leaves no file behind, and the kernel releases
 * it when the process that holds it ends for any reason.
 *
 * @param name any string; only locks with the same name exclude each other
 * @param onWait called once if another process holds the lock
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

/** The bound socket, or undefined if another process holds the lock. */
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
