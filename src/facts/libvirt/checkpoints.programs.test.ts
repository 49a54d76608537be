import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { libvirtDomainKind } from "./domain.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-checkpoints-"));
afterAll(() => rmSync(folder, { recursive: true }));
const xml = "<domain><name>x</name></domain>";
mkdirSync(join(folder, "bin"));
writeFileSync(
  join(folder, "bin/virsh"),
  `#!/bin/sh
case $3 in list*) printf 'a b\\nplain\\n\\n';; *) for n in 0 1; do printf '@furrow %s info\\nState: shut off\\n@furrow %s inactive\\n${xml}\\n' $n $n; done;; esac
`,
);
chmodSync(join(folder, "bin/virsh"), 0o755);
for (const name of ["monday", "2. Tuesday"]) {
  mkdirSync(join(folder, "checkpoint/a b"), { recursive: true });
  writeFileSync(join(folder, "checkpoint/a b", `${name}.xml`), "");
}

/** Runs the script that reads domains, with libvirt's folder of checkpoints in a temporary place. */
function linesOf(...names: string[]): string[] {
  const questions = names.map((key, number) => ({ kind: "libvirtDomain", key, facets: [], number }));
  const script = libvirtDomainKind.read(questions);
  const text = script.replaceAll("/var/lib/libvirt/qemu/checkpoint", join(folder, "checkpoint"));
  const env = { ...process.env, PATH: `${join(folder, "bin")}:${process.env["PATH"]}` };
  return execFileSync("sh", ["-c", text], { encoding: "utf8", env }).trim().split("\n");
}

test("the checkpoints of a domain are read from libvirt's own files", () => {
  const lines = linesOf("a b", "plain");
  expect(lines).toContain("0 checkpoints=2. Tuesday/monday");
  expect(lines.filter((line) => line.includes("checkpoints"))).toHaveLength(1);
  const domain = libvirtDomainKind.parse(
    { state: "shut off", inactive: xml, checkpoints: "2. Tuesday/monday" },
    { kind: "libvirtDomain", key: "a b", facets: [] },
  );
  expect(domain).toMatchObject({ checkpoints: ["2. Tuesday", "monday"] });
});
