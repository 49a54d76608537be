/** Makes the number of changes given by the var `changes`, in pairs: a directory and a file in it. */
import { playbook, z } from "furrow";
import * as t from "furrow/tasks";
import { changedPath } from "./places.ts";

export default playbook({
  name: "Many changes",
  vars: z.object({ changes: z.number().int().min(2) }),
  plays: [
    {
      hosts: "all",
      tasks: ({ vars }) => [
        t.file({ path: changedPath, state: "directory" }),
        Array.from({ length: vars.changes / 2 }, (_, number) => [
          t.file({ path: `${changedPath}/${number}`, state: "directory" }),
          t.file({ path: `${changedPath}/${number}/file`, content: `content ${number}\n` }),
        ]),
      ],
    },
  ],
});
