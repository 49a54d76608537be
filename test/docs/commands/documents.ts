import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../scripts/docs/pages.ts";

/** The five ways to run Harvester, as docs/README.md lists them: each with its pages below docs, in order. */
export const documents: readonly { readonly title: string; readonly pages: readonly string[] }[] = (() => {
  const all = readFileSync(join(root, "docs/README.md"), "utf8");
  const [, list = ""] =
    /^Run Harvester, or virtual machines without it, in one of five ways\..*\n([^]*?)\nAbout all five ways:$/m.exec(
      all,
    ) ?? [];
  return list
    .split(/^- /m)
    .slice(1)
    .map((part) => ({
      title: part.split("\n", 1)[0] ?? "",
      pages: [...part.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, path = ""]) => path),
    }));
})();

/** The pages about these five ways, without duplicates, as paths from the repository's root. */
export const documentPages: readonly string[] = [
  ...new Set(documents.flatMap(({ pages }) => pages.map((page) => `docs/${page}`))),
];
