import { copyFileSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const repository = resolve(import.meta.dirname, "..");

/**
 * Creates a temporary folder that contains the repository's configuration, links to some of its folders, and planted
 * files.
 */
export function makeSandbox(
  linked: readonly string[],
  files: readonly (readonly [path: string, text: string, ...rest: unknown[]])[],
): string {
  const root = mkdtempSync(join(tmpdir(), "furrow-sandbox-"));
  for (const name of [".oxlintrc.json", ".oxfmtrc.json", "package.json", "tsconfig.json", "vitest.config.ts"]) {
    copyFileSync(join(repository, name), join(root, name));
  }
  for (const path of [...linked, "node_modules"]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(join(repository, path), join(root, path));
  }
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${text}\n`);
  }
  return root;
}
