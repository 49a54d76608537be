import { directories, files, jobs, packages, units } from "../rerun/workload.ts";
import { planOfFiles } from "./files.ts";
import type { Plan } from "./plan.ts";

const base = planOfFiles("fifty", directories, files);

/** The plan for fifty objects: 5 packages, 5 directories, 25 files, 5 units, 10 cron jobs. */
export const fiftyPlan: Plan = {
  ...base,
  tasks: 50,
  remove: `${base.remove}; rm -rf /srv/bench; crontab -r 2>/dev/null; true`,
  look: [
    base.look,
    `dpkg-query -W -f '\${Package} \${Status}\\n' ${packages.join(" ")}`,
    `for unit in ${units.join(" ")}; do echo "$unit $(systemctl is-active $unit)"; done`,
    "crontab -l | grep -v '^#' | sed 's, # __cron/bench-[0-9]*$,,' | grep .",
  ].join("\n"),
  wanted: [
    ...base.wanted,
    ...packages.map((name) => `${name} install ok installed`),
    ...units.map((name) => `${name} active`),
    ...jobs.map(({ schedule, command }) => `${schedule} ${command}`),
  ].toSorted(),
  paths: [...base.paths, "/var/spool/cron/crontabs"],
};
