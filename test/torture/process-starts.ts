import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { hostLeader, type LabHost } from "../../src/lab/index.ts";

/**
 * Called each time a program starts.
 *
 * @param line as strace prints it: `execve("/bin/mv", ["mv", …], …) = 0`
 * @param pid on this machine; 0 if strace follows only one process
 */
export type StartListener = (line: string, pid: number) => void;

/** Reports every program that a lab host's sshd, or one of its descendants, starts. */
export class ProcessStarts {
  readonly #host: LabHost;
  readonly #tracers = new Set<ChildProcess>();
  readonly #begun = new Map<string, string>();
  #listener: StartListener = () => {};

  constructor(host: LabHost) {
    this.#host = host;
  }

  listen(listener: StartListener): void {
    this.#listener = listener;
  }

  /** Traces the listening sshd. Resolves when strace is attached. */
  async attach(): Promise<void> {
    const leader = (await hostLeader(this.#host)) ?? 0;
    const find = (): string | undefined =>
      readdirSync("/proc").find((pid) => /^\d+$/.test(pid) && isListener(pid, leader));
    let sshd = find();
    for (let tried = 0; sshd === undefined && tried < 100; tried += 1) {
      await sleep(50);
      sshd = find();
    }
    if (sshd === undefined) throw new Error("the lab host has no sshd");
    const tracer = spawn("strace", ["-f", "-e", "trace=execve", "-e", "signal=none", "-s", "200", "-p", sshd], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#tracers.add(tracer);
    await new Promise<void>((resolve, reject) => {
      let said = "";
      tracer.once("exit", () => reject(new Error(`strace ended: ${said}`)));
      createInterface({ input: tracer.stderr }).on("line", (line) => {
        if (said.length < 1000) said += `${line}\n`;
        if (line.includes(`Process ${sshd} attached`)) resolve();
        this.#heard(line);
      });
    });
  }

  /** strace splits a line in two if another process's output interrupts it. */
  #heard(line: string): void {
    const [, pid = "", said = ""] = /^(?:\[pid +(\d+)\] )?(.*)$/.exec(line) ?? [];
    const cut = / <unfinished \.\.\.>$/.exec(said);
    if (cut !== null && said.startsWith("execve(")) this.#begun.set(pid, said.slice(0, cut.index));
    const rest = /^<\.\.\. execve resumed>(.*)$/.exec(said)?.[1];
    const whole = rest === undefined ? said : `${this.#begun.get(pid) ?? ""}${rest}`;
    if (rest !== undefined) this.#begun.delete(pid);
    // The second part of a split line is indented further.
    if (/^execve\(.*\) += 0/.test(whole)) this.#listener(whole, Number(pid));
  }

  close(): void {
    for (const tracer of this.#tracers) tracer.kill();
  }
}

/** True for the listening sshd, which is a child of the host's PID 1. */
function isListener(pid: string, leader: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const listens = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("[listener]");
    return listens && /^Name:\s+sshd$/m.test(status) && new RegExp(`^PPid:\\s+${leader}$`, "m").test(status);
  } catch {
    return false;
  }
}
