import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root, triedPages } from "../../scripts/docs/pages.ts";
import { replayed } from "../../scripts/docs/transcripts.ts";

it.each(triedPages())("%s shows what its commands print (else: npm run transcripts)", (page) => {
  expect(replayed(page)).toBe(readFileSync(join(root, page), "utf8"));
});
