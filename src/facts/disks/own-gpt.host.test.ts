import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { gptAreas, partitionSpan } from "./own-gpt.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-gpt-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([64, 1000, 4097])("writes the same bytes as sfdisk on a disk of %i MiB", (mebibytes) => {
  const diskBytes = mebibytes * 1024 * 1024;
  const layout = {
    diskBytes,
    sectorBytes: 512,
    diskUuid: "7ba1a2a0-1f2e-4c3d-9a8b-0123456789ab",
    partitionUuid: "0c0ffee0-dead-4eef-8bad-f00dfeedface",
    name: "furrow-unfinished",
  };
  const file = join(folder, `${mebibytes}.img`);
  writeFileSync(file, "");
  truncateSync(file, diskBytes);
  const { start, size } = partitionSpan(layout);
  const script = `label: gpt\nlabel-id: ${layout.diskUuid}\nfirst-lba: 34\nstart=${start / 512}, size=${size / 512}, uuid=${layout.partitionUuid}, name="${layout.name}"\n`;
  execFileSync("sfdisk", ["-q", file], { input: script });
  const { head, tail } = gptAreas(layout);
  expect(bytesAt(file, 0, head.length).equals(head)).toBe(true);
  expect(bytesAt(file, diskBytes - tail.length, tail.length).equals(tail)).toBe(true);
});

function bytesAt(file: string, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const handle = openSync(file, "r");
  readSync(handle, bytes, 0, length, at);
  closeSync(handle);
  return bytes;
}
