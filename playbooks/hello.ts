/**
 * The smallest playbook: it writes one file on every host. Try it on this machine: `furrow check playbooks/hello.ts -i
 * local`.
 */
import { playbook, z } from "furrow";
import * as t from "furrow/tasks";

export default playbook({
  name: "Hello",
  vars: z.object({
    greeting: z.string().default("Hello from furrow"),
    folder: z.string().default("/tmp/furrow-hello"),
  }),
  plays: [
    {
      hosts: "all",
      tasks: ({ vars, host }) => [
        t.file({ path: vars.folder, state: "directory", mode: "0755" }),
        t.file({ path: `${vars.folder}/greeting`, content: `${vars.greeting} on ${host.name}\n`, mode: "0644" }),
      ],
    },
  ],
});
