import { sameData } from "../../core/facts/compare.ts";
import type { Json } from "../../core/facts/fact.ts";
import { type Absent, absent, isRecord } from "../../core/facts/symbols.ts";
import { fieldMayHoldSecret, mayHoldSecret } from "../../core/secrets/may-hold-secret.ts";
import { holdsSecret, reveal, seal } from "../../core/secrets/secret.ts";
import { notShown } from "../../core/secrets/secret-schema.ts";
import type { KubeObjectData, KubeObjectState, KubeView } from "../../facts/controller/kube-object.ts";
import { type Field, fieldsIn, type FieldSet, namesItems, ordersIn, plainFields } from "./field-set.ts";
import { entryOf, type LiveObject, othersOf, ownable } from "./live-object.ts";

/** An object that is sent. The object's strings may contain secrets. */
export interface Sent {
  readonly object: KubeObjectData;
  readonly fieldManager: string;
}

/** An object before and after it is applied. */
interface Views extends Pick<KubeObjectState, "fallbacks" | "reordered"> {
  readonly now: KubeView;
  readonly after: KubeView;
}

/** An object before and after it is applied: the fields that the manager owns before or after, and no others. */
export function viewsOf(sent: Sent, live: LiveObject | undefined, predicted: LiveObject): Views {
  const { fieldManager } = sent;
  const before = live && entryOf(live, fieldManager)?.fieldsV1;
  const then = entryOf(predicted, fieldManager)?.fieldsV1 ?? {};
  const wanted = ownedIn(then, predicted);
  const owned = before === undefined ? [] : ownedIn(before, live);
  const names = new Set(wanted.map(({ name }) => name));
  const dropped = owned.filter(({ name, at }) => at !== undefined && !names.has(name));
  const views: Collected = { now: { fields: [], owner: [] }, after: { fields: [], owner: [] }, fallbacks: [] };
  const here = named(live ? fieldsIn(then, live) : []);
  const given = named(fieldsIn(then, ownable(sent.object)));
  const mine = new Set(owned.map(({ name }) => name));
  for (const field of wanted) {
    const old = here.get(field.name)?.value;
    addWanted(views, sent, field, given.get(field.name), old);
    if (old === undefined) continue;
    const owner = mine.has(field.name) ? fieldManager : othersText(sent, live, predicted, field);
    views.now.owner.push([field.name, owner]);
    views.after.owner.push([field.name, fieldManager]);
  }
  const left = named(before === undefined || dropped.length === 0 ? [] : fieldsIn(before, predicted));
  for (const field of dropped) addDropped(views, sent, field, left.get(field.name));
  const { now, after, reordered } = ordersOf(sent, then, live, predicted);
  return {
    now: { exists: live !== undefined, ...viewOf(views.now), ...now },
    after: { exists: true, ...viewOf(views.after), ...after },
    ...(views.fallbacks.length > 0 && { fallbacks: Object.fromEntries(views.fallbacks) }),
    ...(reordered.length > 0 && { reordered }),
  };
}

/** What {@link viewsOf} and {@link plainView} return for an object that is already correct. */
export interface CorrectView {
  /** The object before and after it is applied. */
  readonly now: KubeView;
  /** The fields that are sent. */
  readonly sent: KubeView["fields"];
}

/**
 * The views of an object that is already correct. Each field is looked up only once, because a large manifest asks for
 * thousands of them.
 */
export function viewOfCorrect(sent: Sent, live: LiveObject): CorrectView {
  const { fieldManager } = sent;
  const set = entryOf(live, fieldManager)?.fieldsV1 ?? {};
  // Most objects contain no secret. For these, the sent values need not be looked up.
  const given = holdsSecret(sent.object) ? named(fieldsIn(set, ownable(sent.object))) : undefined;
  const found = ownedIn(set, live).filter(({ value }) => value !== undefined);
  const fields = found.map((field): [string, Json] => {
    const hide = given === undefined ? looksSecret(sent, field) : isHidden(sent, field, given.get(field.name));
    return [hide ? `${field.name}Seal` : field.name, shown(field.value, hide)];
  });
  const owner = found.map(({ name }): [string, string] => [name, fieldManager]);
  const hasItems = namesItems(set);
  const order = hasItems ? ordersIn(set, live) : {};
  const view = viewOf({ fields, owner });
  // Without secrets, list items, a status and mappings that are replaced as a whole, both views have the same fields.
  const isSame =
    given === undefined && !hasItems && !("status" in sent.object) && found.every(({ value }) => isPlainField(value));
  return {
    now: { exists: true, ...view, ...(Object.keys(order).length > 0 && { order }) },
    sent: isSame ? view.fields : plainView(sent).fields,
  };
}

/** True for a value that {@link plainView} shows as one field; it shows each part of a mapping. */
function isPlainField(value: unknown): boolean {
  return !isRecord(value) || Object.keys(value).length === 0;
}

/** The fields of a set; none if the set is empty, because an empty set would otherwise mean the whole object. */
function ownedIn(set: FieldSet, object: LiveObject | undefined): readonly Field[] {
  return Object.keys(set).length === 0 ? [] : fieldsIn(set, object);
}

/** The names of fields, each with a value or an owner. */
type Named<T> = [string, T | Absent][];

/** The parts of both views while the views are being built. */
interface Collected extends Record<"now" | "after", { readonly fields: Named<Json>; readonly owner: Named<string> }> {
  readonly fallbacks: [string, Json][];
}

function viewOf({ fields, owner }: Collected["now"]): Pick<KubeView, "fields" | "owner"> {
  return { fields: Object.fromEntries(fields), owner: Object.fromEntries(owner) };
}

/** Adds a field that the manager will own. */
function addWanted({ now, after }: Collected, sent: Sent, field: Field, given: Field | undefined, old: unknown): void {
  const hide = isHidden(sent, field, given);
  const name = hide ? `${field.name}Seal` : field.name;
  after.fields.push([name, shown(field.value, hide)]);
  if (old === undefined) return;
  // The old value may be a secret although the new one is not.
  const hideOld = !hide && mayHoldSecret(old) && !sameData(old, field.value);
  now.fields.push([name, hideOld ? notShown : shown(old, hide)]);
}

/** Adds a field that the manager will no longer own. `left` is what remains of the field. */
function addDropped({ now, after, fallbacks }: Collected, sent: Sent, field: Field, left: Field | undefined): void {
  const { name } = field;
  if (left?.at !== undefined && sameData(left.value, field.value)) {
    // The field keeps its value, because another manager owns it too, or because this is its default.
    now.owner.push([name, sent.fieldManager]);
    after.owner.push([name, absent]);
    return;
  }
  // The old value may have been a secret that the playbook no longer contains. Secrets are strings.
  const isPlain = ["number", "boolean"].includes(typeof field.value) && !isHidden(sent, field, undefined);
  now.fields.push([name, isPlain ? (field.value as Json) : "set"]);
  after.fields.push([name, absent]);
  if (left?.at === undefined) return;
  fallbacks.push([name, isHidden(sent, left, undefined) ? notShown : (left.value as Json)]);
}

/** The orders of lists in both views, and the lists whose items keep a different order from the one sent. */
function ordersOf(
  { object }: Sent,
  fields: FieldSet,
  live: LiveObject | undefined,
  predicted: LiveObject,
): Readonly<Record<"now" | "after", Pick<KubeView, "order">>> & { readonly reordered: readonly string[] } {
  const order = ordersIn(fields, live);
  if (Object.keys(order).length === 0) return { now: {}, after: {}, reordered: [] };
  const then = ordersIn(fields, predicted);
  const given = ordersIn(fields, ownable(object));
  const known = Object.keys(order).filter((name) => then[name] !== undefined);
  return {
    now: { order },
    after: { order: Object.fromEntries(known.map((name) => [name, then[name] ?? ""])) },
    reordered: known.filter((name) => given[name] !== undefined && given[name] !== then[name]),
  };
}

/**
 * Predicts an object without asking the server. A status is left out, because most kinds ignore a status that is sent.
 */
export function plainView(sent: Sent): KubeView {
  const { status: _, ...own } = ownable(sent.object);
  const fields = plainFields(own).map((field): readonly [string, Json] => {
    const hide = isHidden(sent, field, field);
    return [hide ? `${field.name}Seal` : field.name, shown(field.value, hide)];
  });
  return { exists: true, fields: Object.fromEntries(fields.filter(([name]) => name !== "")), owner: {} };
}

function named(fields: readonly Field[]): ReadonlyMap<string, Field> {
  return new Map(fields.map((field) => [field.name, field]));
}

/** The other managers of a field that the manager takes over or shares; absent if the field has no other managers. */
function othersText(
  { fieldManager }: Sent,
  live: LiveObject | undefined,
  predicted: LiveObject,
  field: Field,
): string | Absent {
  const stay = ownersOf(predicted, fieldManager, field);
  const said = live === undefined ? [] : ownersOf(live, fieldManager, field);
  return said.map((other) => `${other}${stay.includes(other) ? " (stays an owner)" : ""}`).join(", ") || absent;
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

/**
 * True for a value that no report may show: it is in a Secret, comes from a secret, has a name such as `password`, or
 * has a part that may be a password.
 */
function isHidden(all: Sent, field: Field, sent: Field | undefined): boolean {
  return looksSecret(all, field) || holdsSecret(sent?.at === undefined ? all.object : sent.value);
}

/** True for a value that is in a Secret, has a name such as `password`, or has a part that may be a password. */
function looksSecret({ object }: Sent, { name, value }: Field): boolean {
  return (object.kind === "Secret" && !shownOfSecrets.test(name)) || fieldMayHoldSecret(name, value);
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
