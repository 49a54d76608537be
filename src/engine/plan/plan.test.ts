import { expect, test } from "vitest";
import { block } from "../../authoring.ts";
import { FurrowError } from "../../core/errors.ts";
import { command, file } from "../../../tasks/index.ts";
import { labelOf, mainTasks, planNodes } from "./plan.ts";

const setting = { target: "h", path: [], tags: [], when: [], become: undefined };

test("puts the path of a file into the task's title even if the file's content is an output", () => {
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

test("names the task or block whose `become` is true, and its position", () => {
  const here = expect.stringMatching(/plan\.test\.ts:\d+:\d+$/) as string;
  const options = { become: true as never };
  const failures = [file({ path: "/a", content: "" }, options), block("pages", [], options)].map((node) => {
    try {
      return planNodes([node], setting, "");
    } catch (error) {
      return error instanceof FurrowError ? error.failure : error;
    }
  });
  expect(failures).toMatchObject([
    { what: "the task file sets become: true, which is not a user name", where: { task: "file", source: here } },
    { what: 'the block "pages" sets become: true, which is not a user name', where: { source: here } },
  ]);
});
