import { type HttpAnswer, type Refusal, refuse } from "../../src/authoring.ts";
import { armorKey, keyFingerprints } from "../../src/facts/catalogue.ts";
import type { PresentRepo } from "./params.ts";

type Key = NonNullable<PresentRepo["key"]>;

/** The size limit for reading a key file, in bytes. */
export const maxKeyBytes = 1_048_576;

/**
 * Returns the fingerprint that identifies a key: the given fingerprint, or that of the first packet in the given key.
 */
export function fingerprintOf(key: Key): string | undefined {
  return "fingerprint" in key ? key.fingerprint : keyFingerprints(key.content)[0];
}

/** True if a key file on the host already contains the key that the params give by URL and fingerprint. */
export function hasKey(content: string | undefined, key: Key): boolean {
  return "fingerprint" in key && content !== undefined && keyFingerprints(content).includes(key.fingerprint);
}

/** Returns the content that the key file must have, or a refusal. `onHost`: the file's current content. */
export function keyContent(key: Key, onHost: string | undefined, answer: HttpAnswer | undefined): string | Refusal {
  if ("content" in key) {
    return keyFingerprints(key.content).length > 0
      ? armorKey(key.content)
      : refuse({
          code: "bad-key",
          message: "the given key is not an OpenPGP public key",
          hint: "Give the whole block, from BEGIN to END",
        });
  }
  if (onHost !== undefined && hasKey(onHost, key)) return onHost;
  if (answer === undefined || "error" in answer || answer.status !== 200) return unreachable(key.url, answer);
  const found = keyFingerprints(answer.body);
  if (found.includes(key.fingerprint)) return armorKey(answer.body);
  return refuse({
    code: "key-mismatch",
    message: `the key at ${key.url} has a different fingerprint`,
    current: found.join(", ") || "not an OpenPGP public key",
    expected: key.fingerprint,
    hint: "Compare the fingerprint with one that the publisher shows in a different place; never take it from the same place as the key",
  });
}

function unreachable(url: string, answer: HttpAnswer | undefined): Refusal {
  const current =
    answer === undefined ? "no answer" : "error" in answer ? answer.error.message : `status ${answer.status}`;
  return refuse({
    code: "no-key",
    message: `the controller cannot fetch the key ${url}`,
    current,
    expected: "status 200 and an OpenPGP public key",
    hint: "Check the URL, or give the key itself as key: { content: … }",
  });
}
