import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const repository = resolve(import.meta.dirname, "..");
const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };

interface Answer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function furrow(root: string, cwd: string, ...args: string[]): Answer {
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"] };
  const run = spawnSync(process.execPath, [join(root, "bin/furrow.js"), ...args], { cwd, env, encoding: "utf8" });
  return { code: run.status, stdout: run.stdout, stderr: run.stderr };
}

describe("bin/furrow.js", () => {
  it.each(["--version", "-V"])("answers %s", (option) => {
    expect(furrow(repository, "/", option)).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  it.each(["--help", "-h", "help"])("answers %s", (option) => {
    const text = readFileSync(join(repository, "bin/help.txt"), "utf8");
    expect(furrow(repository, "/", option)).toEqual({ code: 0, stdout: text, stderr: "" });
  });

  it("runs without cached code if nothing can be created in the temporary folder, where it hung", () => {
    const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], TMPDIR: "/proc" };
    const words = [join(repository, "bin/furrow.js"), "inventory", "-i", "local"];
    const run = spawnSync(process.execPath, words, { cwd: "/", env, encoding: "utf8", timeout: 60_000 });
    expect([run.status, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toContain("local");
  });

  it("uses no syntax that an old Node cannot parse", () => {
    const source = readFileSync(join(repository, "bin/furrow.js"), "utf8");
    const newer = [
      /\?\./,
      /\?\?/,
      /(?:from |import ?\(?|require\()"node:/,
      /^await /m,
      /\bstatic \{/,
      /#[a-z]/i,
      /\d_\d/,
    ];
    expect(newer.filter((syntax) => syntax.test(source.replace(/^#!.*/, "")))).toEqual([]);
  });
});

describe("bin/furrow.js on a Node that is too old", () => {
  let root: string;
  let elsewhere: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "furrow-bin-"));
    elsewhere = mkdtempSync(join(tmpdir(), "furrow-elsewhere-"));
    mkdirSync(join(root, "bin"));
    for (const name of ["furrow.js", "help.txt"]) copyFileSync(join(repository, "bin", name), join(root, "bin", name));
    const manifest = { type: "module", version: "1.2.3", engines: { node: ">=999.1" } };
    writeFileSync(join(root, "package.json"), JSON.stringify(manifest));
  });
  afterEach(() => {
    for (const folder of [root, elsewhere]) rmSync(folder, { recursive: true, force: true });
  });

  function plantNode(folder: string, script: string): void {
    const node = join(folder, "node_modules/node/bin/node");
    mkdirSync(join(node, ".."), { recursive: true });
    writeFileSync(node, `#!/bin/sh\n${script}\n`);
    chmodSync(node, 0o755);
  }

  it("still answers --version", () => {
    expect(furrow(root, elsewhere, "--version")).toEqual({ code: 0, stdout: "1.2.3\n", stderr: "" });
  });

  it("reruns itself on the project's own Node, with the same exit code", () => {
    plantNode(root, 'shift; echo "own: $*"; exit 3');
    expect(furrow(root, elsewhere, "run", "a b.ts")).toEqual({ code: 3, stdout: "own: run a b.ts\n", stderr: "" });
  });

  it("finds the Node of the project that contains the current folder", () => {
    plantNode(elsewhere, "echo elsewhere");
    mkdirSync(join(elsewhere, "deep"));
    expect(furrow(root, join(elsewhere, "deep"), "run")).toEqual({ code: 0, stdout: "elsewhere\n", stderr: "" });
  });

  it("says in one line which Node it needs, if the project's own Node is also missing or too old", () => {
    const needed = `furrow needs Node >=999.1, but this is ${process.versions.node}`;
    const without = furrow(root, elsewhere, "run");
    expect(without.code).toBe(64);
    expect(without.stderr).toMatch(/^[^\n]+\n$/);
    expect(without.stderr).toContain(needed);
    plantNode(root, `exec ${process.execPath} "$@"`);
    expect(furrow(root, elsewhere, "run")).toEqual(without);
  });

  it("ends with the signal that ended the project's Node", async () => {
    plantNode(root, "kill -TERM $$");
    const run = spawnSync(process.execPath, [join(root, "bin/furrow.js"), "run"], { cwd: elsewhere });
    expect(run.signal).toBe("SIGTERM");
  });

  it("ends when the process that the user started is killed by SIGKILL", async () => {
    const newer = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"999.2.0"})';
    plantNode(root, `exec '${process.execPath}' --import '${newer}' "$@"`);
    mkdirSync(join(root, "src/cli"), { recursive: true });
    const main =
      "export const main = () => { console.log(process.pid); return new Promise((r) => setTimeout(r, 30_000)); };";
    writeFileSync(join(root, "src/cli/main.ts"), main);
    const started = spawn(process.execPath, [join(root, "bin/furrow.js"), "run"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [output] = (await once(started.stdout, "data")) as [Buffer];
    const pid = Number(output.toString());
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    expect(pid).not.toBe(started.pid);
    started.kill("SIGKILL");
    await expect.poll(() => isRunning(pid), { timeout: 120_000 }).toBe(false);
  });
});

/** False for a process that has exited, even if its new parent has not reaped it yet. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
