/** Copies the `source` folder to the host as a tree. */
import { playbook, z } from "furrow";
import * as t from "furrow/tasks";
import { changedPath } from "./places.ts";

export default playbook({
  name: "A tree",
  vars: z.object({ source: z.string() }),
  plays: [{ hosts: "all", tasks: ({ vars }) => [t.directoryTree({ source: vars.source, path: changedPath })] }],
});
