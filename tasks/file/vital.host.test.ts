import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { taskHost } from "../../test/tasks/on-host.ts";
import { file } from "./file.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-vital-"));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, "lib/of"), { recursive: true });
copyFileSync("/usr/bin/dash", join(folder, "lib/of/sh"));
const host = taskHost(["env", `PATH=${folder}/lib/of:/usr/bin:/bin`, "sh"]);

// These tests use only check mode: with a broken guard, a run would remove the directory.
describe("a directory that every host needs", () => {
  test.each([{ path: "lib" }, { path: "lib/of" }])("is not removed: $path", async ({ path }) => {
    const [end] = await host.check(file({ path: join(folder, path), state: "absent", recursive: true }));
    expect(end?.error?.failure).toMatchObject({
      details: ["refused: in-use"],
      current: `vital:${join(folder, "lib/of/sh")}`,
    });
  });

  test("is not confused with a sibling that has a similar name", async () => {
    mkdirSync(join(folder, "li"));
    const call = file({ path: join(folder, "li"), state: "absent", recursive: true });
    expect(await host.check(call)).toMatchObject([{ outcome: "changed" }]);
  });

  test.each([
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/systemd",
    "/etc/pam.d",
    "/var/lib/systemd",
    "/proc/1",
    "/sys/kernel",
    "/dev/disk",
  ])("is refused when the playbook is loaded: %s", async (path) => {
    await expect(host.check(file({ path, state: "absent", recursive: true }))).rejects.toThrow(
      expect.objectContaining({
        failure: expect.objectContaining({ expected: "a path below it: every host needs this directory" }),
      }),
    );
  });
});
