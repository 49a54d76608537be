import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { hostLeader, type LabHost, runInHost } from "../../src/lab/index.ts";

/** Data that a process on the host passed to the kernel: its destination, and the bytes as latin1 text. */
export interface Deed {
  readonly call: string;
  /**
   * The target of a file descriptor: a path, `pipe:[12]`, `UNIX-STREAM:[1->2]`, `TCP:[…]`; empty if there was no
   * descriptor.
   */
  readonly to: string;
  readonly data: string;
}

const calls =
  "%file,execve,execveat,write,pwrite64,writev,pwritev,pwritev2,sendto,sendmsg,sendmmsg,setxattr,memfd_create";

/** Runs strace on a host's sshd and all its descendants, from outside the host. */
export class Trace {
  readonly #file: string;
  readonly #strace: ChildProcess;

  private constructor(file: string, strace: ChildProcess) {
    this.#file = file;
    this.#strace = strace;
  }

  /** Attaches strace; resolves once every later connection is traced. */
  static async attach(host: LabHost, file: string): Promise<Trace> {
    const leader = await hostLeader(host);
    const shown = await runInHost(host, ["systemctl", "show", "--property=MainPID", "--value", "ssh"]);
    const pid = outerPid(Number(shown.stdout), leader ?? 0);
    // Only a process in the host's network namespace can resolve the host's sockets.
    const enter = [`--target=${leader}`, "--net"];
    const options = ["-f", "-v", "-yy", "-xx", "-s", "10000000", "-e", `trace=${calls}`, "-o", file, "-p", String(pid)];
    const strace = spawn("nsenter", [...enter, "strace", ...options], { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    strace.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    for (let tries = 0; !said.includes("attached"); tries += 1) {
      if (tries > 100) throw new Error(`strace did not attach: ${said}`);
      await sleep(50);
    }
    return new Trace(file, strace);
  }

  /** Detaches strace. Returns everything that the processes did. */
  async end(): Promise<readonly Deed[]> {
    // Processes that belong to a closed connection might still write.
    await sleep(300);
    const ended = once(this.#strace, "close");
    this.#strace.kill("SIGTERM");
    await ended;
    return parseTrace(readFileSync(this.#file, "latin1"));
  }
}

/** The process id, outside the host, of a process inside it. */
function outerPid(inside: number, leader: number): number {
  const namespace = (pid: number | string): string => readFileSync(`/proc/${pid}/status`, "utf8");
  const depth = (text: string): string[] => /^NSpid:\s+(.*)$/m.exec(text)?.[1]?.split(/\s+/) ?? [];
  const levels = depth(namespace(leader)).length;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const numbers = depth(namespace(pid));
      if (numbers.length === levels && Number(numbers.at(-1)) === inside && isBelow(Number(pid), leader))
        return Number(pid);
    } catch {
      // The process has already ended.
    }
  }
  throw new Error(`no process in the host has the PID ${inside}`);
}

function isBelow(pid: number, ancestor: number): boolean {
  for (let at = pid; at > 1;) {
    if (at === ancestor) return true;
    at = Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${at}/status`, "utf8"))?.[1] ?? 0);
  }
  return false;
}

/** Parses strace's output with -xx and -yy; joins consecutive writes by one process to one destination. */
export function parseTrace(text: string): Deed[] {
  const deeds: Deed[] = [];
  const streams = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [, pid = "", call = "", rest = ""] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? [];
    if (call === "") continue;
    const to = decode(/^-?\d+<(.+?)>, /.exec(rest)?.[1] ?? "");
    const data = [...rest.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = ""]) => decode(hex));
    if (/write|send/.test(call)) {
      const key = `${pid} ${call} ${to}`;
      streams.set(key, [...(streams.get(key) ?? []), ...data]);
    } else deeds.push({ call, to: "", data: data.join("\0") });
  }
  for (const [key, parts] of streams) {
    const [, call = "", ...to] = key.split(" ");
    deeds.push({ call, to: to.join(" "), data: parts.join("") });
  }
  return deeds;
}

function decode(hex: string): string {
  return hex.replaceAll(/\\x([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
