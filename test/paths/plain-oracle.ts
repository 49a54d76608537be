import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";

/**
 * What tasks do, by their documentation alone: one at a time, each looking at the real files when its turn comes. It
 * imports nothing of furrow, so that it does not share its picture of the world.
 */

/** One task, as plain data. Paths are absolute; targets of links are as they will stand in the link. */
export type PlainTask =
  | { readonly task: "file"; readonly path: string; readonly content: string; readonly mode?: string }
  | { readonly task: "directory"; readonly path: string; readonly mode?: string }
  | { readonly task: "link"; readonly path: string; readonly target: string }
  | { readonly task: "absent"; readonly path: string; readonly recursive: boolean }
  | {
      readonly task: "line";
      readonly path: string;
      readonly line: string;
      readonly match?: string;
      readonly create: boolean;
    }
  | { readonly task: "noLine"; readonly path: string; readonly line: string }
  | { readonly task: "block"; readonly path: string; readonly block: string; readonly create: boolean }
  | { readonly task: "command"; readonly act: PlainAct; readonly creates?: string; readonly declared: boolean }
  | { readonly task: "tree"; readonly path: string; readonly source: string; readonly purge: boolean }
  | { readonly task: "unarchive"; readonly archive: string; readonly to: string; readonly creates?: string };

/** What a command does. */
export type PlainAct =
  | { readonly does: "append"; readonly path: string; readonly text: string }
  | { readonly does: "relink"; readonly path: string; readonly target: string }
  | { readonly does: "move"; readonly path: string; readonly to: string };

/** How a task ends. */
export type PlainOutcome = "ok" | "changed" | "failed";

/** Thrown where the documentation leaves open what happens. */
export class Unspecified extends Error {}

/** Does one task. Throws Unspecified. */
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

function at(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

function modeOf(stats: Stats): string {
  return `0${(stats.mode & 0o777).toString(8)}`;
}

/** A new file beside the old one, renamed over it: another name of the old one keeps the old content. */
function replace(path: string, content: string, mode: string | undefined): void {
  const old = at(path);
  const temporary = `${path}.plain`;
  writeFileSync(temporary, content);
  chmodSync(temporary, Number.parseInt(mode ?? (old?.isFile() === true ? modeOf(old) : "0644"), 8));
  try {
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary);
    throw error;
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

function hasMount(path: string): boolean {
  const real = existsSync(path) ? realpathSync(path) : path;
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .some((line) => `${line.split(" ")[4] ?? ""}/`.startsWith(`${real}/`));
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
    renameSync(act.path, act.to);
  }
  if (creates !== undefined && at(creates) === undefined) return "failed";
  return "changed";
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function putTree(path: string, source: string, purge: boolean): PlainOutcome {
  if (
    hasMount(path) ||
    (purge &&
      `${path}/`.startsWith(`${existsSync(path) ? realpathSync(path) : path}/`) &&
      at(path)?.isSymbolicLink() === true)
  )
    throw new Unspecified();
  const there = isDirectory(path);
  if (!there && at(path) !== undefined) return "failed";
  const names = ["", ...walk(source)];
  for (const name of names.slice(1)) {
    const [now, wanted] = [at(`${path}/${name}`), lstatSync(`${source}/${name}`)];
    if (now !== undefined && now.isDirectory() !== wanted.isDirectory() && (now.isDirectory() || wanted.isDirectory()))
      return "failed";
  }
  let changed = false;
  if (purge && there) {
    for (const name of walk(path)
      .filter((one) => !names.includes(one))
      .toReversed()) {
      rmSync(`${path}/${name}`, { recursive: true });
      changed = true;
    }
  }
  for (const name of names) {
    const [place, from] = [name === "" ? path : `${path}/${name}`, `${source}/${name}`];
    if (lstatSync(from).isDirectory()) {
      if (!isDirectory(place)) mkdirSync(place, { recursive: true });
      else if (modeOf(statSync(place)) === "0755") continue;
      chmodSync(place, 0o755);
      changed = true;
      continue;
    }
    const now = at(place);
    const content = readFileSync(from, "utf8");
    if (now?.isFile() === true && readFileSync(place, "utf8") === content) {
      if (modeOf(now) === "0644") continue;
      chmodSync(place, 0o644);
    } else replace(place, content, "0644");
    changed = true;
  }
  return changed ? "changed" : "ok";
}

/** All names below a directory, without following links; a directory before what it holds. */
function walk(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? [entry.name, ...walk(`${directory}/${entry.name}`).map((name) => `${entry.name}/${name}`)]
      : [entry.name],
  );
}

/** Every archive holds one file, `packed`; the note of where it was unpacked is kept by the runner of the tests. */
function unpack(archive: string, to: string, creates: string | undefined): PlainOutcome {
  if (creates === undefined) throw new Unspecified();
  if (at(creates) !== undefined) return "ok";
  if (at(archive)?.isFile() !== true) return "failed";
  const now = at(to);
  if (now !== undefined && !now.isDirectory() && !now.isSymbolicLink()) return "failed";
  if (now === undefined) mkdirSync(to, { recursive: true });
  if (!isDirectory(to)) return "failed";
  const packed = `${to}/packed`;
  if (at(packed)?.isDirectory() === true) return "failed";
  rmSync(packed, { force: true });
  copyFileSync(`${archive}.content`, packed);
  chmodSync(packed, 0o644);
  return existsSync(creates) || at(creates) !== undefined ? "changed" : "failed";
}
