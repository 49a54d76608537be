/** Leaks that a careless playbook causes: the values bypass `secret`, so furrow cannot know that they are secrets. */
import { playbook } from "furrow";
import * as t from "furrow/tasks";

const { PLANTED_STDIN = "", PLANTED_LINE = "", PLANTED_VAR = "", PLANTED_ENV = "" } = process.env;

export default playbook({
  name: "Planted leaks",
  plays: [
    {
      hosts: "all",
      become: true,
      tasks: () => [
        t.command({ command: ["true", PLANTED_STDIN], always: true }),
        t.file({ path: "/root/elsewhere", content: `${Buffer.from(`xx${PLANTED_LINE}`).toString("base64")}\n` }),
        t.file({ path: `/root/${encodeURIComponent(PLANTED_VAR)}`, content: "" }),
        t.command({ command: 'logger -t planted "$0"', stdin: "", env: { OTHER: PLANTED_ENV }, always: true }),
      ],
    },
  ],
});
