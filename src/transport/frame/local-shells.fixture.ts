import { spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Channel, Link } from "../../core/transport.ts";
import { localChannel } from "../local/channel.ts";

/** The shells of this machine that frames must run in; busybox and mksh where they are installed. */
export const shellsHere: readonly string[] = ["dash", "bash", "busybox", "mksh"].filter((shell) =>
  existsSync(`/usr/bin/${shell}`),
);

/** Starts a program `sh` of this machine that is the shell under test; `folder` gets a link to it. */
export function startShell(shell: string, folder: string, argv: readonly string[] = []): Promise<Channel> {
  const path = join(folder, `bin-${shell}`);
  mkdirSync(path, { recursive: true });
  rmSync(join(path, "sh"), { force: true });
  symlinkSync(`/usr/bin/${shell}`, join(path, "sh"));
  const env = { ...process.env, PATH: `${path}:${process.env["PATH"]}` };
  const child = spawn(join(path, "sh"), argv, { detached: true, env });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("spawn", () => resolve(localChannel(child, "here", { sent: 0, received: 0 })));
  });
}

/** A link of this machine on which `sh` is the shell under test. */
export function localLink(shell: string, folder: string): Link {
  const exec = (command: string): Promise<Channel> => startShell(shell, folder, ["-c", command]);
  return {
    exec,
    execPty: exec,
    stats: () => ({ bytesSent: 0, bytesReceived: 0, channels: 1 }),
    close: () => Promise.resolve(),
    closed: new Promise(() => {}),
  };
}
