import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { knownAfterApply, absent } from "../../core/facts/symbols.ts";
import { readKind } from "../../testing/read-kind.ts";
import { diskImage, diskImageKind } from "./disk-image.ts";

const folder = mkdtempSync(join(tmpdir(), "disk image "));
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * The header of a qcow2 image, as described in QEMU's docs/interop/qcow2. The rest of the image does not matter here.
 */
function qcow2(size: bigint, backing = 0n): Buffer {
  const header = Buffer.alloc(104);
  header.write("QFI\u00fb", 0, "latin1");
  header.writeUInt32BE(3, 4);
  header.writeBigUInt64BE(backing, 8);
  header.writeBigUInt64BE(size, 24);
  return header;
}
const at = (name: string): string => join(folder, name);
writeFileSync(at("a.qcow2"), qcow2(250n * 2n ** 30n));
writeFileSync(at("child.qcow2"), qcow2(0x1_02_03_04_05_06n * 512n, 104n));
writeFileSync(at("b.raw"), "");
truncateSync(at("b.raw"), 5_000_000_000);
writeFileSync(at("short"), "QFI\u00fb", "latin1");
writeFileSync(at("tiny"), "x");
symlinkSync(at("a.qcow2"), at("link"));

describe.each([
  { name: "sh", shell: ["sh", "-c"] },
  { name: "bash", shell: ["bash", "-c"] },
])("in $name", ({ shell }) => {
  test.each([
    ["a.qcow2", { format: "qcow2", sizeBytes: 250 * 2 ** 30, hasBacking: false }],
    ["link", { format: "qcow2", sizeBytes: 250 * 2 ** 30, hasBacking: false }],
    ["child.qcow2", { format: "qcow2", sizeBytes: 0x1_02_03_04_05_06 * 512, hasBacking: true }],
    ["b.raw", { format: "raw", sizeBytes: 5_000_000_000, hasBacking: false }],
    ["short", { format: "raw", sizeBytes: 4, hasBacking: false }],
    ["tiny", { format: "raw", sizeBytes: 1, hasBacking: false }],
    ["nothing", absent],
  ] as const)("reads %s, and prints the value back as the lines that it was read from", async (name, value) => {
    const question = diskImage(at(name));
    const [first, second] = await readKind([question, diskImage(at("tiny"))], { shell });
    expect(first?.value).toEqual(value);
    expect(first?.lines).toEqual(diskImageKind.print?.(value, question));
    expect(second?.value).toMatchObject({ sizeBytes: 1 });
  });

  test("reports that a directory cannot be read", async () => {
    const [answer] = await readKind([diskImage(folder)], { shell });
    expect(answer?.unreadable).toContain("is not a file");
  });
});

describe("a prediction", () => {
  const user = { user: "root" };
  const wanted = { format: "qcow2", sizeBytes: 5 };
  test.each([
    ["is complete for a new image", absent, wanted, { ...wanted, hasBacking: false }],
    [
      "keeps values that are not part of the want",
      { format: "qcow2", sizeBytes: 1, hasBacking: true },
      wanted,
      { ...wanted, hasBacking: true },
    ],
    ["is mostly unknown for an unknown image", knownAfterApply, wanted, { ...wanted, hasBacking: knownAfterApply }],
    ["is absent for a removed image", { format: "raw", sizeBytes: 1, hasBacking: false }, absent, absent],
  ] as const)("%s", (_what, before, want, after) => {
    expect(diskImageKind.predict?.(before, want, user)).toEqual(after);
  });
});
