import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { definedIn } from "../../roles/rebuild/role.ts";

const root = join(import.meta.dirname, "../..");

/** The phases in the table of the page: number, playbook, and when each is done. */
const phases = [
  ...readFileSync(join(root, "docs/guides/harvester/phases.md"), "utf8").matchAll(
    /^\| (\d+)\. [^|]+\| `([^`]+)` +\| ([^|]+?) +\|$/gm,
  ),
].map(([, number, playbook = "", done = ""]) => ({ number: Number(number), playbook, done }));

test("the phases are numbered, and each names an existing playbook and when the phase is done", () => {
  expect(phases.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(phases.filter(({ playbook }) => !existsSync(join(root, playbook)))).toEqual([]);
  expect(phases.filter(({ done }) => done.length < 10)).toEqual([]);
});

test("the phases are in the order in which a cluster is rebuilt from its files", () => {
  const one = { x: { namespace: "default" } };
  const clusterNetworks = { vm: { uplinks: { x: {} }, networks: one } };
  const rebuilt = definedIn({ clusterNetworks, storageClasses: one, images: one, machines: one });
  const order = [...new Set(rebuilt.map(({ playbook }) => `playbooks/${playbook}.ts`))];
  const own = phases.map(({ playbook }) => playbook);
  expect(own.filter((playbook) => order.includes(playbook))).toEqual(order);
  expect(own[0]).toBe("playbooks/harvester.ts");
});
