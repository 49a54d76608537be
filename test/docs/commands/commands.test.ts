import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Block } from "../../../scripts/docs/blocks.ts";
import { pageBlocks, root, triedPages } from "../../../scripts/docs/pages.ts";
import { pages as cloudPages } from "../../cloud/pages/page-blocks.ts";
import { gitopsPageRows } from "../../kube/pages/gitops-rows.ts";
import { opsPageRows } from "../../kube/pages/ops-rows.ts";
import { reportPageRows } from "../../kube/pages/report-rows.ts";
import { guide } from "../../kube/pages/perform.ts";
import { documentPages, documents } from "./documents.ts";
import { installedRows, nodeRows, powerRows, rackRows, vlansRow } from "./lab-rows.ts";
import { bridgesRow, pageRow } from "../../parvester/page-row.ts";
import { noCommands, otherFiles, runElsewhere, type Unrun } from "./unrun.ts";

// The last test of test/cloud/pages does the same for the pages whose commands it runs.
const guides = documentPages.filter((page) => !Object.values<string>(cloudPages).includes(page));
const blocks = guides.flatMap((page) => pageBlocks(page).map((block) => ({ page, block })));
const shown = ({ page, block }: { readonly page: string; readonly block: Block }): string =>
  `${page}:${block.line} ${block.text.split("\n", 1)[0]}`;

/** The blocks that a test runs on a lab's hosts. */
const labRows = [
  ...nodeRows,
  ...Object.values(installedRows),
  vlansRow,
  ...rackRows,
  ...powerRows,
  pageRow,
  bridgesRow,
];
const known = [
  ...[...gitopsPageRows, ...opsPageRows, ...reportPageRows, ...labRows].map(({ page, start }) => ({
    page: guide(page),
    start,
  })),
  ...[...runElsewhere, ...noCommands, ...otherFiles].map(([page, start]: Unrun) => ({
    page: guide(page),
    start,
  })),
];
const timesKnown = ({ page, block }: { readonly page: string; readonly block: Block }): number =>
  known.filter((one) => one.page === page && block.text.startsWith(one.start)).length;

/** Whether a command on the page reads this file. */
function isRead(page: string, name: string): boolean {
  return pageBlocks(page).some(({ language, text }) => language === "text" && text.includes(`@${name}`));
}

test("docs/README.md lists five ways to run Harvester, and every page about Harvester", () => {
  expect(documents.map(({ pages }) => pages.length > 0)).toEqual([true, true, true, true, true]);
  const wanted = readdirSync(join(root, "docs/guides/harvester")).map((name) => `docs/guides/harvester/${name}`);
  expect(wanted.filter((page) => !documentPages.includes(page))).toEqual([]);
  expect(documentPages).toEqual(expect.arrayContaining(["docs/guides/parvester.md", "docs/harvester.md"]));
});

test("every block of commands is run by a test, or a reason is given why not", () => {
  const commands = blocks.filter(({ block }) => !["ts", "yaml", "console"].includes(block.language));
  expect(commands.length).toBeGreaterThan(30);
  expect(commands.filter((one) => timesKnown(one) !== 1).map(shown)).toEqual([]);
  // The page's other blocks are replayed (console) or compiled (ts) by another test, which must include the page.
  expect(guides.filter((page) => !triedPages().includes(page))).toEqual([]);
});

test("every file with vars is read by a command on its page, or a reason is given why not", () => {
  const files = blocks.filter(({ block }) => block.language === "yaml");
  expect(files.length).toBeGreaterThan(10);
  const unread = files.filter((one) => one.block.name === undefined || !isRead(one.page, one.block.name));
  expect(unread.filter((one) => timesKnown(one) !== 1).map(shown)).toEqual([]);
});

test("every block that a test or a list names is on its page exactly once", () => {
  const wrong = known.filter(
    ({ page, start }) => blocks.filter((one) => one.page === page && one.block.text.startsWith(start)).length !== 1,
  );
  expect(wrong).toEqual([]);
});

test("commands that are tested on another page are on that page word for word", () => {
  for (const [page, start, other] of runElsewhere) {
    const [found] = blocks.filter((one) => one.page === guide(page) && one.block.text.startsWith(start));
    const there = pageBlocks(other).flatMap(({ text }) => text.split("\n"));
    expect(
      found?.block.text
        .trimEnd()
        .split("\n")
        .filter((line) => !there.includes(line)),
    ).toEqual([]);
  }
});
