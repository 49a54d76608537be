/** The smallest playbook: one file on every host. Try it on this machine: `furrow check playbooks/hello.ts -i local`. */
import { playbook, z } from "furrow";
import * as t from "furrow/tasks";

export default playbook({
  name: "Hello",
  vars: z.object({ greeting: z.string().default("Hello from furrow") }),
  plays: [
    {
      hosts: "all",
      tasks: ({ vars, host }) => [
        t.file({ path: "/tmp/furrow-hello", state: "directory", mode: "0755" }),
        t.file({ path: "/tmp/furrow-hello/greeting", content: `${vars.greeting} on ${host.name}\n`, mode: "0644" }),
      ],
    },
  ],
});
