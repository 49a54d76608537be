/** `npm run generate [-- --check]`: the task index and the reference pages, from the tasks themselves. */
import { allPages, stalePaths, writePages } from "./reference/pages.ts";

const pages = await allPages();
if (process.argv.includes("--check")) {
  const stale = stalePaths(pages);
  for (const path of stale) console.error(`stale: ${path}`);
  if (stale.length > 0) console.error('run "npm run generate"');
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const path of writePages(pages)) console.log(`wrote ${path}`);
}
