import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startTypeCheck } from "./type-check.ts";

const playbook = resolve(import.meta.dirname, "../../../playbooks/web.ts");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-types-"));
  vi.stubEnv("XDG_STATE_HOME", join(folder, "state"));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

test("an inventory outside the playbook's project finds furrow, and the compiler's state is private", async () => {
  const inventory = join(folder, "inventory.ts");
  writeFileSync(
    inventory,
    'import { inventory } from "furrow";\nexport default inventory({ hosts: { web1: { address: "192.0.2.1" } } });\n',
  );
  const notices: string[] = [];
  expect(await startTypeCheck([playbook, inventory], (text) => notices.push(text)).error).toBeUndefined();
  expect(notices).toEqual([]);
  const state = join(folder, "state");
  const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name).toSorted()).toEqual(["tsbuildinfo.json", "tsconfig.json"]);
  const open = files.filter((file) => (statSync(join(file.parentPath, file.name)).mode & 0o077) !== 0);
  expect(open).toEqual([]);
});
