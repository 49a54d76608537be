import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { isFurrowError } from "../core/errors.ts";
import { missingSdk } from "./missing-sdk.ts";

const failed = async (load: () => unknown): Promise<unknown> => {
  try {
    await load();
  } catch (error) {
    return error;
  }
  throw new Error("it was loaded");
};
const name = "@furrow-test/absent";
const require = createRequire(import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "furrow-sdk-"));
afterAll(() => rmSync(folder, { recursive: true }));
const importing = join(folder, "importing.mjs");
writeFileSync(importing, `import "${name}";\n`);

it.each<[string, () => unknown]>([
  ["an import", () => import(/* @vite-ignore */ importing)],
  ["a require of one of its files", () => require(`${name}/build/client.js`) as unknown],
])("names the command that installs an SDK if %s fails", async (_how, load) => {
  const error = missingSdk(await failed(load), name);
  expect(isFurrowError(error) && error.failure).toMatchObject({
    what: `the package ${name} is not installed`,
    hint: expect.stringContaining(`npm install ${name} `) as string,
  });
});

it("names all packages that are needed together", async () => {
  const error = missingSdk(await failed(() => import(/* @vite-ignore */ importing)), name, [
    name,
    "@furrow-test/other",
  ]);
  expect(isFurrowError(error) && error.failure.hint).toContain(`npm install ${name} @furrow-test/other in`);
});

it("does not hide that a package lacks one of its own dependencies", async () => {
  const error = await failed(() => require(`${name}-dependency`) as unknown);
  expect(missingSdk(error, name)).toBe(error);
});
