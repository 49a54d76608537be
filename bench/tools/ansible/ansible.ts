import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { directories, files, jobs, packages, units } from "../../rerun/workload.ts";
import { bigPath, one, tenDirectories, tenFiles, treePath } from "../../workloads/things.ts";
import type { Errand, Tool } from "../tool.ts";

const things = { packages, directories, files, units, jobs, one, tenDirectories, tenFiles, treePath, bigPath };

/** ansible-core over OpenSSH, with pipelining and persistent connections. */
export const ansible: Tool = {
  name: "ansible",
  packages: ["ansible", "rsync"],
  slow: true,
  program: (errand) => playbook(errand, "ansible", {}),
  changes,
};

/** Ansible with Mitogen's strategy, which keeps one Python interpreter running on each host. */
export const mitogen: Tool = {
  name: "mitogen",
  packages: ["ansible", "ansible-mitogen", "rsync"],
  slow: true,
  program: (errand) =>
    playbook(errand, "mitogen", {
      ANSIBLE_STRATEGY_PLUGINS: "/usr/lib/python3/dist-packages/ansible_mitogen/plugins/strategy",
      ANSIBLE_STRATEGY: "mitogen_linear",
    }),
  changes,
};

function playbook({ plan, check, targets, tree, big }: Errand, name: string, env: Readonly<Record<string, string>>) {
  const inventory = join(targets.folder, "ansible-hosts");
  writeFileSync(inventory, targets.hosts.map((host) => `${host.name}\n`).join(""));
  const vars = join(targets.folder, "ansible-vars.json");
  writeFileSync(vars, JSON.stringify({ ...things, source: plan === "tree" ? tree : big }));
  const persist = `-o ControlMaster=auto -o ControlPersist=60s -o ControlPath=${join(targets.folder, `${name}-%C`)}`;
  const argv = ["ansible-playbook", "-i", inventory, "-e", `@${vars}`, ...(check ? ["--check"] : []), `${plan}.yml`];
  return {
    argv,
    cwd: import.meta.dirname,
    env: {
      ANSIBLE_CONFIG: join(import.meta.dirname, "ansible.cfg"),
      ANSIBLE_FORKS: String(targets.hosts.length),
      ANSIBLE_SSH_ARGS: `-F ${targets.sshConfig} ${persist}`,
      ANSIBLE_NOCOLOR: "1",
      ...env,
    },
  };
}

function changes(output: string): number {
  return [...output.matchAll(/\bchanged=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
}
