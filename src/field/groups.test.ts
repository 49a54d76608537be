import { expect, test } from "vitest";
import { foldedThings } from "./groups.ts";

test("counts several things in one folder, and names a thing that is alone in its folder or has no path", () => {
  const nginx = ["a", "b"].map((name) => `file /etc/nginx/${name}`);
  expect(foldedThings(["digest /etc/nginx/a", ...nginx, "file /etc/nginx/sites/x", "package nginx"])).toEqual([
    "/etc/nginx/ (3)",
    "file /etc/nginx/sites/x",
    "package nginx",
  ]);
  expect(foldedThings(["packagePlan a b/c", "file /"])).toEqual(["packagePlan a b/c", "file /"]);
});
