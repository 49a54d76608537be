/** 50 tasks: 5 packages, 5 directories, 25 files, 5 services, 10 cron jobs. */
import { playbook } from "furrow";
import * as t from "furrow/tasks";
import { directories, files, jobs, packages, units } from "./workload.ts";

export default playbook({
  name: "Rerun benchmark",
  plays: [
    {
      hosts: "all",
      tasks: () => [
        packages.map((name) => t.package({ name })),
        directories.map((path) => t.file({ path, state: "directory", mode: "0755" })),
        files.map(({ path, content }) => t.file({ path, content, mode: "0644", owner: "root", group: "root" })),
        units.map((name) => t.service({ name, state: "started" })),
        jobs.map((job) => t.cron(job)),
      ],
    },
  ],
});
