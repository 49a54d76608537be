import { expect, test } from "vitest";
import * as t from "../tasks/index.ts";

test("a task and a composite are placed at the line that the user wrote, whatever they consist of", () => {
  const here = /call-position\.test\.ts:\d+:\d+$/;
  expect(t.file({ path: "/etc/motd", state: "absent" }).source).toMatch(here);
  expect(t.pkg({ name: "nginx" }).source).toMatch(here);
  expect(t.pkg({ name: "nginx", state: "latest" }).source).toMatch(here);
});
