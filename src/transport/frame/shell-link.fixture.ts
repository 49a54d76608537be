import { spawn } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Channel, Link } from "../../core/transport.ts";
import { localChannel } from "../local/channel.ts";

/** A link of this machine on which `sh` is the shell under test, by way of a link in `folder`. */
export function linkTo(shell: string, folder: string): Link {
  const path = join(folder, `bin-${shell}`);
  mkdirSync(path, { recursive: true });
  rmSync(join(path, "sh"), { force: true });
  symlinkSync(`/usr/bin/${shell}`, join(path, "sh"));
  const exec = async (command: string): Promise<Channel> => {
    const env = { ...process.env, PATH: `${path}:${process.env["PATH"]}` };
    const child = spawn("/bin/sh", ["-c", command], { detached: true, env });
    await new Promise((resolve) => child.once("spawn", resolve));
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
