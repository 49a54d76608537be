import { FurrowError } from "../../core/errors.ts";
import type { Address, Channel, Link, LinkStats, Transport } from "../../core/host/transport.ts";
import { localChannel } from "./channel.ts";
import { outside } from "../outside.ts";

/**
 * The transport for addresses with `transport: "local"`. It starts processes on the controller itself, as the user who
 * runs furrow.
 */
export const localTransport: Transport = {
  connect: (address, signal) =>
    new Promise((resolve) => {
      signal.throwIfAborted();
      resolve(new LocalLink(address));
    }),
};

/**
 * Environment variables that a login also sets. Steps do not see the controller's other variables (cloud keys, npm
 * settings).
 */
const keptVariables = ["HOME", "USER", "LOGNAME", "SHELL", "TZ", "TMPDIR", "XDG_RUNTIME_DIR"];

class LocalLink implements Link {
  readonly closed: Promise<undefined>;
  readonly #host: string;
  readonly #open = new Set<Channel>();
  readonly #count = { sent: 0, received: 0, channels: 0 };
  #isClosed = false;
  #close!: (reason: undefined) => void;

  constructor(address: Address) {
    this.#host = address.name;
    this.closed = new Promise((resolve) => (this.#close = resolve));
  }

  exec(command: string): Promise<Channel> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(this.#gone("the link was closed"));
        return;
      }
      // Use a new process group: furrow handles Ctrl-C itself, and `destroy` ends the whole group.
      const child = outside.spawn("/bin/sh", ["-c", command], { detached: true, env: environment() });
      child.once("error", (error) => reject(this.#gone(error.message)));
      child.once("spawn", () => {
        const channel = localChannel(child, this.#host, this.#count);
        this.#count.channels += 1;
        this.#open.add(channel);
        channel.ended.finally(() => this.#open.delete(channel)).catch(() => undefined);
        resolve(channel);
      });
    });
  }

  execPty(): Promise<Channel> {
    return Promise.reject(
      new FurrowError("E_BECOME", {
        what: "the local transport cannot provide a terminal",
        where: { host: this.#host },
        hint: "Remove requiretty from sudoers, use sudo or su instead of doas, or connect to this machine over SSH at 127.0.0.1",
      }),
    );
  }

  stats(): LinkStats {
    return { bytesSent: this.#count.sent, bytesReceived: this.#count.received, channels: this.#count.channels };
  }

  close(): Promise<void> {
    this.#isClosed = true;
    for (const channel of this.#open) channel.destroy();
    this.#close(undefined);
    return Promise.resolve();
  }

  #gone(reason: string): FurrowError {
    return new FurrowError("E_UNREACHABLE", {
      what: "no process can be started on the controller",
      where: { host: this.#host },
      current: reason,
      hint: "Check the controller's limits (ulimit -u, ulimit -n) and that /bin/sh exists",
    });
  }
}

function environment(): NodeJS.ProcessEnv {
  const kept = keptVariables.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  const path = (process.env["PATH"] ?? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
    .split(":")
    .filter((folder) => !folder.endsWith("node_modules/.bin"));
  return { ...(Object.fromEntries(kept) as NodeJS.ProcessEnv), PATH: path.join(":") };
}
