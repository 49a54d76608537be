import { isRecord } from "../../../core/facts/symbols.ts";
import { mayHoldSecret } from "../../../core/secrets/may-hold-secret.ts";
import { holdsSecret } from "../../../core/secrets/secret.ts";
import { isSecretName } from "../../../core/secrets/secret-schema.ts";
import type { KubeObjectData } from "../../../facts/controller/kube-object.ts";

/** The maximum number of characters of a value in a message. */
const mostCharacters = 80;

/**
 * The part of a message that shows both values of a field in conflict: the value on the server, and the value that is
 * sent. Empty if a value is not found or could be secret: it is in a Secret, contains a secret, has a name such as
 * `password`, or has a part that may be a password.
 *
 * @param field as the API names it: `.spec.template.spec.containers[name="web"].image`
 */
export function conflictingValues(sent: KubeObjectData, live: unknown, field: string): string {
  const wanted = valueAt(sent, field);
  const current = valueAt(live, field);
  if (wanted === undefined || current === undefined) return "";
  const mayBeSecret =
    sent.kind === "Secret" ||
    holdsSecret(wanted) ||
    field.split(/[.[\]="/-]+/).some(isSecretName) ||
    [wanted, current].some(mayHoldSecret);
  return mayBeSecret ? "" : shownBoth(JSON.stringify(current), JSON.stringify(wanted));
}

/** How much of two long values is shown before their first difference. */
const charactersBefore = 20;

function shownBoth(current: string, wanted: string): string {
  const isLong = Math.max(current.length, wanted.length) > mostCharacters;
  const start = isLong ? Math.max(0, firstDifference(current, wanted) - charactersBefore) : 0;
  return ` (current ${shown(current, start)}, wanted ${shown(wanted, start)})`;
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

function shown(text: string, start: number): string {
  const part = text.slice(start, start + mostCharacters);
  return `${start > 0 ? "…" : ""}${part}${start + part.length < text.length ? "…" : ""}`;
}

/**
 * The value at a field; undefined if the field does not exist. A key may contain dots, so the longest matching key is
 * used.
 */
function valueAt(value: unknown, field: string): unknown {
  if (field === "") return value;
  if (field.startsWith(".") && isRecord(value)) {
    const rest = field.slice(1);
    const key = Object.keys(value)
      .filter((one) => rest.startsWith(one) && /^([.[]|$)/.test(rest.slice(one.length)))
      .toSorted((a, b) => b.length - a.length)[0];
    return key === undefined ? undefined : valueAt(value[key], rest.slice(key.length));
  }
  const [whole = "", keys = ""] = /^\[((?:"(?:[^"\\]|\\.)*"|[^\]"])*)\]/.exec(field) ?? [];
  if (whole === "" || !Array.isArray(value)) return undefined;
  const item = (value as readonly unknown[]).find((one) => hasKeys(one, keys));
  return item === undefined ? undefined : valueAt(item, field.slice(whole.length));
}

/** True for the item of a list that has these keys: `name="web"`, or `containerPort=80,protocol="TCP"`. */
function hasKeys(item: unknown, keys: string): boolean {
  const pairs = [...keys.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|[^,]+)/g)];
  return isRecord(item) && pairs.length > 0 && pairs.every(([, key = "", text]) => JSON.stringify(item[key]) === text);
}
