import type { Json } from "../../core/facts/fact.ts";
import { type Absent, absent, isRecord } from "../../core/facts/symbols.ts";
import { holdsSecret, reveal, seal } from "../../core/secrets/secret.ts";
import { isSecretName } from "../../core/secrets/secret-schema.ts";
import type { KubeObjectData, KubeView } from "../../facts/controller/kube-object.ts";
import { type Field, fieldsIn, type FieldSet, plainFields } from "./field-set.ts";
import { entryOf, type LiveObject, othersOf, ownable } from "./live-object.ts";

/** An object that is sent. The object's strings may contain secrets. */
export interface Sent {
  readonly object: KubeObjectData;
  readonly fieldManager: string;
}

/** An object before and after it is applied: the fields that the manager owns before or after, and no others. */
export function viewsOf(
  sent: Sent,
  live: LiveObject | undefined,
  predicted: LiveObject,
): { readonly now: KubeView; readonly after: KubeView } {
  const { fieldManager } = sent;
  const before = live && entryOf(live, fieldManager)?.fieldsV1;
  const then = entryOf(predicted, fieldManager)?.fieldsV1 ?? {};
  const wanted = Object.keys(then).length === 0 ? [] : fieldsIn(then, predicted);
  // If the object is already correct, both sets of fields are the same.
  const unchanged = live === predicted;
  const owned = before === undefined ? [] : unchanged ? wanted : fieldsIn(before, live);
  const names = new Set(wanted.map(({ name }) => name));
  const dropped = owned.filter(({ name, at }) => at !== undefined && !names.has(name));
  const now: [string, Json | Absent][] = [];
  const after: [string, Json | Absent][] = [];
  const owner: Record<"now" | "after", Record<string, string | Absent>> = { now: {}, after: {} };
  const here = named(unchanged ? wanted : live ? fieldsIn(then, live) : []);
  const given = named(fieldsIn(then, ownable(sent.object)));
  const mine = new Set(owned.map(({ name }) => name));
  for (const field of wanted) {
    const hide = isHidden(sent, field.name, given.get(field.name));
    const name = hide ? `${field.name}Seal` : field.name;
    const old = here.get(field.name)?.value;
    after.push([name, shown(field.value, hide)]);
    if (old === undefined) continue;
    now.push([name, shown(old, hide)]);
    const others = (): string => {
      const stay = ownersOf(predicted, fieldManager, field);
      const said = live === undefined ? [] : ownersOf(live, fieldManager, field);
      return said.map((other) => `${other}${stay.includes(other) ? " (stays an owner)" : ""}`).join(", ");
    };
    owner.now[field.name] = mine.has(field.name) ? fieldManager : others() || absent;
    owner.after[field.name] = fieldManager;
  }
  for (const field of dropped) {
    const left = fieldsIn(before as FieldSet, predicted).find(({ name }) => name === field.name);
    if (left?.at === undefined) {
      // The old value may have been a secret that the playbook no longer contains, so it is not shown.
      now.push([field.name, "set"]);
      after.push([field.name, absent]);
    } else {
      // Another manager still owns the field, so it keeps its value: only our ownership ends.
      owner.now[field.name] = fieldManager;
      owner.after[field.name] = absent;
    }
  }
  return {
    now: { exists: live !== undefined, fields: Object.fromEntries(now), owner: owner.now },
    after: { exists: true, fields: Object.fromEntries(after), owner: owner.after },
  };
}

/**
 * Predicts an object without asking the server. A status is left out, because most kinds ignore a status that is sent.
 */
export function plainView(sent: Sent): KubeView {
  const { status: _, ...own } = ownable(sent.object);
  const fields = plainFields(own).map((field): readonly [string, Json] => {
    const hide = isHidden(sent, field.name, field);
    return [hide ? `${field.name}Seal` : field.name, shown(field.value, hide)];
  });
  return { exists: true, fields: Object.fromEntries(fields.filter(([name]) => name !== "")), owner: {} };
}

function named(fields: readonly Field[]): ReadonlyMap<string, Field> {
  return new Map(fields.map((field) => [field.name, field]));
}

/** The other managers of a field. */
function ownersOf(object: LiveObject, fieldManager: string, field: Field): readonly string[] {
  const owners = othersOf(object, fieldManager).filter(({ fieldsV1 }) =>
    fieldsIn(fieldsV1, object).some(({ name }) => name === field.name || name.startsWith(`${field.name}.`)),
  );
  return [...new Set(owners.map(({ manager }) => manager))];
}

/**
 * The fields of a Secret whose values are shown. All others are hidden, because a misspelled field may have been meant
 * as `data`.
 */
const shownOfSecrets =
  /^(|type|immutable|metadata\.(?!annotations\[kubectl\.kubernetes\.io\/last-applied-configuration\]).*)$/;

/** True for a value that no report may show: in a Secret, from a secret, or under a name such as `password`. */
function isHidden({ object }: Sent, name: string, sent: Field | undefined): boolean {
  if (object.kind === "Secret" && !shownOfSecrets.test(name)) return true;
  if (isSecretName(name.replaceAll(/[[\]]/g, "."))) return true;
  return holdsSecret(sent?.at === undefined ? object : sent.value);
}

function shown(value: unknown, hide: boolean): Json {
  return hide ? seal(Buffer.from(JSON.stringify(revealed(value)))) : (value as Json);
}

/** The same value with its secrets revealed. */
export function revealed(value: unknown): unknown {
  if (typeof value === "string") return reveal(value);
  if (Array.isArray(value)) return value.map(revealed);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, revealed(part)]));
}
