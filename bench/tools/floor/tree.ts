import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { treePath } from "../../workloads/things.ts";
import type { Connection } from "./connection.ts";

const look = `mkdir -p ${treePath} && cd ${treePath} && find . -type f -exec sha256sum {} + && find . -exec stat -c '%a %U:%G %n' {} +`;

/** Maintains a tree: compares hashes first, then sends the files that differ as one tar stream. */
export async function keepTree(connection: Connection, source: string, check: boolean): Promise<number> {
  const paths = readdirSync(source, { recursive: true, encoding: "utf8" }).map((path) => join(source, path));
  const wanted = paths.map((path) => ({ path: `./${relative(source, path)}`, lines: linesOf(path, source) }));
  const answer = new Set((await connection.run(look, "")).split("\n"));
  const wrong = wanted.filter(({ lines }) => lines.some((line) => !answer.has(line)));
  if (wrong.length === 0 || check) return wrong.length;
  const tar = spawn("tar", ["-c", "-C", source, "--no-recursion", "--owner=root", "--group=root", "-T", "-"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  tar.stdin.end(wrong.map(({ path }) => `${path}\n`).join(""));
  const after = new Set((await connection.run(`cd ${treePath} && tar -xp && ${look}`, tar.stdout)).split("\n"));
  const missing = wanted.flatMap(({ lines }) => lines.filter((line) => !after.has(line)));
  if (missing.length > 0) throw new Error(`not in the planned state: ${missing.join("\n")}`);
  return wrong.length;
}

function linesOf(path: string, source: string): string[] {
  const name = `./${relative(source, path)}`;
  const stat = statSync(path);
  const mode = `${(stat.mode & 0o7777).toString(8)} root:root ${name}`;
  if (stat.isDirectory()) return [mode];
  return [mode, `${createHash("sha256").update(readFileSync(path)).digest("hex")}  ${name}`];
}
