import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Block, withBlocks } from "./blocks.ts";
import { emptyProject, putBlock, putCompiler, root } from "./pages.ts";

/**
 * Returns the page with its `console` blocks as they would look now: its files are written into an empty project in
 * order, and each command after `$ ` runs there. Blocks whose content is taken from another file (`console PATH`) stay
 * unchanged, and so does a block whose output differs only in durations.
 */
export function replayed(page: string): string {
  const folder = emptyProject();
  try {
    return withBlocks(readFileSync(join(root, page), "utf8"), (block) => {
      if (block.language !== "console") putBlock(folder, block);
      if (block.name === "tsconfig.json") putCompiler(folder);
      return block.language === "console" && block.name === undefined ? played(block, folder) : undefined;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function played({ text }: Block, folder: string): string | undefined {
  const commands = text.split("\n").filter((line) => line.startsWith("$ "));
  const now = commands.map((line) => `${line}\n${output(line.slice(2), folder)}`.trimEnd()).join("\n");
  return steady(now) === steady(text) ? undefined : now;
}

function output(command: string, folder: string): string {
  const real = command.replaceAll("npx furrow", `'${process.execPath}' '${join(root, "node_modules/.bin/furrow")}'`);
  const { stdout } = spawnSync("/bin/sh", ["-c", `exec 2>&1\n${real}`], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1", LANG: "C.UTF-8" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  return stdout.replaceAll(folder, "/home/ann/site");
}

/** The text without the parts that differ between runs and machines. */
function steady(text: string): string {
  return text
    .trimEnd()
    .replaceAll(/ {2}\d+(\.\d+)? (ms|s)$/gm, "")
    .replaceAll(/\d+(\.\d+)? (ms|s|k?B)\b/g, "N");
}
