import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { taskHost } from "../../test/tasks/on-host.ts";
import { isRoot } from "../../test/transport/sshd.ts";
import { unarchive } from "./unarchive.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-partial-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const sh = (command: string): void => void execFileSync("sh", ["-c", command], { cwd: folder, stdio: "pipe" });

test.runIf(isRoot)("an archive that did not fit on the disk is unpacked again, even if `creates` exists", async () => {
  const small = join(folder, "small");
  mkdirSync(small);
  sh("mount -t tmpfs -o size=1m none small");
  onTestFinished(() => sh("umount small"));
  writeFileSync(join(folder, "0first"), "first");
  writeFileSync(join(folder, "data"), Buffer.alloc(3_000_000, "x"));
  writeFileSync(join(folder, "zlast"), "last");
  sh("tar -cf big.tar 0first data zlast");
  const call = () => unarchive({ archive: join(folder, "big.tar"), path: `${small}/u`, creates: `${small}/u/0first` });
  const host = taskHost();
  const [first] = await host.apply(call());
  expect(first?.error?.code).toBe("E_DISK_FULL");
  expect(existsSync(`${small}/u/0first`)).toBe(true);
  sh("mount -o remount,size=20m small");
  for (const mode of ["check", "apply"] as const) expect((await host[mode](call()))[0]?.outcome).toBe("changed");
  expect(readFileSync(`${small}/u/data`)).toHaveLength(3_000_000);
  expect(readFileSync(`${small}/u/zlast`, "utf8")).toBe("last");
  expect((await host.apply(call()))[0]?.outcome).toBe("ok");
});
