import { expect, test } from "vitest";
import { scryptHash } from "./scrypt-hash.ts";

// The expected hash was computed with Python's hashlib.scrypt.
test("the hash depends on text and salt, and takes far more time to compute than a digest", () => {
  const started = performance.now();
  const hash = scryptHash("token", "salt");
  expect(performance.now() - started).toBeGreaterThan(10);
  expect(hash).toBe("scrypt:b7e8769b902462e3781ea37ff40335fcfab9165992b3099bcd1fdcaa7cf5f6b9");
  expect(scryptHash("token", "salt")).toBe(hash);
  expect(new Set([hash, scryptHash("token", "other"), scryptHash("other", "salt")]).size).toBe(3);
});
