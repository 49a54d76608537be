import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { absent } from "../../core/facts/symbols.ts";
import { readKind } from "../../testing/read-kind.ts";
import { bridgeVlans, bridgeVlansKind } from "./bridge-vlans.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-bridge-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Reads the VLANs with a `bridge` program that prints this text. */
async function answer(prints: string, exitCode = 0) {
  const bin = mkdtempSync(join(folder, "bin-"));
  for (const tool of ["tr", "sh"])
    symlinkSync(execFileSync("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).trim(), join(bin, tool));
  writeFileSync(
    join(bin, "bridge"),
    `#!/bin/sh\n[ "$*" = "-c -j vlan show" ] || exit 9\nprintf '%s' '${prints}'\nexit ${exitCode}\n`,
  );
  chmodSync(join(bin, "bridge"), 0o755);
  const [only] = await readKind([bridgeVlans()], { shell: ["/bin/sh", "-c"], env: { PATH: bin } });
  return only;
}

test("reads single VLANs and ranges, as iproute2 prints them", async () => {
  const json = `[{"ifname":"vm-bo","vlans":[{"vlan":1,"flags":["PVID","Egress Untagged"]},{"vlan":30},
{"vlan":40,"vlanEnd":42}]},{"ifname":"vm-br","vlans":[{"vlan":1}]}]`;
  expect((await answer(json))?.value).toEqual({ "vm-bo": [1, 30, 40, 41, 42], "vm-br": [1] });
});

test("reads the output format of older iproute2 versions", async () => {
  expect((await answer('{"vm-bo":[{"vlan":1},{"vlan":30}]}'))?.value).toEqual({ "vm-bo": [1, 30] });
});

test("a host without bridges carries no VLAN", async () => {
  expect((await answer("[]"))?.value).toEqual({});
});

test.each([
  ["an error from the program", "RTNETLINK answers: Operation not permitted", 1],
  ["an answer in an unknown form", "port vlan ids", 0],
])("%s is not mistaken for a host without VLANs", async (_what, prints, exitCode) => {
  const only = await answer(prints, exitCode).catch((error: unknown) => error);
  expect(only instanceof Error ? undefined : (only as { value?: unknown } | undefined)?.value).toBeUndefined();
  expect(only instanceof Error ? only.message : (only as { unreadable?: string }).unreadable).toContain(
    "bridge vlan show",
  );
});

test("is absent on a host without the bridge program", () => {
  expect(bridgeVlansKind.parse({ absent: "yes" }, bridgeVlans())).toBe(absent);
});
