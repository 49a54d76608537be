/** `npm run generate [-- --check]`: the task index and the reference pages, from the tasks themselves. */
import { incompleteFolders } from "./reference/catalogue.ts";
import type { Page } from "./reference/page.ts";
import { allPages, stalePaths, writePages } from "./reference/pages.ts";

try {
  const pages = await allPages();
  if (process.argv.includes("--check")) check(pages);
  else for (const path of writePages(pages)) console.log(`wrote ${path}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function check(pages: readonly Page[]): void {
  const stale = stalePaths(pages);
  for (const path of stale) console.error(`stale: ${path}`);
  if (stale.length > 0) console.error('run "npm run generate"');
  const incomplete = incompleteFolders();
  for (const name of incomplete) console.error(`tasks/${name} has no ${name}.ts`);
  if (stale.length + incomplete.length === 0) return;
  process.exitCode = 1;
}
