import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Address } from "../../core/host/transport.ts";
import { withKeyFiles } from "./host-keys.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-openssh-keys-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function key(filler: string): string {
  const type = Buffer.from("ssh-ed25519");
  const size = Buffer.alloc(4);
  size.writeUInt32BE(type.length);
  return `ssh-ed25519 ${Buffer.concat([size, type, Buffer.alloc(36, filler)]).toString("base64")}`;
}

test("RevokedHostKeys in ssh_config still applies if known_hosts revokes keys too, with the policy off", async () => {
  const [known, revoked] = [join(folder, "known_hosts"), join(folder, "revoked")];
  writeFileSync(known, `@revoked * ${key("a")}\n`);
  writeFileSync(revoked, `${key("b")} stolen\n`);
  const address = { address: "192.0.2.7", port: 22, hostKeyPolicy: "off", knownHostsFiles: [known], jump: [] };
  const written: string[] = [];
  await withKeyFiles({ ...address, revokedKeysFile: revoked } as unknown as Address, (name, text) => {
    written.push(text);
    return name;
  });
  expect(written).toEqual([`${key("a")}\n${key("b")}\n`]);
});
