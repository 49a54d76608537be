import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Runs the script behind `npm run replay`. */
function replayed(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const argv = [join(root, "scripts/field/replay.ts"), ...words];
  return spawnSync(process.execPath, argv, { cwd: root, encoding: "utf8", env: { ...process.env, INIT_CWD: root } });
}
const report = "test/suse/reports/sles-15.7-installed.json";

test("prints what check says about the host of a report, and how many facts the report does not contain", () => {
  const { status, stdout, stderr } = replayed(report);
  expect(stderr).toBe("");
  expect(stdout).toContain("A simulated host, made from a report that was composed instead of read on a host.");
  expect(stdout).toMatch(/^host +would change +boot artifacts › download harvester-v1\.8\.1-amd64\.iso/m);
  expect(stdout).toMatch(/^not in the report, and taken from a fresh host: \d+ facts$/m);
  expect(status).toBe(0);
});

test("prints a refusal with its hint, for vars other than those in the report", () => {
  const { status, stdout } = replayed(report, "openFirewall=false");
  expect(stdout).toContain("firewalld keeps port 80/tcp closed for the nodes (zone libvirt)");
  expect(stdout).toContain("firewall-cmd --permanent --zone=libvirt --add-port=80/tcp");
  expect(status).toBe(1);
});

test.each([
  ["a file that does not exist", "nowhere.json", "nowhere.json cannot be read"],
  ["a file that is not a report", "package.json", "package.json is not a field report"],
])("refuses %s", (_what, path, says) => {
  const { status, stderr } = replayed(path);
  expect(stderr).toContain(says);
  expect(stderr).not.toContain("    at ");
  expect(status).toBe(1);
});
