import { expect, test } from "vitest";
import { consoleHostKeys } from "./host-keys.ts";

const ed25519 = `ssh-ed25519 ${"A".repeat(68)}`;
const ecdsa = `ecdsa-sha2-nistp256 ${"B".repeat(140)}=`;

function block(...keys: readonly string[]): string {
  return `-----BEGIN SSH HOST KEY KEYS-----\r\n${keys.join("\r\n")}\r\n-----END SSH HOST KEY KEYS-----\r\n`;
}

test("sorts the keys in the block, best first", () => {
  expect(consoleHostKeys(`boot\r\n${block(`${ecdsa} root@a`, `${ed25519} root@a`)}`)).toEqual([ed25519, ecdsa]);
});

test("removes the console's prefix from each line", () => {
  expect(consoleHostKeys(block(`[   12.3] cloud-init[9]: ${ed25519} root@a`))).toEqual([ed25519]);
});

test("ignores a later block, because any user can print one", () => {
  const forged = `ssh-ed25519 ${"C".repeat(68)}`;
  expect(consoleHostKeys(block(ed25519) + block(forged))).toEqual([ed25519]);
});

test.each(["", "login:", `-----BEGIN SSH HOST KEY KEYS-----\n${ed25519}\n`])(
  "finds no keys without a complete block: %j",
  (output) => {
    expect(consoleHostKeys(output)).toEqual([]);
  },
);
