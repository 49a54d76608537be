import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { labDown, labRequirements, labUp } from "../../src/lab/index.ts";

const script = new URL("../../scripts/lab.ts", import.meta.url).pathname;
const stateDir = await mkdtemp(join(tmpdir(), "furrow-lab-"));

afterAll(() => rm(stateDir, { recursive: true, force: true }));

test.each([
  [{ hosts: 0 }, /number of hosts/],
  [{ hosts: 1.5 }, /number of hosts/],
  [{ hosts: 1, name: "Über" }, /name/],
  [{ hosts: 1, disks: -1 }, /number of disks/],
  [{ hosts: 1, disks: 1, diskSizeBytes: 1000 }, /disk size/],
])("labUp refuses %j", async (options, message) => {
  await expect(labUp({ ...options, stateDir })).rejects.toMatchObject({
    code: "E_LAB",
    message: expect.stringMatching(message),
  });
});

test("labUp without root reports that it needs root", async () => {
  const code = `
    import { labUp } from ${JSON.stringify(new URL("../../src/lab/index.ts", import.meta.url).href)};
    process.setgroups([]); process.setgid(65534); process.setuid(65534);
    await labUp({ hosts: 1 }).catch((error) => console.log(JSON.stringify([error.code, error.failure])));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code]);
  expect(JSON.parse(stdout)).toMatchObject([
    "E_LAB",
    { what: expect.stringContaining("needs root"), current: "user id 65534" },
  ]);
});

test("labRequirements names missing programs by their Debian packages", async () => {
  const before = process.env["PATH"];
  process.env["PATH"] = "/nonexistent";
  try {
    // Programs in /usr/sbin are found even if PATH does not contain that folder.
    expect((await labRequirements()).missing).toEqual(
      expect.arrayContaining(["mmdebstrap", "systemd-container", "openssh-client"]),
    );
  } finally {
    process.env["PATH"] = before;
  }
  expect(await labRequirements()).toEqual({ missing: [], root: true, debian: true });
});

test("labDown removes everything that a killed image build has left behind", async () => {
  const env = { ...process.env, FURROW_LAB_DIR: stateDir };
  const child = spawn(process.execPath, [script, "up", "1", "--name", "half"], { stdio: "ignore", env });
  const exit = once(child, "exit");
  // Kills the build while it unpacks packages, when it uses the most resources.
  while (
    !(await readdir(join(stateDir, "images"), { recursive: true }).catch(() => [])).some((path) =>
      path.endsWith("var/lib/dpkg"),
    )
  ) {
    await sleep(100);
  }
  await sleep(2000);
  child.kill("SIGKILL");
  await exit;
  await labDown({ name: "half", stateDir });
  expect(await readdir(join(stateDir, "images"))).toEqual([]);
  expect(await readFile("/proc/mounts", "utf8")).not.toContain(stateDir);
  const { stdout } = await promisify(execFile)("ps", ["-eo", "stat,args"]);
  expect(stdout.split("\n").filter((line) => line.includes(stateDir) && !line.startsWith("Z"))).toEqual([]);
});
