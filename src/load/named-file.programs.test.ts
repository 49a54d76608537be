import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readKnownHosts } from "../transport/ssh/host-keys/known-hosts-file.ts";
import { readIdentity } from "../transport/ssh/login/identity.ts";
import { readNamedFile } from "./named-file.ts";
import { fromFile } from "./vars/secrets.ts";
import { parseVarFlags } from "./vars/var-flag.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-named-file-"));
const fifo = join(folder, "fifo");
beforeAll(() => void execFileSync("mkfifo", [fifo]));
afterAll(() => rmSync(folder, { recursive: true }));

describe("a FIFO or a device does not hang furrow", () => {
  test.each([
    ["fifo", "it is a FIFO, not a regular file"],
    ["/dev/zero", "it is a character device, not a regular file"],
  ])("as a secret file, a vars file, a key or known hosts (%s)", async (name, why) => {
    const path = name === "fifo" ? fifo : name;
    expect(() => fromFile(path, () => {})).toThrow(
      expect.objectContaining({ code: "E_SECRET", failure: expect.objectContaining({ current: why }) as unknown }),
    );
    await expect(parseVarFlags([`@${path}`])).rejects.toMatchObject({ code: "E_FILE", failure: { current: why } });
    expect(await readIdentity(path, undefined)).toEqual({ path, problem: "unusable", detail: why });
    await expect(readKnownHosts([path])).rejects.toMatchObject({ code: "E_FILE", failure: { current: why } });
  });
});

test.each(["fifo", "/dev/zero"])("npm run replay on %s says what is there, and exits", (name) => {
  const program = join(import.meta.dirname, "../../scripts/field/replay.ts");
  const path = name === "fifo" ? fifo : name;
  const { status, stderr } = spawnSync(process.execPath, [program, path], { encoding: "utf8", timeout: 60_000 });
  expect(stderr).toMatch(/cannot be read\n +current +it is a (FIFO|character device), not a regular file\n/);
  expect(status).toBe(1);
});

test("/dev/null as known hosts has no hosts, as with OpenSSH", async () => {
  expect((await readKnownHosts(["/dev/null"])).entries).toEqual([]);
  expect(readNamedFile("/dev/null")).toBe("");
});

test("a pipe from the shell is read to the end", () => {
  const program = join(folder, "read.ts");
  writeFileSync(
    program,
    `import { readNamedFile } from ${JSON.stringify(join(import.meta.dirname, "named-file.ts"))};\nprocess.stdout.write(readNamedFile(process.argv[2]));\n`,
  );
  const command = `"$0" "$1" <(echo one); echo two | "$0" "$1" /dev/stdin`;
  expect(execFileSync("bash", ["-c", command, process.execPath, program], { encoding: "utf8" })).toBe("one\ntwo\n");
});
