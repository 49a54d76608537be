/** Maintains one large file. */
import { playbook, z } from "furrow";
import * as t from "furrow/tasks";
import { bigPath } from "../../workloads/things.ts";

export default playbook({
  name: "A large file",
  vars: z.object({ source: z.string() }),
  plays: [
    {
      hosts: "all",
      tasks: ({ vars: { source } }) => [t.file({ source, path: bigPath, mode: "0644", owner: "root", group: "root" })],
    },
  ],
});
