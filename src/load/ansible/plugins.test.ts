import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { FurrowError } from "../../core/errors.ts";
import { loadInventory } from "../inventory/inventory-file.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-plugins-"));
afterAll(() => rmSync(folder, { recursive: true }));
const { signal } = new AbortController();

it.each([
  ["amazon.aws.aws_ec2", "ec2Inventory"],
  ["google.cloud.gcp_compute", "gceInventory"],
  ["azure.azcollection.azure_rm", "azureInventory"],
  ["community.digitalocean.digitalocean", "digitalOceanInventory"],
])("names the furrow source that replaces the Ansible plugin %s", async (plugin, own) => {
  const file = join(folder, `${plugin}.yml`);
  writeFileSync(file, `plugin: ${plugin}\n`);
  const { failure } = (await loadInventory(file, { signal }).catch((thrown: unknown) => thrown)) as FurrowError;
  expect(failure.what).toContain(plugin);
  expect(failure.hint).toContain(`Use ${own} in`);
});
