import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { openEnclosure } from "../measure/enclosure.ts";
import type { Fleet } from "./fleet.ts";

/** All hosts listen on this port, each on its own address in 127.78.0.0/16. */
const port = 2222;

const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const log = "/var/log/bench-sshd.log";

/**
 * The script that starts one host: an overlay over the shared layers, with its own /proc and a handful of devices, in a
 * separate mount namespace. All of it disappears when the host's sshd ends, and the host cannot reach any of the
 * machine's files.
 */
const start = `set -e
folder=$1 layers=$2 address=$3
mount -t overlay -o "lowerdir=$layers,upperdir=$folder/upper,workdir=$folder/work,volatile" overlay "$folder/root"
mount -t proc proc "$folder/root/proc"
mount -t tmpfs -o mode=755 tmpfs "$folder/root/dev"
cd "$folder/root/dev"
mknod -m 666 null c 1 3; mknod -m 666 zero c 1 5; mknod -m 666 full c 1 7
mknod -m 666 random c 1 8; mknod -m 666 urandom c 1 9; mknod -m 666 tty c 5 0
ln -s /proc/self/fd fd
exec chroot "$folder/root" /usr/sbin/sshd -D -E ${log} -f /etc/ssh/bench_sshd -o "ListenAddress=$address:${port}"`;

/** A fleet whose hosts can differ from each other. */
export interface ChrootFleet extends Fleet {
  /** Runs a sh script as root inside one host, without ssh. Returns what it printed. Throws if it fails. */
  inside(name: string, script: string): Promise<string>;
  /** The path of a host's root directory as this machine sees it. */
  rootOf(name: string): string;
  /** Ends the host's sshd: from then on, the host refuses all connections, and its files no longer exist. */
  stop(name: string): Promise<void>;
}

/**
 * Starts many hosts that each consist only of an sshd, in separate roots over one shared image, without a booted
 * system.
 *
 * @param layers directories that form a root with sshd when mounted over each other, topmost first; not written to
 * @param names one for each host
 */
export async function chrootFleet(layers: readonly string[], names: readonly string[]): Promise<ChrootFleet> {
  const folder = mkdtempSync(join(tmpdir(), "furrow-bench-roots-"));
  const identityFile = join(folder, "id_ed25519");
  const common = join(folder, "common");
  const key = prepareCommon(common, identityFile);
  const enclosure = openEnclosure();
  const sshds = new Map<string, ChildProcess>();
  const startHost = async (name: string, index: number) => {
    const own = join(folder, String(index + 1));
    for (const name of ["root", "upper", "work"]) mkdirSync(join(own, name), { recursive: true });
    const address = `127.78.${Math.floor(index / 250)}.${(index % 250) + 1}`;
    const inside = ["unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", start, "sh"];
    const argv = [...enclosure.enter, ...inside, own, [common, ...layers].join(":"), address];
    const sshd = spawn(argv[0] ?? "", argv.slice(1), { stdio: ["ignore", "ignore", "inherit"], env: { PATH: path } });
    sshds.set(name, sshd);
    await answers(address);
    return { name, address, port };
  };
  const end = async (): Promise<void> => {
    await enclosure.end();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const hosts = await Promise.all(names.map(startHost));
    const inside = (name: string, script: string): Promise<string> => runInside(sshds.get(name)?.pid ?? 0, script);
    const run = async (script: string, some: number): Promise<string[]> =>
      Promise.all(names.slice(0, some).map((name) => inside(name, script)));
    return {
      hosts: { identityFile, hosts, keysOf: () => [key] },
      run,
      inside,
      rootOf: (name) => `/proc/${sshds.get(name)?.pid ?? 0}/root`,
      async stop(name) {
        const sshd = sshds.get(name);
        if (sshd?.kill() === true) await once(sshd, "exit");
      },
      cpuMs: () => enclosure.cpuMs(),
      async sessions() {
        const counts = await run(`grep -c 'Starting session' ${log} || true`, names.length);
        return counts.reduce((sum, lines) => sum + Number(lines), 0);
      },
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function runInside(pid: number, script: string): Promise<string> {
  const enter = ["--target", String(pid), "--mount", "--root", "--wd", "/bin/sh", "-c", script];
  const { stdout } = await promisify(execFile)("nsenter", enter, { env: { PATH: path, HOME: "/root" } });
  return stdout;
}

/** Waits until an sshd listens; throws after a minute. */
async function answers(address: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const socket = connect({ host: address, port });
    const open = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (open) return;
    await sleep(100);
  }
  throw new Error(`no sshd at ${address}:${port}`);
}

/** Creates the layer that all hosts share: keys and the sshd configuration. Returns the public host key. */
function prepareCommon(common: string, identityFile: string): string {
  const ssh = join(common, "etc/ssh");
  for (const directory of [ssh, join(common, "run/sshd")]) mkdirSync(directory, { recursive: true, mode: 0o755 });
  const makeKey = (file: string): unknown => execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file]);
  makeKey(identityFile);
  makeKey(join(ssh, "bench_key"));
  writeFileSync(join(ssh, "bench_authorized"), readFileSync(`${identityFile}.pub`));
  const lines = [
    "HostKey /etc/ssh/bench_key",
    "AuthorizedKeysFile /etc/ssh/bench_authorized",
    "PermitRootLogin yes",
    "PasswordAuthentication no",
    "UsePAM no",
    "LogLevel VERBOSE",
    "MaxSessions 100",
    "MaxStartups 500",
    "Subsystem sftp /usr/lib/openssh/sftp-server",
  ];
  writeFileSync(join(ssh, "bench_sshd"), `${lines.join("\n")}\n`);
  return readFileSync(join(ssh, "bench_key.pub"), "utf8").split(" ").slice(0, 2).join(" ");
}
