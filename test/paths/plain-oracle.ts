import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import {
  at,
  hasMount,
  modeOf,
  parentOf,
  type PlainAct,
  type PlainOutcome,
  type PlainTask,
  replace,
  Unspecified,
} from "./plain-files.ts";
import { putTree, unpack } from "./plain-trees.ts";

/**
 * Does what tasks do, based only on their documentation: one task at a time, each reading the real files when its turn
 * comes. Imports nothing from furrow, so it does not share furrow's model of the file system.
 */

/** Executes one task. Throws Unspecified. */
export function perform(task: PlainTask): PlainOutcome {
  try {
    return acts(task);
  } catch (error) {
    if (error instanceof Unspecified) throw error;
    return "failed";
  }
}

function acts(task: PlainTask): PlainOutcome {
  switch (task.task) {
    case "file":
      return putFile(task.path, task.content, task.mode);
    case "directory":
      return putDirectory(task.path, task.mode);
    case "link":
      return putLink(task.path, task.target);
    case "absent":
      return remove(task.path, task.recursive);
    case "line":
      return edit(task.path, task.create, (text) => withLine(text, task.line, task.match));
    case "noLine":
      return at(task.path) === undefined
        ? "ok"
        : edit(task.path, false, (text) =>
            linesOf(text)
              .filter((line) => line !== task.line)
              .map((line) => `${line}\n`)
              .join(""),
          );
    case "block":
      return edit(task.path, task.create, (text) => withBlock(text, task.block));
    case "command":
      return command(task.act, task.creates);
    case "tree":
      return putTree(task.path, task.source, task.purge);
    case "unarchive":
      return unpack(task.archive, task.to, task.creates);
  }
}

function putFile(path: string, content: string, mode: string | undefined): PlainOutcome {
  const now = at(path);
  if (at(parentOf(path)) === undefined) return "failed";
  if (now?.isDirectory() === true) return "failed";
  if (now?.isFile() === true) {
    const same = readFileSync(path, "utf8") === content;
    if (same && (mode === undefined || modeOf(now) === mode)) return "ok";
    if (same) {
      chmodSync(path, Number.parseInt(mode ?? "", 8));
      return "changed";
    }
  }
  replace(path, content, mode);
  return "changed";
}

function putDirectory(path: string, mode: string | undefined): PlainOutcome {
  const now = at(path);
  if (now !== undefined) {
    if (!now.isDirectory()) return "failed";
    if (mode === undefined || modeOf(now) === mode) return "ok";
  } else {
    mkdirSync(path, { recursive: true, mode: 0o755 });
  }
  if (mode !== undefined) chmodSync(path, Number.parseInt(mode, 8));
  return "changed";
}

function putLink(path: string, target: string): PlainOutcome {
  const now = at(path);
  if (at(parentOf(path)) === undefined) return "failed";
  if (now?.isDirectory() === true) return "failed";
  if (now?.isFile() === true) throw new Unspecified();
  if (now?.isSymbolicLink() === true && readlinkSync(path) === target) return "ok";
  symlinkSync(target, `${path}.plain`);
  renameSync(`${path}.plain`, path);
  return "changed";
}

function remove(path: string, recursive: boolean): PlainOutcome {
  const now = at(path);
  if (now === undefined) return "ok";
  if (!now.isDirectory()) unlinkSync(path);
  else if (hasMount(path)) throw new Unspecified();
  else if (recursive) rmSync(path, { recursive: true });
  else rmdirSync(path);
  return "changed";
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function edit(path: string, create: boolean, change: (text: string) => string): PlainOutcome {
  const now = at(path);
  if (now === undefined) {
    if (!create || at(parentOf(path)) === undefined) return "failed";
    replace(path, change(""), undefined);
    return "changed";
  }
  if (!now.isFile()) return "failed";
  const old = readFileSync(path, "utf8");
  const text = change(old);
  if (text === old) return "ok";
  replace(path, text, undefined);
  return "changed";
}

function withLine(text: string, line: string, match: string | undefined): string {
  const lines = linesOf(text);
  const pattern = match === undefined ? undefined : new RegExp(match);
  if (lines.includes(line) && pattern?.test(line) !== true) return text;
  const last = pattern === undefined ? -1 : lines.findLastIndex((one) => pattern.test(one));
  if (last >= 0) lines[last] = line;
  else if (!lines.includes(line)) lines.push(line);
  return lines.map((one) => `${one}\n`).join("");
}

function withBlock(text: string, block: string): string {
  const [begin, end] = ["# BEGIN managed by furrow", "# END managed by furrow"];
  const lines = linesOf(text);
  const from = lines.indexOf(begin);
  const put = [begin, ...linesOf(block), end];
  if (from < 0) lines.push(...put);
  else lines.splice(from, lines.indexOf(end) - from + 1, ...put);
  return lines.map((one) => `${one}\n`).join("");
}

function command(act: PlainAct, creates: string | undefined): PlainOutcome {
  if (creates !== undefined && at(creates) !== undefined) return "ok";
  if (act.does === "append") appendFileSync(act.path, `${act.text}\n`);
  else if (act.does === "relink") {
    if (at(act.path)?.isSymbolicLink() !== true) return "failed";
    unlinkSync(act.path);
    symlinkSync(act.target, act.path);
  } else {
    if (at(act.to) !== undefined) return "failed";
    move(act.path, act.to);
  }
  if (creates !== undefined && at(creates) === undefined) return "failed";
  return "changed";
}

/** mv copies across a bind mount, and the intermediate states are not specified. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EXDEV") throw new Unspecified();
    throw error;
  }
}
