import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { directories, files, jobs, packages, units } from "../../rerun/workload.ts";
import { one, tenDirectories, tenFiles } from "../../workloads/things.ts";
import type { Errand, Tool } from "../tool.ts";

/** cdist, which, like furrow, runs shell scripts on the hosts. It uses one shared ssh connection per host. */
export const cdist: Tool = {
  name: "cdist",
  packages: ["cdist", "rsync"],
  slow: true,
  program(errand) {
    // cdist's dry run does not report what would change.
    if (errand.check) return undefined;
    const { plan, targets, tree, big } = errand;
    const persist = `-o ControlMaster=auto -o ControlPersist=60s -o ControlPath=${join(targets.folder, "cdist-%C")}`;
    const remote = `-F ${targets.sshConfig} -o User=root ${persist}`;
    const parallel = ["-p", String(targets.hosts.length), "-j", "4"];
    const names = targets.hosts.map(({ name }) => name);
    return {
      argv: [
        "cdist",
        "config",
        "-v",
        ...parallel,
        "-i",
        join(import.meta.dirname, "manifest"),
        "--remote-exec",
        `ssh ${remote}`,
        "--remote-copy",
        `scp -q ${remote}`,
        ...names,
      ],
      env: {
        BENCH_PLAN: plan,
        BENCH_FILES: writeThings(errand),
        BENCH_PACKAGES: packages.join(" "),
        BENCH_DIRECTORIES: (plan === "ten" ? tenDirectories : directories).join(" "),
        BENCH_UNITS: units.join(" "),
        BENCH_TREE: tree,
        BENCH_BIG: big,
      },
    };
  },
  // cdist does not report changes in a form that a program could count.
  changes: () => undefined,
};

/** Writes the content of the files, and the lists that the manifest reads. */
function writeThings({ plan, targets }: Errand): string {
  const folder = join(targets.folder, `cdist-${plan}`);
  mkdirSync(folder, { recursive: true });
  const texts = { fifty: files, one: [one], ten: tenFiles, tree: [], big: [] }[plan];
  for (const [index, { content }] of texts.entries()) writeFileSync(join(folder, String(index)), content);
  writeFileSync(join(folder, "list"), texts.map(({ path }, index) => `${index} ${path}\n`).join(""));
  writeFileSync(join(folder, "jobs"), jobs.map((job) => `${job.name} ${job.schedule} ${job.command}\n`).join(""));
  return folder;
}
