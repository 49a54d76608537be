/** One task: a file. */
import { playbook } from "furrow";
import * as t from "furrow/tasks";
import { one } from "../../workloads/things.ts";

export default playbook({
  name: "One task",
  plays: [{ hosts: "all", tasks: () => [t.file({ ...one, mode: "0644", owner: "root", group: "root" })] }],
});
