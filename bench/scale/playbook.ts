/**
 * 50 to 500 tasks, depending on the var `groups`. Each group has 5 packages, 5 directories, 25 files, 5 units and 10
 * cron jobs.
 */
import { playbook, z } from "furrow";
import * as t from "furrow/tasks";
import { groups } from "./things.ts";

export default playbook({
  name: "Scale benchmark",
  vars: z.object({ groups: z.number().int().min(1).max(10) }),
  plays: [
    {
      hosts: "all",
      tasks: ({ vars }) =>
        groups
          .slice(0, vars.groups)
          .map(({ packages, directories, files, units, jobs }) => [
            packages.map((name) => t.package({ name })),
            directories.map((path) => t.file({ path, state: "directory", mode: "0755" })),
            files.map(({ path, content }) => t.file({ path, content, mode: "0644", owner: "root", group: "root" })),
            units.map((name) => t.service({ name, state: "started" })),
            jobs.map((job) => t.cron(job)),
          ]),
    },
  ],
});
