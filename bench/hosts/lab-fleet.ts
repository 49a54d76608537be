import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hostLeader, labDown, labUp, runInHost } from "furrow/lab";
import { cpuMsOf, unifiedHierarchy } from "../measure/enclosure.ts";
import type { Fleet } from "./fleet.ts";
import { hostsOfLab, prepareSshd } from "./lab-hosts.ts";

/** The packages that the compared tools need on a host in addition to those in the lab's image. */
const hostPackages = "python3 python3-apt rsync";

/** A fleet that can share the root of its hosts with other fleets. */
export interface LabFleet extends Fleet {
  /**
   * Copies everything that the first host added to its image into a new folder. Returns the layers that together form a
   * root directory, topmost first.
   */
  layers(folder: string): readonly string[];
}

/** Starts four booted hosts with systemd, their own sshd, and Python for the tools that need it. */
export async function labFleet(name: string, withPython: boolean): Promise<LabFleet> {
  const lab = await labUp({ hosts: 4, name });
  const inHosts = (script: string, count: number): Promise<string[]> =>
    Promise.all(
      lab.hosts.slice(0, count).map(async (host) => (await runInHost(host, ["/bin/sh", "-c", script])).stdout),
    );
  await prepareSshd(lab);
  if (withPython) {
    const install = `apt-get install -qqy --no-install-recommends ${hostPackages}`;
    await inHosts(`export DEBIAN_FRONTEND=noninteractive; { apt-get update -qq && ${install}; } >/dev/null 2>&1`, 4);
  }
  const groups = await Promise.all(lab.hosts.map(async (host) => cgroupOf(await hostLeader(host))));
  return {
    hosts: hostsOfLab(lab),
    run: inHosts,
    cpuMs: () => groups.reduce((sum, group) => sum + cpuMsOf(group), 0),
    async sessions() {
      const logs = await inHosts("journalctl -q -t sshd -o cat | grep -c '^Starting session' || true", 4);
      return logs.reduce((sum, count) => sum + Number(count), 0);
    },
    layers(folder) {
      const [first] = lab.hosts;
      const mount = readFileSync("/proc/self/mounts", "utf8")
        .split("\n")
        .find((line) => line.split(" ")[1] === first?.rootDir);
      const lower = /lowerdir=([^, ]+)/.exec(mount ?? "")?.[1];
      if (first === undefined || lower === undefined) throw new Error(`no overlay at ${first?.rootDir}`);
      execFileSync("cp", ["-a", first.upperDir, folder]);
      return [folder, lower];
    },
    end: () => labDown({ name }),
  };
}

/** The cgroup that contains the whole host; the host's own systemd creates its cgroups in it. */
function cgroupOf(leader: number | undefined): string {
  const path = /^0::(.*)$/m.exec(readFileSync(`/proc/${leader ?? "self"}/cgroup`, "utf8"))?.[1] ?? "/";
  return join(unifiedHierarchy(), path.replace(/\/init\.scope$/, ""));
}
