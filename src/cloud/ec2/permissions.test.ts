import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** The EC2 actions that the code in this folder uses. */
function actionsInUse(): string[] {
  const files = readdirSync(import.meta.dirname, { encoding: "utf8", recursive: true }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
  );
  const source = files.map((name) => readFileSync(join(import.meta.dirname, name), "utf8")).join("\n");
  const asked = [...source.matchAll(/sdk\.([A-Z]\w+?)(?:Command)?\(/g)].map(([, action = ""]) => action);
  const paginated = [...source.matchAll(/sdk\.paginate([A-Z]\w+)/g)].map(([, action = ""]) => action);
  return [...new Set([...asked, ...paginated])].filter((action) => action !== "EC2Client");
}

it("the guide lists every EC2 action in use", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../../docs/guides/clouds.md"), "utf8");
  const actions = actionsInUse();
  expect(actions.length).toBeGreaterThan(30);
  expect(actions.filter((action) => !guide.includes(`\`${action}\``) && !guide.includes(`ec2:${action}`))).toEqual([]);
});

it("the printed policy contains every EC2 action in use, and no other", () => {
  const table = readFileSync(join(import.meta.dirname, "permissions.ts"), "utf8");
  const known = [...table.matchAll(/"([A-Z]\w+)"/g)].map(([, action = ""]) => action);
  expect([...new Set(known)].toSorted()).toEqual(actionsInUse().toSorted());
});
