import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readCatalogue, root } from "./catalogue.ts";
import { badInputPage } from "./bad-input-page.ts";
import { coveragePage } from "./coverage-page.ts";
import { cliPage, helpPage } from "./cli-pages.ts";
import { errorsPage } from "./errors-page.ts";
import { eventsPage } from "./events-page.ts";
import { kubeTypes } from "./kube-types.ts";
import type { Page } from "./page.ts";
import { readmePage } from "./readme-page.ts";
import { taskIndex } from "./task-index.ts";
import { taskList, taskPage } from "./task-page.ts";

/** Generates the content of all generated files, in memory. */
export async function allPages(): Promise<Page[]> {
  const entries = await readCatalogue();
  return [
    taskIndex(entries),
    taskList(entries),
    ...entries.map(taskPage),
    errorsPage(),
    eventsPage(),
    cliPage(),
    helpPage(),
    badInputPage(),
    coveragePage(),
    readmePage(),
    ...(await kubeTypes()),
  ];
}

/** Paths of files that differ from their page, and of leftover files that are no longer generated. */
export function stalePaths(pages: readonly Page[]): string[] {
  const differing = pages.filter(({ path, text }) => read(path) !== text).map(({ path }) => path);
  return [...differing, ...orphans(pages)];
}

/** Writes the pages that differ and removes leftover files; returns the paths of both. */
export function writePages(pages: readonly Page[]): string[] {
  const stale = stalePaths(pages);
  for (const path of stale) {
    const page = pages.find((candidate) => candidate.path === path);
    if (page === undefined) rmSync(join(root, path));
    else {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), page.text);
    }
  }
  return stale;
}

function orphans(pages: readonly Page[]): string[] {
  const folder = "docs/reference/tasks";
  if (!existsSync(join(root, folder))) return [];
  const known = new Set(pages.map(({ path }) => path));
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !known.has(path));
}

function read(path: string): string | undefined {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined;
}
