import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { directories, files, jobs, packages, units } from "../../rerun/workload.ts";
import { bigPath, one, tenDirectories, tenFiles, treePath } from "../../workloads/things.ts";
import type { Tool } from "../tool.ts";

const things = { packages, directories, files, units, jobs, one, tenDirectories, tenFiles, treePath, bigPath };

/** Rex over OpenSSH, one process for each host. */
export const rex: Tool = {
  name: "rex",
  packages: ["rex", "libnet-openssh-perl", "libnet-sftp-foreign-perl", "libjson-maybexs-perl"],
  slow: true,
  program({ plan, check, targets, tree, big }) {
    // Rex does not have a check mode.
    if (check) return undefined;
    const file = join(targets.folder, "rex-things.json");
    const { identityFile: identity, knownHostsFile: knownHosts } = targets;
    writeFileSync(file, JSON.stringify({ ...things, identity, knownHosts, tree, big }));
    const hosts = targets.hosts.map(({ address, port }) => `${address}:${port}`).join(" ");
    const rexfile = join(import.meta.dirname, "Rexfile");
    return {
      argv: ["rex", "-f", rexfile, "-H", hosts, "-t", String(targets.hosts.length), plan],
      env: { BENCH_THINGS: file },
    };
  },
  changes: () => undefined,
};
