import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeSandbox } from "../sandbox.ts";

const repository = resolve(import.meta.dirname, "../..");

/** Each case plants one file and names the expected complaint; `undefined` means that no complaint is expected. */
const layerCases: readonly [path: string, line: string, complaint: string | undefined][] = [
  ["src/core/a.ts", 'import "../facts/file.ts";', "core may not import facts"],
  ["src/core/b.ts", 'import "../authoring.ts";', "core may not import authoring"],
  ["src/core/c.ts", 'import "node:fs";', 'core may not import "node:fs"'],
  ["src/core/d.ts", 'import { createHash } from "node:crypto"; createHash("sha256");', undefined],
  ["src/core/e.ts", 'import "./errors.ts";', undefined],
  ["src/facts/a.ts", 'import "../core/fact.ts";', undefined],
  ["src/facts/b.ts", 'import "../engine/run.ts";', "facts may not import engine"],
  ["src/facts/index.ts", 'export * from "../engine/run.ts";', "factsDoor may not import engine"],
  ["src/facts/catalogue.ts", 'export * from "../engine/run.ts";', "catalogue may not import engine"],
  ["tasks/a/h.ts", 'import "../../src/facts/catalogue.ts";', undefined],
  ["src/authoring.ts", 'export * from "./engine/run.ts";', "authoring may not import engine"],
  ["src/engine/a.ts", 'import "../core/fact.ts";', undefined],
  ["src/engine/b.ts", 'import "../transport/local.ts";', "engine may not import transport"],
  ["src/engine/c.ts", 'import "../../tasks/file/file.ts";', "engine may not import tasks"],
  ["src/engine/d.ts", 'import "../report/plain.ts";', "engine may not import report"],
  ["src/engine/e.ts", 'import "../cloud/ec2.ts";', "engine may not import cloud"],
  ["src/engine/f.ts", 'await import("../facts/file.ts");', "engine may not import facts"],
  ["src/engine/plan/a.ts", 'import "../paths/names.ts";', undefined],
  ["src/engine/paths/a.ts", 'import "../plan/plan.ts";', "paths may not import plan"],
  ["src/engine/plan/b.ts", 'import "../host/host.ts";', "plan may not import host"],
  ["src/engine/plan/conflicts/a.ts", 'import "../../task/wait/wait.ts";', "plan may not import task"],
  ["src/engine/host/a.ts", 'import "../task/wait/wait.ts";', "host may not import task"],
  ["src/engine/task/a.ts", 'import "../ahead/forecast.ts";', "task may not import ahead"],
  ["src/engine/ahead/a.ts", 'import "../run/run.ts";', "ahead may not import run"],
  ["src/engine/run/a.ts", 'import "../ahead/forecast.ts";', undefined],
  ["src/transport/frame/compile/a.ts", 'import "../answers/answers.ts";', "compile may not import answers"],
  ["src/transport/frame/answers/a.ts", 'import "../lock/wait-for-lock.ts";', "answers may not import lock"],
  ["src/transport/frame/lock/a.ts", 'import "../upload/tar.ts";', "lock may not import upload"],
  ["src/transport/frame/upload/a.ts", 'import "../session/session.ts";', "upload may not import session"],
  ["src/transport/frame/upload/b.ts", 'import "../limits.ts";', undefined],
  ["src/transport/a.ts", 'import "../engine/run.ts";', "transport may not import engine"],
  ["src/transport/b.ts", 'import "ssh2";', undefined],
  ["src/transport/ssh/a.ts", 'import "./patches/index.ts";', undefined],
  ["src/transport/ssh/b.ts", 'import "./patches/inside.ts";', "transport may not import ssh2Patches"],
  ["src/transport/ssh/patches/index.ts", 'import "../../../core/errors.ts";', "ssh2PatchesDoor may not import core"],
  ["src/transport/ssh/patches/a.ts", 'import "../link.ts";', "ssh2Patches may not import transport"],
  ["src/load/a.ts", 'import "ssh2";', 'load may not import "ssh2": only transport'],
  ["src/load/b.ts", 'import "../authoring.ts";', undefined],
  ["src/load/c.ts", 'import "../engine/run.ts";', "load may not import engine"],
  ["src/report/a.ts", 'import "../engine/run.ts";', "report may not import engine"],
  ["src/report/b.ts", 'import "listr2";', undefined],
  ["src/cli/a.ts", 'import "listr2";', 'cli may not import "listr2": only report'],
  ["src/cli/b.ts", 'import "../engine/run.ts";', undefined],
  ["src/cli/c.ts", 'import "../../scripts/new.ts";', "cli may not import scripts"],
  ["src/cloud/a.ts", 'import "../engine/run.ts";', "cloud may not import engine"],
  ["src/drivers/a.ts", 'import "../engine/run.ts";', "drivers may not import engine"],
  ["src/cloud/b.ts", 'import "@aws-sdk/client-ec2";', undefined],
  ["src/load/d.ts", 'import "@aws-sdk/client-ec2";', 'load may not import "@aws-sdk/client-ec2": only cloud'],
  ["src/testing/a.ts", 'import "../engine/run.ts";', undefined],
  ["src/testing/b.ts", 'import "../transport/simulated/host.ts";', undefined],
  ["src/testing/c.ts", 'import "../transport/ssh/connect.ts";', "testing may not import transport"],
  ["src/transport/simulated/a.ts", 'import "../../engine/run.ts";', "simulated may not import engine"],
  ["src/drivers/a.ts", 'import "../engine/run.ts";', "drivers may not import engine"],
  ["src/field/a.ts", 'import "../engine/run.ts";', "field may not import engine"],
  ["src/lab/a.ts", 'import "../engine/run.ts";', "lab may not import engine"],
  ["src/lab/index.ts", 'import "../engine/run.ts";', "labDoor may not import engine"],
  ["src/kubernetes/index.ts", 'import "../facts/index.ts";', "kubernetesDoor may not import facts"],
  ["src/cloud/index.ts", 'import "../facts/index.ts";', "cloudDoor may not import facts"],
  ["inventory/a.ts", 'import "../src/load/inventory.ts";', "inventory may not import load"],
  ["bench/a.ts", 'import "../src/engine/run/run.ts";', "bench may not import engine"],
  ["bench/floor.ts", 'import "../src/transport/ssh/ssh.ts";', undefined],
  ["src/newcomer.ts", 'import "./core/fact.ts";', '"src/newcomer.ts" is not in any layer'],
  ["tasks/a/a.ts", 'import "../../src/authoring.ts";', undefined],
  ["tasks/a/b.ts", 'import "../../src/core/facts/fact.ts";', "tasks may not import core"],
  ["tasks/a/c.ts", 'import "node:path";', 'tasks may not import "node:path"'],
  ["tasks/a/d.ts", 'import "zod";', 'tasks may not import "zod"'],
  ["tasks/a/e.ts", 'import "../../src/engine/run/run.ts";', "tasks may not import engine"],
  ["tasks/a/f.ts", 'import "../../src/transport/local.ts";', "tasks may not import transport"],
  [
    "tasks/a/g.ts",
    'import type { Fact } from "../../src/core/facts/fact.ts"; export type { Fact };',
    "tasks may not import core",
  ],
  ["tasks/a/a.test.ts", 'import "../../src/testing/index.ts";', undefined],
  ["roles/a/role.ts", 'import "../../tasks/index.ts";', undefined],
  ["roles/a/b.ts", 'import "../../src/facts/files/file.ts";', "roles may not import facts"],
  ["playbooks/a.ts", 'import "furrow"; import "furrow/tasks"; import "../roles/a/role.ts";', undefined],
  ["playbooks/b.ts", 'import "../src/engine/run.ts";', "playbooks may not import engine"],
  ["playbooks/c.ts", 'import "node:fs";', 'playbooks may not import "node:fs"'],
];

/** `fires` says whether the named complaint must appear. */
const otherCases: readonly [path: string, text: string, complaint: string, fires: boolean][] = [
  ["src/core/x1.ts", "export const answer = 42;", '"answer" has no docstring', true],
  ["src/core/x2.ts", "/** The answer. */\nexport const answer = 42;", "docstring", false],
  [
    "src/core/x31.ts",
    '/** Text. */\nexport const text = "a\u007fb";',
    "line 2 has a raw control character: write \\u007f",
    true,
  ],
  ["src/core/x32.ts", '/** Text. */\nexport const text = "a\\u007fb";', "control character", false],
  ["src/core/x3.ts", "/** Never there. */\nexport type Nothing = any;", "no-explicit-any", true],
  ["src/core/x4.ts", 'console.log("here");', "no-console", true],
  ["src/cli/x5.ts", 'console.log("here");', "no-console", false],
  ["src/core/x6.ts", "async function work(): Promise<void> {}\nwork();", "no-floating-promises", true],
  ["src/core/x7.ts", "const work = async (): Promise<void> => {};\n[1].forEach(work);", "no-misused-promises", true],
  ["src/core/x8.ts", "await 42;", "await-thenable", true],
  ["src/core/x9.ts", "// TODO tidy", "TODO without an issue number", true],
  ["src/core/x10.ts", "// TODO #12 tidy", "TODO", false],
  ["src/core/utils/x11.ts", "await 42;", '"utils" in its name', true],
  ["src/core/file-helper.ts", "await 42;", '"helper" in its name', true],
  ["src/core/x12.ts", "let n = 0;\n".concat("n += 1;\n".repeat(250)), "max-lines", true],
  ["src/core/x13.ts", "let n = 0;\n".concat("n += 1;\n// why\n\n".repeat(240)), "max-lines", false],
  ["src/core/x14.ts", "export default 42;", "no-default-export", true],
  ["playbooks/x15.ts", "export default 42;", "no-default-export", false],
  ["src/core/x16.ts", "let text: string | undefined;\ntext!.trim();", "no-non-null-assertion", true],
  ["src/core/x17.ts", "try {\n  JSON.parse(process.title);\n} catch {}", "no-empty", true],
  ["src/core/x19.ts", 'throw new FurrowError("E_BUG", { what: "it broke." });', "must not end with a period", true],
  ["src/core/x20.ts", 'throw new FurrowError("E_BUG", { what: "it broke", hint: "try again" });', "a capital", true],
  ["src/core/x21.ts", 'refuse({ code: "c", message: `no ${1}`, hint: `Put ${1} there…` });', "error-text", false],
  ["src/engine/w1.ts", "setTimeout(() => {}, 1);", "furrow(world): setTimeout", true],
  [
    "src/engine/w2.ts",
    'import { setTimeout as sleep } from "node:timers/promises";\nawait sleep(1);',
    "node:timers",
    true,
  ],
  ["src/engine/w3.ts", "export const at = performance.now();", "furrow(world): performance.now", true],
  ["src/engine/w4.ts", 'import { sleep } from "../core/world.ts";\nawait sleep(1);', "furrow(world)", false],
  ["src/engine/w5.ts", "export const at = new Date();", "furrow(world): new Date", true],
  ["src/engine/w6.ts", 'export const at = new Date("2026-01-01");', "furrow(world)", false],
  ["src/transport/w1.ts", "export const n = Math.random();", "furrow(world): Math.random", true],
  [
    "src/transport/w2.ts",
    'import { randomBytes } from "node:crypto";\nrandomBytes(1);',
    "randomBytes of node:crypto",
    true,
  ],
  ["src/transport/w3.ts", 'import { createHash } from "node:crypto";\ncreateHash("sha1");', "furrow(world)", false],
  ["src/transport/w4.ts", 'import { open } from "node:fs/promises";\nawait open("x");', "node:fs/promises", true],
  [
    "src/transport/w5.ts",
    'import type { FileHandle } from "node:fs/promises";\nexport type { FileHandle };',
    "furrow(world)",
    false,
  ],
  ["src/transport/w6.ts", "export const late = AbortSignal.timeout(1);", "furrow(world): AbortSignal.timeout", true],
  [
    "src/transport/frame/w7.ts",
    'import pRetry from "p-retry";\nawait pRetry(() => 1);',
    "furrow(world): p-retry",
    true,
  ],
  ["src/transport/outside.ts", 'import { open } from "node:fs/promises";\nawait open("x");', "furrow(world)", false],
  ["src/cli/w1.ts", "setTimeout(() => {}, 1);", "furrow(world)", false],
  ["src/core/x18.test.ts", 'import { it } from "vitest";\nit.only("x", () => {});', "no-focused-tests", true],
];

describe("the lint rules", () => {
  let folder: string;
  let complaints: ReadonlyMap<string, string>;

  beforeAll(() => {
    folder = makeSandbox(["scripts/lint"], [...layerCases, ...otherCases]);
    complaints = lint(folder);
  }, 600_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(layerCases)("%s: %s", (path, _line, complaint) => {
    const found = complaints.get(path) ?? "";
    expect(found.includes(`furrow(layers): ${complaint ?? ""}`), found).toBe(complaint !== undefined);
  });

  it.each(otherCases)("%s: %s", (path, _text, complaint, fires) => {
    const found = complaints.get(path) ?? "";
    expect(found.includes(complaint), found).toBe(fires);
  });

  it("are tested with a forbidden import in every layer whose imports are restricted", async () => {
    const { layers } = await import("./layers.ts");
    const broken = new Set(layerCases.flatMap(([, , complaint]) => complaint?.split(" ")[0] ?? []));
    const unbroken = layers.filter((layer) => layer.name !== "cli" && layer.may.includes("*")).map(({ name }) => name);
    const missing = layers.map(({ name }) => name).filter((name) => !broken.has(name) && !unbroken.includes(name));
    expect(missing).toEqual([]);
  });
});

/** All complaints keyed by file, each as `rule: message`. */
function lint(root: string): Map<string, string> {
  const run = spawnSync(
    join(repository, "node_modules/.bin/oxlint"),
    ["--format=json", "src", "tasks", "roles", "playbooks", "inventory", "bench"],
    {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1 << 26,
    },
  );
  const { diagnostics } = JSON.parse(run.stdout) as {
    diagnostics: { filename: string; code: string; message: string }[];
  };
  const byFile = new Map<string, string>();
  for (const { filename, code, message } of diagnostics) {
    byFile.set(filename, `${byFile.get(filename) ?? ""}${code}: ${message}\n`);
  }
  return byFile;
}
