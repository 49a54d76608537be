import { z } from "zod";
import { seal } from "../../core/secrets/secret.ts";
import type { KubernetesAnswer } from "../../facts/controller/kubernetes.ts";
import { parsed } from "../kubernetes-exchange.ts";

/** kubectl repeats the whole object here, with its secret fields. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Replaces these fields of an object with keyed hashes. `field.key` means a key of the JSON object that the field
 * contains as text.
 */
export function withSeals(answer: KubernetesAnswer, sealed: readonly string[]): KubernetesAnswer {
  if (!("found" in answer) || !answer.found || sealed.length === 0) return answer;
  const fields = Object.entries(answer.object as Readonly<Record<string, unknown>>).map(([name, value]) => {
    if (sealed.includes(name)) return [name, sealedValue(value)] as const;
    const keys = sealed.flatMap((one) => (one.startsWith(`${name}.`) ? [one.slice(name.length + 1)] : []));
    if (keys.length > 0) return [name, withSealedKeys(value, keys)] as const;
    return [name, name === "metadata" ? withoutLastApplied(value) : value] as const;
  });
  return { found: true, object: Object.fromEntries(fields) };
}

/** Each value of a map is sealed on its own, so that it can be compared on its own. */
function sealedValue(value: unknown): unknown {
  const map = z.record(z.string(), z.string()).safeParse(value);
  if (map.success) return Object.fromEntries(Object.entries(map.data).map(([name, own]) => [name, sealedValue(own)]));
  return value === "" || value === null ? value : seal(Buffer.from(JSON.stringify(value)));
}

/** Seals these keys of the JSON object in a string; if the string is not a JSON object, seals all of it. */
function withSealedKeys(text: unknown, keys: readonly string[]): unknown {
  const { data } = z.record(z.string(), z.unknown()).safeParse(typeof text === "string" ? parsed(text) : undefined);
  if (data === undefined) return text === undefined ? text : sealedValue(text);
  // Go, in which Harvester is written, ignores whether keys are in upper or lower case.
  const secret = keys.map((key) => key.toLowerCase());
  const isSecret = (key: string): boolean => secret.includes(key.toLowerCase());
  if (!Object.keys(data).some(isSecret)) return text;
  const entries = Object.entries(data).map(([key, value]) => [key, isSecret(key) ? sealedValue(value) : value]);
  return JSON.stringify(Object.fromEntries(entries));
}

function withoutLastApplied(metadata: unknown): unknown {
  const { data } = z.looseObject({ annotations: z.record(z.string(), z.unknown()).default({}) }).safeParse(metadata);
  if (data === undefined || !(lastApplied in data.annotations)) return metadata;
  const { [lastApplied]: _, ...annotations } = data.annotations;
  return { ...data, annotations };
}
