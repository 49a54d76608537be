/** `npm run transcripts`: runs the commands that the guides show, and updates their output on the pages. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, triedPages } from "./docs/pages.ts";
import { replayed } from "./docs/transcripts.ts";

for (const page of triedPages()) {
  const text = replayed(page);
  if (text === readFileSync(join(root, page), "utf8")) continue;
  writeFileSync(join(root, page), text);
  console.log(`wrote ${page}`);
}
