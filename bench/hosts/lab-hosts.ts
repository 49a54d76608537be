import { readFileSync } from "node:fs";
import type { Lab } from "furrow/lab";
import { runInHost } from "furrow/lab";
import type { Hosts } from "./targets.ts";

/** The hosts of a lab as benchmark targets. */
export function hostsOfLab(lab: Lab): Hosts {
  const lines = readFileSync(lab.knownHostsFile, "utf8").split("\n");
  const addressOf = new Map(lab.hosts.map(({ name, address }) => [name, address]));
  return {
    identityFile: lab.identityFile,
    hosts: lab.hosts.map(({ name, address, port }) => ({ name, address, port })),
    keysOf: (name) =>
      lines
        .map((line) => line.split(" "))
        .filter(([names]) => names?.split(",").includes(addressOf.get(name) ?? "") === true)
        .map(([, type, key]) => `${type} ${key}`),
  };
}

/** Configures a lab's sshd to log each channel, and to accept as many connections at a time as a benchmark opens. */
export async function prepareSshd(lab: Lab): Promise<void> {
  const config = "LogLevel VERBOSE\nMaxStartups 500\nMaxSessions 100\n";
  const script = `printf '${config}' > /etc/ssh/sshd_config.d/bench.conf && systemctl reload ssh`;
  await Promise.all(lab.hosts.map((host) => runInHost(host, ["/bin/sh", "-c", script])));
}
