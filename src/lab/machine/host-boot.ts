import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FurrowError } from "../../core/errors.ts";
import { markWord, placeForHost } from "./cgroup.ts";
import { diskListBind } from "./disks.ts";
import { initInside } from "../image/image-udev.ts";
import { hostLeader } from "./inside.ts";
import { processStamp } from "./processes.ts";
import { markVariable } from "./shell.ts";
import type { LabHost } from "../lab.ts";

/**
 * Boots a prepared host and returns immediately. A small shell script, the keeper, keeps running: when the host
 * reboots, systemd-nspawn with `--keep-unit` exits with 133 (systemd-nspawn(1)) and the keeper starts it again; when
 * the host powers off, the keeper ends.
 */
export async function bootHost(host: LabHost, bridge: string, mark: string): Promise<void> {
  const place = await placeForHost(mark, host.name);
  const nspawn = [
    "systemd-nspawn",
    "--quiet",
    // The signals and exit codes are the same as with --boot, which supports only systemd itself as the first program.
    "--kill-signal=SIGRTMIN+3",
    "--register=no",
    "--keep-unit",
    `--directory=${host.rootDir}`,
    `--machine=${host.name}`,
    `--network-bridge=${bridge}`,
    // Needed inside the host: libvirt creates bridges, tap devices and firewall rules, and tasks mount disks.
    "--capability=all",
    "--bind=/dev/net/tun",
    `--bind-ro=${diskListBind(host)}`,
    "--resolv-conf=off",
    "--timezone=off",
    "--link-journal=no",
    "--console=read-only",
    `--setenv=${markVariable}=${markWord(mark)}`,
    initInside,
  ];
  const file = join(host.directory, "keeper.sh");
  await writeFile(file, keeperScript(nspawn, place.join));
  const log = await open(host.consoleFile, "a");
  const argv = [...place.prefix, "/bin/sh", file, markWord(mark)];
  const keeper = spawn(argv[0] ?? "", argv.slice(1), { detached: true, stdio: ["ignore", log.fd, log.fd] });
  await once(keeper, "spawn");
  keeper.unref();
  await log.close();
  await writeFile(join(host.directory, "keeper.pid"), `${processStamp(keeper.pid ?? 0)}`);
}

/**
 * The keeper's script. As in Debian 12, a host has only cgroup v2, even if the machine also uses v1. On a machine with
 * v2 only, a cgroup that delegates controllers cannot contain processes itself (cgroups(7), "no internal processes"),
 * so the keeper and the host each get a cgroup below the given one.
 *
 * @param join the cgroup.procs files to which the keeper first writes its own process id
 */
function keeperScript(nspawn: readonly string[], join: readonly string[]): string {
  return `#!/bin/sh
export SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1
${join.map((procs) => `echo $$ > ${quoted(procs)}`).join("\n")}
enter=/dev/null
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  own=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
  mkdir -p "$own/keeper" "$own/host"
  echo $$ > "$own/keeper/cgroup.procs"
  for controller in $(cat "$own/cgroup.controllers"); do echo "+$controller" > "$own/cgroup.subtree_control"; done
  enter=$own/host/cgroup.procs
fi
while :; do
  sh -c 'echo $$ > "$0"; exec "$@"' "$enter" ${nspawn.map(quoted).join(" ")}
  [ "$?" = 133 ] || exit
done
`;
}

/**
 * Waits until every user can log in to a host: sshd answers, and /run/nologin no longer exists.
 *
 * @throws FurrowError E_LAB after `seconds`, with the last lines of the host's console
 */
export async function waitForHost(host: LabHost, seconds: number): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!(await takesLogins(host))) {
    if (Date.now() > deadline) {
      const console = await readFile(host.consoleFile, "utf8").catch(() => "");
      throw new FurrowError("E_LAB", {
        what: "a lab host did not boot",
        where: { host: host.name },
        current: `no answer from ${host.address}:${host.port} after ${seconds} s`,
        hint: `Read its console, ${host.consoleFile}`,
        details: console.split("\n").slice(-15),
      });
    }
    await sleep(20);
  }
}

async function takesLogins(host: LabHost): Promise<boolean> {
  const leader = await hostLeader(host);
  if (leader === undefined) return false;
  const run = `/proc/${leader}/root/run`;
  // Connect only once the pid file shows that sshd is running: a refused connection fails immediately, but a filtered
  // one only after a timeout.
  if (!(await exists(`${run}/sshd.pid`)) || (await exists(`${run}/nologin`))) return false;
  return greets(host.address, host.port);
}

/** True if an SSH server sends its greeting from the address. */
async function greets(address: string, port: number): Promise<boolean> {
  const socket = connect({ host: address, port, timeout: 1000 });
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once("data", (data) => resolve(data.toString("latin1").startsWith("SSH-2.0")));
      for (const event of ["error", "timeout", "close"]) socket.once(event, () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
