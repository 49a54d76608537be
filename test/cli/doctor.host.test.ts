import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import harvester from "../../playbooks/harvester.ts";
import { parseReport, replay } from "../../src/testing/index.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "furrow-doctor-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "report.json");

writeFileSync(
  join(folder, "inventory.ts"),
  `import { inventory, secret } from "${root}/src/authoring.ts";
export default inventory({
  hosts: { "payroll-prod": { transport: "local" }, other: { transport: "local" } },
  vars: {
    disks: ["/dev/disk/by-id/ata-ACME_ZX81SPECTRUM"],
    // Neither secret is available here, and a report needs neither of them.
    token: secret.env("FURROW_TEST_NO_SUCH_VARIABLE"),
    password: secret.prompt("Password"),
    // There is no cluster, so there is nothing to wait for.
    ready: false,
    kubeconfig: false,
    unrelated: "of another playbook",
  },
});\n`,
);

/** Runs furrow doctor without a terminal. */
function doctor(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const argv = [process.execPath, join(root, "bin/furrow.js"), "doctor", ...words, "-i", "inventory.ts"];
  return spawnSync("setsid", ["--wait", ...argv], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, XDG_STATE_HOME: join(folder, "state") },
  });
}

test("furrow doctor lists what a report contains, and writes nothing without an answer", () => {
  const { status, stdout, stderr } = doctor("harvester", "payroll-prod", "--to", file);
  expect(stderr).toContain("cannot ask whether to write the report, because there is no terminal");
  expect(status).toBe(64);
  expect(existsSync(file)).toBe(false);
  expect(stdout).toMatch(/^packages \(\d+\): the installed and the available versions of the roles' packages/m);
  expect(stdout).toContain("package nginx");
  expect(stdout).toMatch(/^confinement \(\d+\): /m);
});

test("counts files per folder instead of printing 200 paths before the question, and says what is left out and why", () => {
  const { stdout } = doctor("harvester", "payroll-prod", "--to", file);
  const [, about = "", files = ""] = /^files \(\d+\): (.*)\n {2}(.*)$/m.exec(stdout) ?? [];
  expect(about).toContain("keyed hashes");
  expect(files).toMatch(/(?:^|, )\/etc\/systemd\/system\/ \(\d+\)/);
  expect(files.split(", ").length).toBeLessThan(60);
  expect(stdout).toContain("-v lists everything");
  expect(stdout).toMatch(
    /^left out \(1\): not in the report: whether a program such as nginx accepts a new file, because /m,
  );
  const whole = doctor("harvester", "payroll-prod", "--to", file, "-v");
  const [, all = ""] = /^files \(\d+\): .*\n {2}(.*)$/m.exec(whole.stdout) ?? [];
  expect(all.split(", ").length).toBeGreaterThan(files.split(", ").length);
  expect(whole.stdout).not.toContain("-v lists everything");
});

test("writes a report that only its owner can read, and that can be replayed", async () => {
  const { status, stderr } = doctor("harvester", "payroll-prod", "--to", file, "--yes");
  expect(stderr.split("\n").filter((line) => line !== "")).toEqual([
    "Reading what the playbook harvester depends on. Nothing is changed on payroll-prod.",
  ]);
  expect(status).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = readFileSync(file, "utf8");
  for (const name of ["payroll", "ZX81SPECTRUM", "of another playbook"]) expect(text).not.toContain(name);
  const report = parseReport(text, file);
  expect(report.facts["host:self"]).toHaveProperty("hostname");
  expect(report.facts["host:self"]).not.toHaveProperty("hostname", hostname());
  expect(report.facts).toHaveProperty(["disks:all"]);
  const run = await replay(harvester, report);
  expect(run.tasks[0]).toMatchObject({ title: "no maintenance", outcome: "ok" });
  expect(run.tasks[1]?.title).toContain("the host can run 1 node");
});

test("does not replace an existing file without --force", () => {
  writeFileSync(file, "mine\n");
  const refused = doctor("harvester", "payroll-prod", "--to", file, "--yes");
  expect(refused.stderr).toContain(`${file} exists`);
  expect(readFileSync(file, "utf8")).toBe("mine\n");
  const replaced = doctor("harvester", "payroll-prod", "--to", file, "--yes", "--force", "--json");
  expect(replaced.status).toBe(0);
  expect(JSON.parse(replaced.stdout)).toMatchObject({ schema: 1, file });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test.each([
  [["web", "payroll-prod"], 64, 'there is no report on "web"'],
  [["harvester", "all"], 64, "a report is about one host, but all matches 2"],
  [["harvester", "nobody"], 64, 'the host pattern "nobody"'],
])("refuses %j", (words, code, says) => {
  const { status, stderr } = doctor(...words, "--yes", "--to", join(folder, "never.json"));
  expect(stderr).toContain(says);
  expect(status).toBe(code);
  expect(existsSync(join(folder, "never.json"))).toBe(false);
});
