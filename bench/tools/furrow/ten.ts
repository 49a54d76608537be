/** Ten tasks: two directories, eight files. */
import { playbook } from "furrow";
import * as t from "furrow/tasks";
import { tenDirectories, tenFiles } from "../../workloads/things.ts";

export default playbook({
  name: "Ten tasks",
  plays: [
    {
      hosts: "all",
      tasks: () => [
        tenDirectories.map((path) => t.file({ path, state: "directory", mode: "0755" })),
        tenFiles.map((file) => t.file({ ...file, mode: "0644", owner: "root", group: "root" })),
      ],
    },
  ],
});
