import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Channel, Link } from "../../core/transport.ts";
import { localChannel } from "../local/channel.ts";

/** Where a frame may keep what lives as long as a run. */
export const runFolders = ["/run", "/tmp", "/var/tmp", "/dev/shm"] as const;

/** A mount namespace of its own in which the folders of runs are small file systems in memory. */
export class TinyFolders {
  readonly #holder: ChildProcess;

  private constructor(holder: ChildProcess) {
    this.#holder = holder;
  }

  /** `options` are those of `mount -t tmpfs -o`, for each folder. Needs root. */
  static async mount(options: string): Promise<TinyFolders> {
    const script = runFolders.map((folder) => `mount -t tmpfs -o ${options} tiny ${folder}`).join(" && ");
    const words = ["-m", "--propagation", "private", "sh", "-c", `${script} && echo ready && exec sleep 600`];
    const holder = spawn("unshare", words, { stdio: ["ignore", "pipe", "inherit"] });
    await once(holder.stdout, "data");
    return new TinyFolders(holder);
  }

  /** What a script prints that runs inside. */
  run(script: string): string {
    return execFileSync("nsenter", ["-t", String(this.#holder.pid), "-m", "sh", "-c", script], { encoding: "utf8" });
  }

  /** A link on which `sh` is the shell under test, inside; `folder` gets a link to that shell. */
  link(shell: string, folder: string): Link {
    const path = join(folder, `bin-${shell}`);
    mkdirSync(path, { recursive: true });
    rmSync(join(path, "sh"), { force: true });
    symlinkSync(`/usr/bin/${shell}`, join(path, "sh"));
    const env = { ...process.env, PATH: `${path}:${process.env["PATH"]}` };
    const exec = async (command: string): Promise<Channel> => {
      const words = ["-t", String(this.#holder.pid), "-m", "sh", "-c", command];
      const child = spawn("nsenter", words, { detached: true, env });
      await once(child, "spawn");
      return localChannel(child, "here", { sent: 0, received: 0 });
    };
    return {
      exec,
      execPty: exec,
      stats: () => ({ bytesSent: 0, bytesReceived: 0, channels: 1 }),
      close: () => Promise.resolve(),
      closed: new Promise(() => {}),
    };
  }

  unmount(): void {
    this.#holder.kill("SIGKILL");
  }
}
