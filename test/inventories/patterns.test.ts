import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { type Answers, differences, layInventory, patterns, selected } from "./patterns.ts";

const root = mkdtempSync(join(tmpdir(), "furrow-patterns-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const recorded = readFileSync(join(import.meta.dirname, "recorded-patterns.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Answers);

it.each(recorded.map((answers) => [answers.inventory, answers] as const))(
  "patterns select the hosts of %s that Ansible selects, or are refused",
  async (inventory, answers) => {
    expect(differences(answers, await selected(layInventory(root, inventory)))).toEqual([]);
  },
);

it("furrow accepts Ansible's groups, positions and expressions in patterns", async () => {
  const ours = await selected(layInventory(root, "plain"));
  const known = patterns.flatMap((pattern, index) => (typeof ours[index] === "string" ? [] : [pattern]));
  const wanted = ["all[0:2]", "web[-1]", "web[1:]", "~web.*", "~(web|db).*1", "web:&east", "all[-1]"];
  expect(known).toEqual(expect.arrayContaining(wanted));
  // The other patterns do not match any host here, or are refused on purpose.
  expect(known.length).toBeGreaterThan(80);
});
