/**
 * `npm run generate [-- --check]`: generates the task index and the reference pages from the tasks themselves, and the
 * minified host scripts.
 */
import { staleScripts, writeScripts } from "./shell/sent.ts";

try {
  const isCheck = process.argv.includes("--check");
  // Must run before any module of furrow is loaded, because those modules import its output.
  if (!isCheck) for (const line of writeScripts()) console.log(line);
  const { incompleteFolders } = await import("./reference/catalogue.ts");
  const { allPages, stalePaths, writePages } = await import("./reference/pages.ts");
  const pages = await allPages();
  if (isCheck) check([...staleScripts(), ...stalePaths(pages)], incompleteFolders());
  else for (const path of writePages(pages)) console.log(`wrote ${path}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function check(stale: readonly string[], incomplete: readonly string[]): void {
  for (const path of stale) console.error(`stale: ${path}`);
  if (stale.length > 0) console.error('run "npm run generate"');
  for (const name of incomplete) console.error(`tasks/${name} has no ${name}.ts`);
  if (stale.length + incomplete.length === 0) return;
  process.exitCode = 1;
}
