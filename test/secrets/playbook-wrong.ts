/**
 * Secrets in forbidden places: furrow refuses them before it changes any host, with an error that must not show them.
 */
import { playbook, secretText, z } from "furrow";
import * as t from "furrow/tasks";

export default playbook({
  name: "Planted secrets, misplaced",
  vars: z.object({ token: secretText() }),
  plays: [
    {
      hosts: "all",
      tasks: ({ vars: { token } }) => [
        t.file({ path: "/etc/planted", state: "directory", mode: `${token}` }),
        t.command({ command: ["echo", `${token}`], always: true }),
        t.assert({ that: [{ check: false, message: `the token ${token} is wrong`, hint: `Replace ${token}` }] }),
        t.user({ name: `${token}` }),
        t.fileLine({ path: `${token}`, line: "x", match: `(${token}` }),
      ],
    },
  ],
});
