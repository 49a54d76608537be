import { expect, test } from "vitest";
import { command, file } from "../../../tasks/index.ts";
import { labelOf, mainTasks, planNodes } from "./plan.ts";

const setting = { target: "h", path: [], tags: [], when: [], become: undefined };

test("puts the path of a file into its title even if its content is an output", () => {
  const made = command({ command: ["date"], always: true });
  const path = made.output.map(({ stdout }) => stdout);
  const nodes = [
    made,
    file({ path: "/etc/motd", content: path }),
    file({ path, content: "x" }),
    command({ command: ["echo", path], always: true }),
  ];
  const titles = mainTasks(planNodes(nodes, setting, "")).map((task) => labelOf(task, "h").title);
  expect(titles).toEqual(["command date", "file /etc/motd", "file", "command"]);
});
