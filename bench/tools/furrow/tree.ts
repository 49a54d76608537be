/** Maintains a tree of small files. */
import { playbook, z } from "furrow";
import * as t from "furrow/tasks";
import { treePath } from "../../workloads/things.ts";

export default playbook({
  name: "A tree",
  vars: z.object({ source: z.string() }),
  plays: [
    {
      hosts: "all",
      tasks: ({ vars: { source } }) => [t.directoryTree({ source, path: treePath, owner: "root", group: "root" })],
    },
  ],
});
