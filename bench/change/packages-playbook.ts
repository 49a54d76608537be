/** Five package tasks, one after another. */
import { playbook } from "furrow";
import * as t from "furrow/tasks";

export default playbook({
  name: "Five packages",
  plays: [
    { hosts: "all", tasks: () => ["tree", "pv", "bc", "dos2unix", "moreutils"].map((name) => t.package({ name })) },
  ],
});
