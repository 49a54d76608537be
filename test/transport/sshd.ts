import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { Address, Channel } from "../../src/core/host/transport.ts";

/** True if the tests can create users and test every kind of login. */
export const isRoot = userInfo().uid === 0;

/** A real sshd on 127.0.0.1, with its own keys and folder. */
export interface Sshd {
  readonly port: number;
  readonly folder: string;
  readonly hostKeys: { readonly ed25519: string; readonly ecdsa: string; readonly rsa: string };
  /** The sshd's log so far. */
  log(): string;
  /** How many connections the sshd has accepted so far. */
  connections(): number;
  stop(): Promise<void>;
}

/** Creates a folder that `cleanUp` removes. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "furrow-transport-"));
  folders.push(folder);
  // Other users log in and must be able to read these files.
  chmodSync(folder, 0o755);
  return folder;
}
const folders: string[] = [];

/** Removes all temporary folders. */
export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Creates a key pair. Returns the private key's path. */
export function makeKey(folder: string, name: string, type = "ed25519", passphrase = "", ...more: string[]): string {
  const path = join(folder, name);
  execFileSync("ssh-keygen", ["-q", "-t", type, "-N", passphrase, "-C", name, "-f", path, ...more]);
  return path;
}

/** The public key for a private key file, as `type base64`. */
export function publicKey(path: string): string {
  return readFileSync(`${path}.pub`, "utf8").trim().split(" ").slice(0, 2).join(" ");
}

/** Starts sshd with additional lines of configuration. Keys in `authorizedKeys` may log in as any user. */
export async function startSshd(
  options: {
    authorizedKeys?: readonly string[];
    config?: readonly string[];
    hostKeyTypes?: readonly string[];
    port?: number;
    /** Shell lines that set up a mount namespace for sshd and everything that it starts; they require root. */
    world?: string;
  } = {},
): Promise<Sshd> {
  const folder = temporaryFolder();
  const hostKeys = {
    ed25519: makeKey(folder, "host_ed25519"),
    ecdsa: makeKey(folder, "host_ecdsa", "ecdsa"),
    rsa: makeKey(folder, "host_rsa", "rsa", "", "-b", "2048"),
  };
  const authorized = join(folder, "authorized_keys");
  writeFileSync(authorized, (options.authorizedKeys ?? []).map((key) => `${publicKey(key)}\n`).join(""));
  const port = options.port ?? (await freePort());
  const types = options.hostKeyTypes ?? ["ed25519", "ecdsa", "rsa"];
  const lines = [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    ...types.map((type) => `HostKey ${join(folder, `host_${type}`)}`),
    `AuthorizedKeysFile ${authorized}`,
    `PidFile ${join(folder, "pid")}`,
    "PermitRootLogin yes",
    `UsePAM ${isRoot ? "yes" : "no"}`,
    "PrintMotd no",
    "StrictModes no",
    "LogLevel VERBOSE",
    "MaxStartups 100",
    ...(options.config ?? ["PasswordAuthentication yes", "KbdInteractiveAuthentication no"]),
    // Bash reads ~/.bashrc for a command over ssh unless it is started by another shell (bash(1), INVOCATION). Root's
    // file may take a second to run, for example with pyenv. Tests of that file create their own users.
    "Match User root",
    "SetEnv SHLVL=1",
  ];
  writeFileSync(join(folder, "sshd_config"), `${lines.join("\n")}\n`);
  if (isRoot && !existsSync("/run/sshd")) mkdirSync("/run/sshd", { mode: 0o755 });
  const argv = ["/usr/sbin/sshd", "-D", "-e", "-f", join(folder, "sshd_config")];
  const inWorld = ["unshare", "--mount", "--propagation", "private", "bash", "-ec", `${options.world}\nexec "$@"`, "-"];
  const [program = "", ...args] = options.world === undefined ? argv : [...inWorld, ...argv];
  const process = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  process.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  await listening(port, process, () => log);
  return {
    port,
    folder,
    hostKeys,
    log: () => log,
    connections: () => log.split("Connection from ").length - 1,
    stop: () =>
      new Promise((resolve) => {
        if (process.exitCode !== null) resolve();
        process.once("exit", () => resolve());
        process.kill();
      }),
  };
}

/** A port on which nothing is listening. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

async function listening(port: number, process: ChildProcess, log: () => string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (process.exitCode !== null) throw new Error(`sshd ended: ${log()}`);
    // A probe would be logged as a connection, so this waits until sshd's log says that it is listening.
    if (log().includes("Server listening")) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`sshd does not listen on ${port}: ${log()}`);
}

/** An address on 127.0.0.1 with defaults for everything that does not matter to a test. */
export function addressOf(port: number, more: Partial<Address> = {}): Address {
  return {
    name: "web1",
    transport: "ssh",
    address: "127.0.0.1",
    port,
    user: userInfo().username,
    identityFiles: [],
    identitiesOnly: false,
    jump: [],
    hostKeyPolicy: "off",
    knownHostsFiles: [],
    connectTimeoutSeconds: 10,
    keepaliveSeconds: 0,
    ...more,
  };
}

/** A channel's output as strings, once the channel has ended. */
export async function outputOf(channel: Channel): Promise<{
  stdout: string;
  stderr: string;
  code: number | undefined;
  signal: string | undefined;
}> {
  const stdout: Uint8Array[] = [];
  const stderr: Uint8Array[] = [];
  channel.onStdout((data) => void stdout.push(data));
  channel.onStderr((data) => void stderr.push(data));
  const { code, signal } = await channel.ended;
  return { stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString(), code, signal };
}
