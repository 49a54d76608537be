import { describe, expect, test } from "vitest";
import { playbook } from "../../../authoring.ts";
import { simulate } from "../../../testing/index.ts";
import * as t from "../../../../tasks/index.ts";

const folder = "/etc/systemd/system";
const checked = async (unit: string, dropIn: string | undefined): Promise<string[]> => {
  const tasks = () => [
    t.file({ path: `${folder}/app.service`, content: unit }),
    ...(dropIn === undefined
      ? []
      : [
          t.file({ path: `${folder}/app.service.d`, state: "directory" }),
          t.file({ path: `${folder}/app.service.d/more.conf`, content: dropIn }),
        ]),
    t.service({ name: "app", state: "started", enabled: true }),
  ];
  const book = playbook({ name: "test", plays: [{ hosts: "all", become: true, tasks }] });
  const done = await simulate(book, { hosts: ["a"], mode: "check" });
  return done.tasks.map((end) => end.error?.failure.details?.[0] ?? end.outcome);
};
const whole = "[Service]\nExecStart=/bin/app\n[Install]\nWantedBy=multi-user.target\n";
const fixed = "[Service]\nExecStart=/bin/app\n";

describe("a new unit in check mode", () => {
  test("is refused if nothing makes it installable", async () => {
    expect((await checked(fixed, undefined)).at(-1)).toMatch(/^refused: /);
  });

  test("is undecided if an earlier task writes a drop-in, which may or may not make the unit installable", async () => {
    expect((await checked(fixed, "[Install]\nWantedBy=multi-user.target\n")).at(-1)).toBe("undecided");
    expect((await checked(fixed, "[Service]\nNice=5\n")).at(-1)).toBe("undecided");
  });

  test("is predicted to change if it needs no drop-in", async () => {
    expect((await checked(whole, "[Service]\nNice=5\n")).at(-1)).toBe("changed");
  });
});
