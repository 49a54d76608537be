import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { directories, files, jobs, packages, units } from "../../bench/rerun/workload.ts";
import { questionsAhead } from "../../src/engine/ahead/read-ahead.ts";
import { Knowledge } from "../../src/engine/host/knowledge.ts";
import { planNodes, type PlannedTask } from "../../src/engine/plan/plan.ts";
import type { FrameItem } from "../../src/core/host/frame.ts";
import type { Question } from "../../src/core/facts/fact.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import type { Step } from "../../src/core/host/step.ts";
import { compileFrame } from "../../src/transport/frame/compile/compile.ts";
import { prelude, stepFunctions } from "../../src/transport/frame/compile/prelude.ts";
import { borderFunctions } from "../../src/transport/frame/session/runner-script.ts";
import * as t from "../../tasks/index.ts";
import { covered } from "../covered.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-forks-"));
const at = (path: string): string => join(folder, path);

beforeAll(() => {
  for (const path of directories) mkdirSync(at(path), { recursive: true });
  for (const { path, content } of files) writeFileSync(at(path), content);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Number of processes that a shell on this machine starts for a frame, not counting the shell. */
function processes(items: readonly FrameItem[], functions = ""): number {
  const trace = at("trace");
  const { text } = compileFrame(items, "nonce");
  const options = ["-f", "-qq", "-o", trace, "-e", "trace=clone,clone3,fork,vfork"];
  execFileSync("strace", [...options, "dash"], {
    input: `${prelude}${functions}${text}`,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const calls = readFileSync(trace, "latin1").split("\n");
  return calls.filter((line) => /(clone3?|v?fork)\(/.test(line) && !line.includes("CLONE_THREAD")).length;
}

/** The first frame in a run of these tasks. The frame reads all facts that can be read together. */
function reads(nodes: readonly Node[]): FrameItem[] {
  const plan = planNodes(nodes, { target: "h", path: [], tags: [], when: [], become: undefined }, "");
  return [
    {
      item: "read",
      questions: questionsAhead(plan as PlannedTask[], new Knowledge(), () => undefined, "root") as Question[],
    },
  ];
}

const manyFiles = (count: number): Step[] =>
  Array.from({ length: count }, (_, index) => ({
    step: "writeFile",
    path: at(`tree/file-${index}`),
    text: `content ${index}\n`,
    mode: "0644",
  }));

describe("processes on the host", () => {
  const steps = (list: readonly Step[]): FrameItem[] => [{ item: "steps", task: "t", steps: list }];
  const act = (list: readonly Step[]): number => processes(steps(list), `${borderFunctions}\n${stepFunctions}\n`);
  const nodes = [
    packages.map((name) => t.package({ name })),
    directories.map((path) => t.file({ path: at(path), state: "directory", mode: "0755" })),
    files.map(({ path, content }) => t.file({ path: at(path), content, mode: "0644" })),
    units.map((name) => t.service({ name, state: "started" })),
    jobs.map((job) => t.cron(job)),
  ] as readonly Node[];

  test("stay few while the facts of 50 converged tasks are read, even with 25 more files", () => {
    const once = processes(reads(nodes));
    const copies = files.map(({ path }) => t.file({ path: at(`${path}.copy`), content: "", mode: "0644" }));
    const more = processes(reads([...nodes, ...copies] as readonly Node[]));
    covered(`${once} processes on the host for the frame of 50 tasks, ${more} for 75`);
    // 23 on the machine where this was written; the number differs on a host without systemd or crontab.
    expect(once).toBeLessThanOrEqual(34);
    expect(more).toBeLessThanOrEqual(once + 1);
  });

  test("hardly increase if 200 files in one folder are written instead of one", () => {
    mkdirSync(at("tree"));
    const one = act(manyFiles(1));
    rmSync(at("tree"), { recursive: true });
    mkdirSync(at("tree"));
    const many = act(manyFiles(200));
    covered(`${one} processes to write one file, ${many} for 200 in one folder`);
    // Without a journal, as here, two of the processes limit the step's output. A frame with a journal starts 8.
    expect(one).toBeLessThanOrEqual(10);
    expect(many).toBeLessThanOrEqual(16);
    expect(readFileSync(at("tree/file-199"), "utf8")).toBe("content 199\n");
  });

  test("do not increase if there are 20 directories with the same owner and mode instead of three", () => {
    const made = (name: string, count: number): Step[] =>
      Array.from({ length: count }, (_, index) => {
        return { step: "makeDirectory", path: at(`${name}-${index}`), parents: true, mode: "0755", owner: "root" };
      });
    const three = act(made("three", 3));
    const many = act(made("many", 20));
    covered(`${three} processes for three directories, ${many} for 20`);
    expect(three).toBeGreaterThan(2);
    expect(many).toBe(three);
    expect(statSync(at("many-19")).isDirectory()).toBe(true);
  });
});
