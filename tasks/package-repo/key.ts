import { type HttpAnswer, type Refusal, refuse } from "../../src/authoring.ts";
import { armorKey, keyFingerprints } from "../../src/facts/catalogue.ts";
import type { PresentRepo } from "./params.ts";

type Key = NonNullable<PresentRepo["key"]>;

/** Bytes of a key file that are read at most. */
export const maxKeyBytes = 1_048_576;

/** The fingerprint by which a key is known: that of its first packet where the key itself is given. */
export function fingerprintOf(key: Key): string | undefined {
  return "fingerprint" in key ? key.fingerprint : keyFingerprints(key.content)[0];
}

/** True where a key file of the host already has what is asked for by URL. */
export function hasKey(content: string | undefined, key: Key): boolean {
  return "fingerprint" in key && content !== undefined && keyFingerprints(content).includes(key.fingerprint);
}

/** The content that the key file must have, or why there is none. `onHost`: what stands in it now. */
export function keyContent(key: Key, onHost: string | undefined, answer: HttpAnswer | undefined): string | Refusal {
  if ("content" in key) {
    return keyFingerprints(key.content).length > 0
      ? armorKey(key.content)
      : refuse({
          code: "bad-key",
          message: "the key given is no OpenPGP public key",
          hint: "Give the whole block, from BEGIN to END",
        });
  }
  if (onHost !== undefined && hasKey(onHost, key)) return onHost;
  if (answer === undefined || "error" in answer || answer.status !== 200) return unreachable(key.url, answer);
  const found = keyFingerprints(answer.body);
  if (found.includes(key.fingerprint)) return armorKey(answer.body);
  return refuse({
    code: "key-mismatch",
    message: `the key at ${key.url} has another fingerprint`,
    current: found.join(", ") || "no OpenPGP public key at all",
    expected: key.fingerprint,
    hint: "Compare the fingerprint with what the publisher says elsewhere; never take it from the same place as the key",
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
    hint: "Check the URL, or give the key itself: key: { content: … }",
  });
}
