import { inspect } from "node:util";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FurrowError } from "../errors.ts";
import { redact } from "./redact.ts";
import { secret } from "./secret-source.ts";
import {
  forgettable,
  hideCredential,
  holdsSecret,
  isSecret,
  knownSecrets,
  mapTexts,
  pendingSecrets,
  printMarkers,
  reveal,
  seal,
  secretOf,
  secretsIn,
  setSealKey,
} from "./secret.ts";

const token = secretOf('p"a\\s\ns', "token");

describe("a secret", () => {
  test("has no printable form", () => {
    const forms = [
      `${token}`,
      String(token),
      JSON.stringify({ token }),
      inspect(token),
      inspect({ a: [token] }),
      `a${token}b`,
    ];
    for (const form of forms) {
      expect(form).not.toContain('p"a');
      expect(form).toContain("«secret token");
    }
  });
  test("is returned only by `reveal`, with JSON escapes if it went through JSON", () => {
    expect(reveal(`token=${token};`)).toBe('token=p"a\\s\ns;');
    expect(JSON.parse(reveal(JSON.stringify({ token })))).toEqual({ token: 'p"a\\s\ns' });
    // A template first, then JSON: the template creates the marker for plain text, so quoting is up to the author.
    expect(reveal(JSON.stringify(`${token}`))).toBe('"p"a\\s\ns"');
  });
  test("makes every text that contains it secret", () => {
    expect(isSecret(`x${token}`)).toBe(true);
    expect(isSecret(token.map((text) => text.length.toString()))).toBe(true);
    expect(reveal(token.map((text) => text.toUpperCase()))).toBe('P"A\\S\nS');
    const made = mapTexts(["plain", `${token}`], ([a, b]) => `${a}/${b}`);
    expect([isSecret(made), reveal(made)]).toEqual([true, 'plain/p"a\\s\ns']);
    expect(mapTexts(["a", "b"], ([a, b]) => a + b)).toBe("ab");
  });
  test("is found at any depth", () => {
    expect(holdsSecret({ a: [{ b: `x ${token}` }] })).toBe(true);
    expect(holdsSecret({ a: ["x"], b: undefined })).toBe(false);
  });
  test("has a name that cannot break its marker", () => {
    expect(reveal(`${secretOf("v", "a » b «")}`)).toBe("v");
  });
});

describe("a secret without a value yet", () => {
  test("throws if it is revealed before its value is read, and reveals the value afterwards", () => {
    const later = secret.env("A_VARIABLE_OF_THIS_TEST");
    expect(() => reveal(`${later}`)).toThrow('the secret "A_VARIABLE_OF_THIS_TEST" has no value yet');
    expect(() => reveal(later)).toThrow(FurrowError);
    const derived = later.map((text) => `<${text}>`);
    pendingSecrets()
      .find(({ name }) => name === "A_VARIABLE_OF_THIS_TEST")
      ?.settle("now");
    expect([reveal(later), reveal(derived)]).toEqual(["now", "<now>"]);
    expect(reveal(secret.env("A_VARIABLE_OF_THIS_TEST"))).toBe("now");
    expect(pendingSecrets()).toEqual([]);
  });
});

test.each(["«secret token»", "«secret token 0123456789abcdef»", "«secret x 0123456789abcdef json»"])(
  "%s from a host is text, not a secret",
  (text) => {
    expect(reveal(text)).toBe(text);
    expect([isSecret(text), holdsSecret({ text }), secretsIn(text).size]).toEqual([false, false, 0]);
    expect(mapTexts([text, "b"], ([a, b]) => a + b)).toBe(`${text}b`);
  },
);

test("a secret that was forgotten before its value was read is not written as text", () => {
  const { value, forget } = forgettable(() => secret.env("A_FORGOTTEN_VARIABLE_OF_THIS_TEST"));
  forget();
  expect(() => reveal(`${value}`)).toThrow("has no value yet");
});

describe("secrets in output", () => {
  test("appear as markers without ids", () => {
    const value = secretOf("correct-horse-battery", "pass");
    expect(printMarkers(`a ${value} b`)).toBe("a «secret pass» b");
    expect(redact(`a ${value} b`)).toBe("a «secret pass» b");
    expect(redact("it was correct-horse-battery")).toBe("it was «secret pass»");
    expect(redact(Buffer.from("xx correct-horse-battery yy").toString("base64"))).not.toContain(
      "Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5",
    );
  });
  test("include a text that was derived from a secret", () => {
    const made = secretOf("correct-donkey", "made").map((text) => text.split("").toReversed().join(""));
    const shown = reveal(made);
    expect(redact(`it was ${shown}`)).toBe("it was «secret made»");
  });
  test("never appear in plain text, alone or inside other text", () => {
    const text = fc
      .string({ minLength: 4, maxLength: 20 })
      .filter((one) => one.trim().length >= 4 && !"«secret any»".includes(one));
    const cases = fc.array(fc.tuple(text, fc.string({ maxLength: 5 })), { minLength: 50, maxLength: 50 });
    fc.assert(
      fc.property(cases, (pairs) => {
        // Create all secrets first, because each new one makes the next `redact` slow.
        for (const [own] of pairs) secretOf(own, "any");
        for (const [own, around] of pairs) {
          const seen = redact(`${around} ${own} ${around}`);
          expect(seen.replaceAll(/«secret [^«»]*»/g, "")).not.toContain(own);
        }
      }),
      { numRuns: 2 },
    );
  });
});

describe("a credential that a driver reads for every request", () => {
  test("is added once, and keeps the name under which it is already known", () => {
    const before = knownSecrets().length;
    for (let request = 0; request < 3; request += 1) hideCredential("a-token-of-a-kubeconfig", "kubeconfig-token");
    expect(knownSecrets()).toHaveLength(before + 1);
    expect(redact("Bearer a-token-of-a-kubeconfig")).toBe("Bearer «secret kubeconfig-token»");
    secretOf("a-token-from-the-vars", "rancherToken");
    hideCredential("a-token-from-the-vars", "rancher-token");
    expect(redact("a-token-from-the-vars")).toBe("«secret rancherToken»");
  });
  test("does not hide ordinary words", () => {
    hideCredential("", "empty");
    hideCredential("node", "short");
    hideCredential(undefined, "none");
    expect(redact("the node is up")).toBe("the node is up");
  });
});

test("a seal depends on the key and the content, and reveals neither", () => {
  setSealKey("k1");
  const first = seal(Buffer.from("content"));
  expect(seal(Buffer.from("content"))).toBe(first);
  setSealKey("k2");
  expect(seal(Buffer.from("content"))).not.toBe(first);
  expect(first).toMatch(/^sealed:[0-9a-f]{64}$/);
});
