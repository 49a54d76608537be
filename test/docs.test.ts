import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { blocksOf } from "../scripts/docs/blocks.ts";
import { isSecretName } from "../src/core/secrets/secret-schema.ts";
import { layers } from "../scripts/lint/layers.ts";

const root = resolve(import.meta.dirname, "..");
const pages = ["README.md", "AGENTS.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
  .concat(filesBelow("docs").filter((path) => path.endsWith(".md")))
  .filter((path) => existsSync(join(root, path)));

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path));
}

/** git does not track empty folders, so a layer without files does not count as missing. */
function isThere(path: string): boolean {
  return existsSync(join(root, path)) || layers.some((layer) => layer.path === path);
}

/** The full paths in the tree that AGENTS.md shows, derived from the indentation. */
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

/** A page without its code blocks. */
function prose(page: string): string {
  return readFileSync(join(root, page), "utf8").replaceAll(/```[^]*?```/g, "");
}

/** The anchors of a page's headings, as GitHub generates them. */
function headingsOf(page: string): string[] {
  return [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
}

describe("the documents", () => {
  it("AGENTS.md shows a tree of files that all exist", () => {
    const tree = drawnTree();
    expect(tree.length).toBeGreaterThan(20);
    expect(tree.filter((path) => !isThere(path))).toEqual([]);
  });

  it("AGENTS.md shows every top-level folder and every layer", () => {
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

  it.each(pages)("every link in %s leads to a file", (page) => {
    const text = readFileSync(join(root, page), "utf8").replaceAll(/```[^]*?```/g, "");
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)].map(([, link]) => link ?? "");
    const missing = links.filter((link) => !existsSync(join(root, dirname(page), link)));
    expect(missing).toEqual([]);
  });

  it.each(pages)("every link in %s to a section leads to a heading", (page) => {
    const links = [...prose(page).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/g)];
    const missing = links.filter(([, path = "", heading = ""]) => {
      const target = path === "" ? page : join(dirname(page), path);
      return target.endsWith(".md") && !headingsOf(target).includes(heading);
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });

  it("docs/README.md links to every guide, decision and page of the reference", () => {
    const linked = [...prose("docs/README.md").matchAll(/\]\(([^)#\s]+)/g)].map(([, link]) => join("docs", link ?? ""));
    const wanted = pages.filter((page) => /^docs\/(reference\/[^/]+|(guides|decisions)\/.+)$/.test(page));
    expect(wanted.length).toBeGreaterThan(20);
    expect(wanted.filter((page) => !linked.includes(page))).toEqual([]);
  });

  it.each(pages.filter((page) => page.startsWith("docs/guides/")))(
    "%s asks a question, shows code, and links to other pages",
    (page) => {
      const lines = readFileSync(join(root, page), "utf8").trimEnd().split("\n");
      expect(lines[0]).toMatch(/^# .+\?$/);
      expect(lines.slice(0, 15).some((line) => line.startsWith("```"))).toBe(true);
      expect(lines.slice(-3).join("\n")).toMatch(/\]\([^)]+\.md\)/);
    },
  );

  it("the first screen of README.md has at most 40 lines, and its playbook at most 12", () => {
    const lines = readFileSync(join(root, "README.md"), "utf8").split("\n");
    const end = lines.indexOf("## Where next");
    expect(end).toBeGreaterThan(0);
    expect(end).toBeLessThanOrEqual(40);
    const [playbook, transcript] = blocksOf(lines.slice(0, end).join("\n"));
    expect(playbook).toMatchObject({ language: "ts", name: "playbooks/web.ts" });
    expect(playbook?.text.trimEnd().split("\n").length).toBeLessThanOrEqual(12);
    expect(transcript?.text).toContain("$ npx furrow check playbooks/web.ts");
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

  it("no page and no playbook puts a token or a password on a command line", () => {
    const shown = [...pages, ...["playbooks", "inventory"].flatMap(filesBelow)].filter((path) =>
      /\.(md|ts)$/.test(path),
    );
    const given = shown.flatMap((page) => {
      const text = readFileSync(join(root, page), "utf8");
      const found = text.matchAll(/(?:--var|--extra-vars|-e)[ =]["']?([\w.]+)=/g);
      return [...found]
        .map(([, name = ""]) => `${page}: ${name}`)
        .filter((one) => isSecretName(one.split(" ")[1] ?? ""));
    });
    expect(given).toEqual([]);
    expect(shown.length).toBeGreaterThan(50);
  });

  it("decision records are numbered without gaps", () => {
    const records = readdirSync(join(root, "docs/decisions"), { recursive: true, encoding: "utf8" });
    const numbers = records.filter((path) => path.endsWith(".md")).map((path) => Number.parseInt(basename(path), 10));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, index) => index));
  });
});
