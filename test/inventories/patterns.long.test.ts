import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { covered } from "../covered.ts";
import { type Answers, differences, inventories, layInventory, patterns, selected } from "./patterns.ts";

/**
 * Compares the hosts that a pattern selects with those that Ansible's own inventory manager selects. Ansible's answers
 * are recorded in recorded-patterns.jsonl for the unit tests; FURROW_RECORD=1 rewrites that file.
 */
const root = mkdtempSync(join(tmpdir(), "furrow-patterns-"));
const recorded = join(import.meta.dirname, "recorded-patterns.jsonl");
afterAll(() => rmSync(root, { recursive: true, force: true }));

const driver = `
import json, sys
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
manager = InventoryManager(loader=DataLoader(), sources=[sys.argv[1]])
answers = []
for pattern in json.load(sys.stdin):
    try:
        answers.append([host.name for host in manager.get_hosts(pattern)])
    except Exception:
        answers.append(None)
print(json.dumps(answers))
`;

/** Ansible traverses nested groups in hash order: if two hash seeds give different answers, the order is random. */
function askAnsible(path: string): Answers["hosts"] {
  const [first = [], ...others] = ["1", "2", "3"].map((seed) => {
    const answer = execFileSync("/usr/bin/python3", ["-W", "ignore", "-c", driver, path], {
      env: { PATH: "/usr/bin:/bin", HOME: root, LANG: "C.UTF-8", PYTHONHASHSEED: seed },
      input: JSON.stringify(patterns),
      stdio: "pipe",
      encoding: "utf8",
    });
    return JSON.parse(answer) as Answers["hosts"];
  });
  const sorted = (hosts: readonly string[] | null | undefined): string => JSON.stringify(hosts?.toSorted() ?? null);
  return first.map((hosts, at) => (others.every((other) => sorted(other[at]) === sorted(hosts)) ? hosts : null));
}

it("every pattern selects the hosts that Ansible selects, or is refused", async () => {
  const lines: string[] = [];
  for (const inventory of Object.keys(inventories)) {
    const path = layInventory(root, inventory);
    const answers: Answers = { inventory, hosts: askAnsible(path) };
    expect(differences(answers, await selected(path))).toEqual([]);
    lines.push(`${JSON.stringify(answers)}\n`);
  }
  if (process.env["FURROW_RECORD"] === "1") writeFileSync(recorded, lines.join(""));
  expect(readFileSync(recorded, "utf8")).toBe(lines.join(""));
  covered(`${patterns.length * lines.length} host patterns compared with Ansible's`);
});
