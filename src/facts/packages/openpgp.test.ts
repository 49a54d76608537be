import { describe, expect, test } from "vitest";
import { fingerprint, publicKey } from "../../../test/packages/key.ts";
import { decodeBytes } from "../../core/host/bytes.ts";
import { armorKey, keyFingerprints, plainFingerprint } from "./openpgp.ts";

const base64 = publicKey.split("\n").slice(2, -3).join("");
const binary = decodeBytes(Buffer.from(base64, "base64"));

describe("OpenPGP keys", () => {
  test("have the fingerprint that gpg prints, whether they are binary or armored, with or without headers", () => {
    const headed = publicKey.replace("BLOCK-----\n\n", "BLOCK-----\nVersion: 2\nComment: a: b\n\n");
    for (const key of [publicKey, headed, publicKey.replaceAll("\n", "\r\n"), binary]) {
      expect(keyFingerprints(key)).toEqual([fingerprint]);
    }
  });

  test("are converted to armored text with the same content", () => {
    expect(keyFingerprints(armorKey(binary))).toEqual([fingerprint]);
    expect(armorKey(publicKey)).toBe(publicKey);
  });

  test("have a different fingerprint if one bit differs; other data has none", () => {
    expect(keyFingerprints(publicKey.replace("mDMEawFRARYJ", "mDMEawFSARYJ"))).not.toEqual([fingerprint]);
    for (const text of ["", "<html>404</html>", publicKey.slice(0, 120), binary.slice(0, 20)]) {
      expect(keyFingerprints(text)).toEqual([]);
    }
  });

  test("are compared by fingerprint, regardless of spaces and case", () => {
    expect(plainFingerprint("0xe69a 2fc3 aaea 5b3c 9efa  0680 6ccb ada7 4b6a 71f7")).toBe(fingerprint);
  });
});
