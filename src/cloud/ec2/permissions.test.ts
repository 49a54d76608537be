import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

it("the guide lists every EC2 action in use", () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  const source = files.map((name) => readFileSync(join(import.meta.dirname, name), "utf8")).join("\n");
  const asked = [...source.matchAll(/sdk\.(?:paginate)?([A-Z]\w+?)(?:Command)?\(/g)].map(([, action = ""]) => action);
  const paginated = [...source.matchAll(/paginate(\w+)\(/g)].map(([, action = ""]) => action);
  const guide = readFileSync(join(import.meta.dirname, "../../../docs/guides/clouds.md"), "utf8");
  const actions = [...new Set([...asked, ...paginated])];
  expect(actions.length).toBeGreaterThan(30);
  expect(
    actions.filter(
      (action) => action !== "EC2Client" && !guide.includes(`\`${action}\``) && !guide.includes(`ec2:${action}`),
    ),
  ).toEqual([]);
});
