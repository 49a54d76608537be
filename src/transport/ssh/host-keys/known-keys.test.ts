import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Address } from "../../../core/host/transport.ts";
import { hostKeyJudge } from "./host-key-policy.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-keys-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function key(filler: string): Buffer {
  const type = Buffer.from("ssh-ed25519");
  const size = Buffer.alloc(4);
  size.writeUInt32BE(type.length);
  return Buffer.concat([size, type, Buffer.alloc(36, filler)]);
}

function address(line: string, hostKeys: readonly string[]): Address {
  const file = join(folder, "known_hosts");
  writeFileSync(file, line);
  return { address: "192.0.2.7", port: 22, hostKeyPolicy: "strict", knownHostsFiles: [file], hostKeys } as never;
}

const own = key("a");
const given = [`ssh-ed25519 ${own.toString("base64")} root@host`];
const other = `ssh-ed25519 ${key("b").toString("base64")}`;

test("accepts a key from the inventory without a known_hosts file", async () => {
  await expect((await hostKeyJudge(address("", given))).accept(own)).resolves.toBeUndefined();
});

test("prefers a key from the inventory to a known_hosts file that lists another machine at this address", async () => {
  const judge = await hostKeyJudge(address(`192.0.2.7 ${other}\n`, given));
  await expect(judge.accept(own)).resolves.toBeUndefined();
  await expect(judge.accept(key("b"))).rejects.toMatchObject({ code: "E_HOST_KEY" });
});

test("refuses a revoked key even if the inventory lists it", async () => {
  const judge = await hostKeyJudge(address(`@revoked * ssh-ed25519 ${own.toString("base64")}\n`, given));
  await expect(judge.accept(own)).rejects.toThrow("revoked");
});
