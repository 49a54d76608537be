import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openEnclosure } from "../measure/enclosure.ts";
import type { Fleet } from "./fleet.ts";

/** All listen on this port, each on an address of its own below 127.78. */
const port = 2222;

/**
 * Many hosts that are no more than an sshd each, in a root of its own: an overlay over one shared image, without a
 * booted system. What they share beside the image: one host key, one authorized key, the machine's /dev and /proc.
 *
 * @param layers directories that laid over each other, upper first, make a root with sshd in it; they are not written to
 */
export async function chrootFleet(layers: readonly string[], count: number): Promise<Fleet> {
  const folder = mkdtempSync(join(tmpdir(), "furrow-bench-roots-"));
  const common = join(folder, "common");
  const identityFile = join(folder, "id_ed25519");
  prepareCommon(common, identityFile);
  const hosts = Array.from({ length: count }, (_, index) => ({
    name: `many-${index + 1}`,
    address: `127.78.${Math.floor(index / 250)}.${(index % 250) + 1}`,
    port,
    root: join(folder, String(index + 1), "root"),
  }));
  const enclosure = openEnclosure();
  const chroot = (root: string, script: string): string => {
    const ended = spawnSync("chroot", [root, "/bin/sh", "-c", script], {
      encoding: "utf8",
      env: { PATH: path, HOME: "/root" },
    });
    if (ended.status !== 0) throw new Error(`exit ${ended.status} in ${root}: ${ended.stderr}`);
    return ended.stdout;
  };
  try {
    for (const { root, address } of hosts) {
      mountRoot(root, [common, ...layers]);
      const sshd = [
        "/usr/sbin/sshd",
        "-E",
        "/var/log/bench-sshd.log",
        "-f",
        "/etc/ssh/bench_sshd",
        "-o",
        `ListenAddress=${address}:${port}`,
      ];
      execFileSync(enclosure.enter[0] ?? "", [...enclosure.enter.slice(1), "chroot", root, ...sshd], {
        env: { PATH: path },
        stdio: ["ignore", "ignore", "inherit"],
      });
    }
  } catch (error) {
    await end();
    throw error;
  }
  const key = readFileSync(join(common, "etc/ssh/bench_key.pub"), "utf8").split(" ").slice(0, 2).join(" ");
  return {
    hosts: { identityFile, hosts: hosts.map(({ name, address }) => ({ name, address, port })), keysOf: () => [key] },
    run: async (script, some) => hosts.slice(0, some).map(({ root }) => chroot(root, script)),
    cpuMs: () => enclosure.cpuMs(),
    sessions: async () => hosts.reduce((sum, { root }) => sum + sessionsIn(join(root, "var/log/bench-sshd.log")), 0),
    end,
  };

  async function end(): Promise<void> {
    await enclosure.end();
    // A killed process may hold its root for a moment.
    for (const { root } of hosts) {
      for (const mounted of [join(root, "dev"), join(root, "proc"), root])
        for (
          let attempt = 0;
          attempt < 50 && spawnSync("umount", [mounted]).status === 32 && isMounted(mounted);
          attempt += 1
        )
          await sleep(20);
    }
    if (hosts.some(({ root }) => isMounted(root))) throw new Error(`roots below ${folder} are still mounted`);
    rmSync(folder, { recursive: true, force: true });
  }
}

const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The layer that all roots have in common: keys and the configuration of sshd. */
function prepareCommon(common: string, identityFile: string): void {
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
    "PidFile /run/bench-sshd.pid",
    "LogLevel VERBOSE",
    "MaxSessions 100",
    "MaxStartups 500",
    "Subsystem sftp /usr/lib/openssh/sftp-server",
  ];
  writeFileSync(join(ssh, "bench_sshd"), `${lines.join("\n")}\n`);
}

function mountRoot(root: string, lower: readonly string[]): void {
  const upper = join(root, "../upper");
  const work = join(root, "../work");
  for (const directory of [root, upper, work]) mkdirSync(directory, { recursive: true });
  const options = `lowerdir=${lower.join(":")},upperdir=${upper},workdir=${work},volatile`;
  execFileSync("mount", ["-t", "overlay", "-o", options, "overlay", root]);
  for (const shared of ["dev", "proc"]) execFileSync("mount", ["--bind", `/${shared}`, join(root, shared)]);
}

function isMounted(point: string): boolean {
  return readFileSync("/proc/self/mounts", "utf8").includes(` ${point} `);
}

function sessionsIn(log: string): number {
  return existsSync(log) ? readFileSync(log, "utf8").split("Starting session").length - 1 : 0;
}
