import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** The programs of one API server, whose logs are in one folder. */
export class Processes {
  readonly #folder: string;
  readonly #children: ChildProcess[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Starts a program, with its output in `NAME.log`. */
  start(name: string, program: string, argv: readonly string[]): void {
    const log = openSync(join(this.#folder, `${name}.log`), "w");
    this.#children.push(spawn(program, argv, { stdio: ["ignore", log, log] }));
    closeSync(log);
  }

  /** Waits until `isReady` returns true. Throws an Error with the end of the log after ten minutes. */
  async ready(name: string, isReady: () => boolean): Promise<void> {
    const end = Date.now() + 600_000;
    for (;;) {
      try {
        if (isReady()) return;
      } catch (error) {
        if (Date.now() > end || this.#children.some(({ exitCode }) => exitCode !== null)) {
          const log = readFileSync(join(this.#folder, `${name}.log`), "utf8").slice(-3000);
          await this.stop();
          throw new Error(`${name} does not get ready:\n${log}`, { cause: error });
        }
      }
      await pause(300);
    }
  }

  /** Stops all programs, the last one first: an API server waits for etcd if etcd stops before it. */
  async stop(): Promise<void> {
    const running = this.#children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const ends = running.map((child) => new Promise((resolve) => child.once("close", resolve)));
    for (const child of running.toReversed()) child.kill("SIGKILL");
    await Promise.all(ends);
  }
}

/**
 * Runs kubectl with a kubeconfig in a folder, which also contains kubectl's cache. Returns its stdout. Throws if it
 * fails.
 */
export function kubectlIn(folder: string, kubeconfig: string, argv: readonly string[], input = ""): string {
  const own = [`--kubeconfig=${join(folder, kubeconfig)}`, `--cache-dir=${join(folder, "kubectl")}`];
  return execFileSync("kubectl", [...own, ...argv], { input, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] });
}

/** A TCP port on the loopback interface that is not in use at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0));
    });
  });
}
