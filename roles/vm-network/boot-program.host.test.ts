import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { converge } from "../../test/packages/converge.ts";
import { taskHost } from "../../test/tasks/on-host.ts";
import { bootProgram } from "./boot-program.ts";

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "furrow-boot-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the TFTP directory has a copy of the package's program, which is updated with the package", async () => {
  const [from, to] = ["ipxe-x86_64.efi", "ipxe.efi"].map((name) => join(folder, name)) as [string, string];
  const call = bootProgram({ from, to });
  for (const content of ["old", "new\0"]) {
    writeFileSync(from, content);
    expect(await converge(taskHost(), call)).toEqual({ checked: ["changed"], ran: ["changed"] });
    expect([readFileSync(to, "utf8"), statSync(to).mode & 0o777]).toEqual([content, 0o644]);
  }
  renameSync(from, `${from}.real`);
  symlinkSync(`${from}.real`, from);
  const link = await taskHost().apply(call);
  expect(link[0]?.error?.failure.what).toContain("is not a regular file but a link");
  renameSync(`${from}.real`, from);
  chmodSync(to, 0o600);
  expect(await converge(taskHost(), call)).toEqual({ checked: ["changed"], ran: ["changed"] });
  rmSync(from);
  const [end] = await taskHost().apply(call);
  expect(end?.error?.failure.what).toContain("UEFI firmware would have no program to boot");
});
