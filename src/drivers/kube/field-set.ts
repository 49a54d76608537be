import { isRecord } from "../../core/facts/symbols.ts";

/**
 * A set of fields in the server's notation FieldsV1: `f:NAME` is a field, `k:{…}` an item of a list by its keys, `v:…`
 * an item by its value, `i:N` an item by its position, and `.` the item itself. An empty record means the whole field.
 * (https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/, `managedFields`)
 */
export interface FieldSet {
  readonly [part: string]: FieldSet;
}

/** One field of an object. */
export interface Field {
  /** In the usual notation: `spec.template.spec.containers[name=web].image`. */
  readonly name: string;
  /** The keys and positions that lead to the field; undefined if the object lacks the field. */
  readonly at: readonly (string | number)[] | undefined;
  /** The field's value; undefined if the object lacks the field. */
  readonly value: unknown;
}

/**
 * The fields of a set, as found in an object. An item counts as a field itself if the set contains none of the item's
 * fields.
 */
export function fieldsIn(set: FieldSet, object: unknown): Field[] {
  const found: Field[] = [];
  walk(set, object, "", [], found);
  return found;
}

/** Adds the fields below one value to `found`; a large manifest has thousands of them. */
function walk(set: FieldSet, value: unknown, name: string, at: Field["at"], found: Field[]): void {
  const before = found.length;
  for (const part of Object.keys(set)) {
    if (part === ".") continue;
    const child = childOf(part, value, name);
    const place = child.key === undefined || at === undefined ? undefined : [...at, child.key];
    walk(set[part] as FieldSet, child.value, child.name, place, found);
  }
  if (found.length === before) found.push({ name, at: value === undefined ? undefined : at, value });
}

/**
 * For each list in a set whose items have keys: the names of these items, in the object's order. Omits a list if the
 * set names only one of its items, or an item that the object lacks.
 */
export function ordersIn(set: FieldSet, object: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(walkLists(set, object, ""));
}

function walkLists(set: FieldSet, value: unknown, name: string): [string, string][] {
  const children = Object.keys(set)
    .filter((part) => part !== ".")
    .map((part) => ({ part, ...childOf(part, value, name) }));
  const items = children.filter(({ part }) => part.startsWith("k:"));
  const isWhole = items.length > 1 && items.every(({ key }) => key !== undefined);
  const inOrder = items.toSorted((a, b) => Number(a.key) - Number(b.key)).map(({ part }) => itemName(part));
  return [
    ...(isWhole ? [[name, inOrder.join("; ")] satisfies [string, string]] : []),
    ...children.flatMap((child) => walkLists(set[child.part] as FieldSet, child.value, child.name)),
  ];
}

interface Child {
  readonly name: string;
  readonly key: string | number | undefined;
  readonly value: unknown;
}

function childOf(part: string, value: unknown, name: string): Child {
  const key = part.slice(2);
  if (part.startsWith("f:")) {
    const known = isRecord(value) && Object.hasOwn(value, key);
    return { name: under(name, key), key: known ? key : undefined, value: known ? value[key] : undefined };
  }
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const index = part.startsWith("i:") ? Number(key) : itemAt(part, list);
  const found = index >= 0 && index < list.length;
  return { name: `${name}[${itemName(part)}]`, key: found ? index : undefined, value: found ? list[index] : undefined };
}

/** The position, in a list, of the item that a part of a set identifies; -1 if the list does not contain it. */
function itemAt(part: string, list: readonly unknown[]): number {
  const wanted = JSON.parse(part.slice(2)) as unknown;
  if (part.startsWith("v:")) return list.findIndex((item) => same(item, wanted));
  const keys = Object.entries(isRecord(wanted) ? wanted : {});
  const complete = list.findIndex((item) => isRecord(item) && keys.every(([key, value]) => same(item[key], value)));
  if (complete >= 0) return complete;
  // The server fills in keys that have a default, such as a port's protocol; the sent object may omit them.
  const possible = list.filter(
    (item) => isRecord(item) && keys.every(([key, value]) => !(key in item) || same(item[key], value)),
  );
  return possible.length === 1 ? list.indexOf(possible[0]) : -1;
}

function itemName(part: string): string {
  const key = part.slice(2);
  if (part.startsWith("i:")) return key;
  const value = JSON.parse(key) as unknown;
  if (!isRecord(value)) return String(value);
  return Object.entries(value)
    .map(([name, own]) => `${name}=${String(own)}`)
    .join(",");
}

/** The path of a field below another one; a key that contains dots is put in brackets. */
function under(name: string, key: string): string {
  if (key.includes(".")) return `${name}[${key}]`;
  return name === "" ? key : `${name}.${key}`;
}

/** True if two JSON values are equal, regardless of the order of their keys. */
function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, at) => same(item, b[at]));
  if (!isRecord(a) || !isRecord(b)) return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

/**
 * True if the sent object contains exactly the fields of a set, each with its value in the live object: applying it
 * then changes nothing. False if that is not certain. The server may still find no difference: it knows that `1000m`
 * equals `1`, and it knows which fields are replaced as a whole.
 */
export function isExactly(set: FieldSet, sent: unknown, live: unknown): boolean {
  const parts = Object.keys(set).filter((part) => part !== ".");
  if (parts.length === 0) return sent !== null && sent !== undefined && same(sent, live);
  if (isRecord(sent) && isRecord(live)) {
    const keys = Object.keys(sent);
    return (
      keys.length === parts.length &&
      parts.every((part) => {
        const key = part.slice(2);
        return (
          part.startsWith("f:") && Object.hasOwn(sent, key) && isExactly(set[part] as FieldSet, sent[key], live[key])
        );
      })
    );
  }
  if (!Array.isArray(sent) || !Array.isArray(live) || sent.length !== parts.length) return false;
  const found = parts.map((part) => [set[part] as FieldSet, itemAt(part, sent), itemAt(part, live)] as const);
  if (new Set(found.map(([, at]) => at)).size !== sent.length) return false;
  // The order of items is part of the value.
  const inOrder = found
    .toSorted(([, a], [, b]) => a - b)
    .every(([, , at], index, all) => index === 0 || at > (all[index - 1]?.[2] ?? -1));
  return (
    inOrder && found.every(([below, own, other]) => own >= 0 && other >= 0 && isExactly(below, sent[own], live[other]))
  );
}

/** True if a set names items of lists. Otherwise it contains only fields, and lists that are replaced as a whole. */
export function namesItems(set: FieldSet): boolean {
  return Object.keys(set).some((part) => (part.startsWith("f:") ? namesItems(set[part] as FieldSet) : part !== "."));
}

/** The fields of an object, as far as they can be determined without the server: a list is one field. */
export function plainFields(value: unknown, name = "", at: readonly (string | number)[] = []): Field[] {
  if (!isRecord(value) || Object.keys(value).length === 0) return [{ name, at, value }];
  return Object.entries(value).flatMap(([key, part]) => plainFields(part, under(name, key), [...at, key]));
}
