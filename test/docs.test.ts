import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { layers } from "../scripts/lint/layers.ts";

const root = resolve(import.meta.dirname, "..");
const pages = ["README.md", "AGENTS.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
  .concat(filesBelow("docs").filter((path) => path.endsWith(".md")))
  .filter((path) => existsSync(join(root, path)));

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path));
}

/** git keeps no empty folder: a layer that nothing has been written for yet is not missing. */
function isThere(path: string): boolean {
  return existsSync(join(root, path)) || layers.some((layer) => layer.path === path);
}

/** The paths of the tree drawn in AGENTS.md, made whole from their indentation. */
function drawnTree(): string[] {
  const drawn = /```\n([^]*?)```/.exec(readFileSync(join(root, "AGENTS.md"), "utf8"))?.[1] ?? "";
  const above: string[] = [];
  return drawn
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const depth = (line.length - line.trimStart().length) / 2;
      above.length = depth;
      above[depth] = line.trim().split(/\s+/, 1)[0] ?? "";
      return above.join("");
    });
}

describe("the documents", () => {
  it("AGENTS.md draws a tree of what is there", () => {
    const tree = drawnTree();
    expect(tree.length).toBeGreaterThan(20);
    expect(tree.filter((path) => !isThere(path))).toEqual([]);
  });

  it("AGENTS.md draws every folder at the top and every layer", () => {
    const ignored = new Set(["node_modules", "dist"]);
    const top = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !ignored.has(entry.name))
      .map(({ name }) => name);
    const drawn = drawnTree();
    const ours = layers.map(({ path }) => path).filter((path) => !path.startsWith("src/transport/sim"));
    const wanted = [...top.map((name) => `${name}/`), ...ours];
    expect(wanted.filter((path) => !drawn.some((line) => line.startsWith(path)))).toEqual([]);
  });

  it.each(["AGENTS.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])("every path that %s names exists", (page) => {
    const text = readFileSync(join(root, page), "utf8");
    const named = [...text.matchAll(/`([a-z.]\w[\w./-]*)`/g)].map(([, path]) => path ?? "");
    const paths = named.filter((path) =>
      /^(src|test|tasks|roles|playbooks|inventory|scripts|docs|bin|bench|\.ci)\/|\w\.(ts|js|json|md)$/.test(path),
    );
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
    expect(page === "CONTRIBUTING.md" || paths.length > 3).toBe(true);
  });

  it.each(pages)("every link of %s leads to a file", (page) => {
    const text = readFileSync(join(root, page), "utf8").replaceAll(/```[^]*?```/g, "");
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)].map(([, link]) => link ?? "");
    const missing = links.filter((link) => !existsSync(join(root, dirname(page), link)) && link !== "README.md");
    expect(missing).toEqual([]);
  });

  it("every npm command that a page names is a script", () => {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const named = pages.flatMap((page) => [
      ...readFileSync(join(root, page), "utf8").matchAll(/npm run (?:-s |--silent )?([a-z][\w:-]*)/g),
    ]);
    const unknown = named.map(([, name]) => name ?? "").filter((name) => !(name in manifest.scripts));
    expect(unknown).toEqual([]);
  });

  it("decision records are numbered without gaps", () => {
    const numbers = readdirSync(join(root, "docs/decisions")).map((name) => Number.parseInt(name, 10));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, index) => index));
  });
});
