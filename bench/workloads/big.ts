import { createCipheriv, createHash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { type Plan, statLine } from "./plan.ts";
import { bigPath } from "./things.ts";

const mebibytes = 320;

/** Yields incompressible bytes, one MiB at a time. The bytes are the same on every call. */
function* noise(): Generator<Buffer> {
  const cipher = createCipheriv("aes-128-ctr", Buffer.alloc(16, 1), Buffer.alloc(16));
  const zeros = Buffer.alloc(2 ** 20);
  for (let index = 0; index < mebibytes; index += 1) yield cipher.update(zeros);
}

/** Writes the 320 MiB file to a path on this machine. */
export function writeBig(path: string): void {
  const descriptor = openSync(path, "w", 0o644);
  for (const chunk of noise()) writeSync(descriptor, chunk);
  closeSync(descriptor);
}

function digest(): string {
  const hash = createHash("sha256");
  for (const chunk of noise()) hash.update(chunk);
  return hash.digest("hex");
}

/** The plan for one large file. */
export const bigPlan = (): Plan => ({
  name: "big",
  tasks: 1,
  remove: `rm -f ${bigPath} ${bigPath}.part; rm -rf /var/lib/furrow; sync`,
  drift: `truncate -s -1 ${bigPath}`,
  repair: "true",
  look: `stat -c '%n %F %a %U:%G' ${bigPath}; sha256sum ${bigPath}`,
  wanted: [statLine(bigPath, "regular file", "644"), `${digest()}  ${bigPath}`].toSorted(),
  paths: [bigPath],
});
