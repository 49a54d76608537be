import { expect, test } from "vitest";
import * as t from "../tasks/index.ts";

test("the source of a task or a composite is the line that the user wrote", () => {
  const here = /call-position\.test\.ts:\d+:\d+$/;
  expect(t.file({ path: "/etc/motd", state: "absent" }).source).toMatch(here);
  expect(t.pkg({ name: "nginx" }).source).toMatch(here);
  expect(t.pkg({ name: "nginx", state: "latest" }).source).toMatch(here);
});
