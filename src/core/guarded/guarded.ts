import { closest } from "../closest.ts";
import { FurrowError } from "../errors.ts";
import { nearestPosition, readerPosition } from "../authoring/position.ts";
import { refuseAsText } from "./as-text.ts";
import type { Layout } from "./layout.ts";

/** The object's name in messages, such as `vars` or `facts`. */
export interface Owner {
  /** The expression that code uses to read the object: `vars.nodes[]`. */
  readonly path: string;
  /** The place to which a new name must be added; completes "Add … to" in a hint. */
  readonly declaredIn?: string;
  /** Hints for names that are found elsewhere; each begins with a verb. */
  readonly elsewhere?: Readonly<Record<string, string>>;
  /** True if values with an unknown layout stay as they are: they may be tasks, which are told apart by identity. */
  readonly keepsUnknown?: boolean;
}

/**
 * A frozen copy of the value with a guard: if user code reads a name that is not in the layout, the guard throws
 * FurrowError E_PLAYBOOK with the source line and the nearest name, where JavaScript would return undefined. A known
 * name without a value is undefined as usual. Reading an unknown name returns undefined if furrow itself or a package
 * reads it: packages look for names such as `toJSON`. `in` does not throw either. Using an object as text also throws.
 * So does changing the value, because furrow passes it to several calls. Instances of classes stay as they are.
 */
export function guarded<T>(value: T, layout: Layout | undefined, owner: Owner): T {
  return layout === undefined ? value : (guardValue(value, layout, owner) as T);
}

/** The layout of a value about which nothing is known. */
const anything: Layout = { names: undefined, child: () => anything, element: undefined };

/** True if nothing is known about what a value contains. */
function isOpaque(layout: Layout | undefined): boolean {
  return layout === undefined || (layout.names === undefined && layout.element === undefined && !layout.child(""));
}

/** The guard of each object, so that reading it twice returns the same object. */
const guards = new WeakMap<object, WeakMap<Layout, object>>();
const made = new WeakSet();

function guardValue(value: unknown, layout: Layout | undefined, owner: Owner): unknown {
  if (typeof value !== "object" || value === null || made.has(value)) return value;
  if (owner.keepsUnknown === true && isOpaque(layout)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype && prototype !== Array.prototype) return value;
  const own = layout ?? anything;
  const known = guards.get(value)?.get(own);
  if (known !== undefined) return known;
  // The guard is registered before the guards of its parts are created, because a value may contain itself.
  const note = <T extends object>(guard: T): T => {
    guards.set(value, (guards.get(value) ?? new WeakMap<Layout, object>()).set(own, guard));
    made.add(guard);
    return guard;
  };
  return Array.isArray(value) ? guardList(value, own, owner, note) : guardRecord(value, own, owner, note);
}

type Note = <T extends object>(guard: T) => T;

function guardList(list: readonly unknown[], layout: Layout, owner: Owner, note: Note): readonly unknown[] {
  const inner: Owner = { ...owner, path: `${owner.path}[]` };
  const items: unknown[] = note([]);
  const partOf = (item: unknown): unknown => guardValue(item, layout.element, inner);
  for (const item of list) items.push(partOf(item));
  // The result of a regular expression match is a list that also has named properties.
  if (Object.keys(list).length > list.length) copyParts(list, items, (_name, part) => partOf(part));
  return Object.freeze(items);
}

function guardRecord(record: object, layout: Layout, owner: Owner, note: Note): object {
  const prototype = Object.getPrototypeOf(record) as object | null;
  const { names } = layout;
  const { handler, toText } = guardOf(layout, owner);
  const copy = Object.create(prototype) as object;
  const guard = note(names === undefined ? copy : new Proxy(copy, handler));
  const partOf = (key: string): string => `${owner.path}${names ? `.${key}` : "[…]"}`;
  copyParts(record, copy, (key, part) => guardValue(part, layout.child(key), { ...owner, path: partOf(key) }));
  if (!(Symbol.toPrimitive in copy)) Object.defineProperty(copy, Symbol.toPrimitive, { value: toText });
  Object.freeze(copy);
  return guard;
}

function copyParts(from: object, to: object, partOf: (key: string, part: unknown) => unknown): void {
  for (const key of Reflect.ownKeys(from)) {
    if (key === "length" && Array.isArray(from)) continue;
    const property = Object.getOwnPropertyDescriptor(from, key) as PropertyDescriptor;
    // A getter is kept, because the getter of a truncated output throws.
    if ("value" in property && typeof key === "string") property.value = partOf(key, property.value);
    Object.defineProperty(to, key, property);
  }
}

interface Guard {
  readonly handler: ProxyHandler<object>;
  readonly toText: (this: object, hint: string) => unknown;
}

/** One guard per layout and path, shared by all hosts. */
const byLayout = new WeakMap<Layout, Map<string, Guard>>();

function guardOf(layout: Layout, owner: Owner): Guard {
  const byPath = byLayout.get(layout) ?? new Map<string, Guard>();
  byLayout.set(layout, byPath);
  const known = byPath.get(owner.path) ?? { handler: handlerFor(layout, owner), toText: refuseAsText(owner.path) };
  byPath.set(owner.path, known);
  return known;
}

function handlerFor({ names }: Layout, owner: Owner): ProxyHandler<object> {
  const get = (target: object, key: string | symbol, receiver: unknown): unknown => {
    const value: unknown = Reflect.get(target, key, receiver);
    if (typeof key === "symbol") return value;
    if (value !== undefined || names === undefined || names.has(key) || key in target) return value;
    // `await` and JSON.stringify look for these names on every object.
    if (key === "then" || key === "toJSON") return undefined;
    const source = readerPosition(get);
    if (source === undefined) return undefined;
    throw unknownName(key, [...names], owner, source);
  };
  const refuse = (key: string | symbol, trap: (...input: never[]) => unknown): false => {
    const source = nearestPosition(trap);
    if (source === undefined) return false;
    throw unchangeable(
      `${owner.path}.${String(key)}`,
      source,
      /[\s[]/.test(owner.path) ? "{ ...value }" : `{ ...${owner.path} }`,
    );
  };
  const set = (_target: object, key: string | symbol): boolean => refuse(key, set);
  const deleteProperty = (_target: object, key: string | symbol): boolean => refuse(key, deleteProperty);
  // Object.freeze redefines each property without changing its value.
  const defineProperty = (target: object, key: string | symbol, property: PropertyDescriptor): boolean =>
    Reflect.defineProperty(target, key, property) || refuse(key, defineProperty);
  return { get, set, deleteProperty, defineProperty };
}

const whyUnchangeable = "the same value in every call: furrow calls these functions several times";

function unchangeable(what: string, source: string, copy: string): FurrowError {
  return new FurrowError("E_PLAYBOOK", {
    what: `${what} cannot be changed`,
    where: { source },
    expected: whyUnchangeable,
    hint: `Copy it first: ${copy}`,
  });
}

/**
 * V8's messages about an attempt to change a frozen object. Imports are excluded, because they are read-only for a
 * different reason.
 */
const frozen =
  /^Cannot (?:assign to read only property (?!.*\[object Module\])|add property .* is not extensible|delete property|define property .* is not extensible)/;

/**
 * The error for user code that tried to change something frozen, such as a list in vars; undefined for any other error.
 */
export function frozenChange(error: unknown, source: string | undefined): FurrowError | undefined {
  if (!(error instanceof TypeError) || source === undefined || !frozen.test(error.message)) return undefined;
  return new FurrowError("E_PLAYBOOK", {
    what: "this line changes a list or an object that cannot be changed",
    where: { source },
    current: error.message,
    expected: whyUnchangeable,
    hint: "Copy it first, such as vars.list.toReversed(), vars.list.toSorted(), [...vars.list] or { ...vars.object }",
    cause: error,
  });
}

/** The error for code that reads an unknown name. */
export function unknownName(name: string, names: readonly string[], owner: Owner, source: string): FurrowError {
  const near = closest(name, names);
  const { path, declaredIn, elsewhere = {} } = owner;
  const other = Object.hasOwn(elsewhere, name) ? elsewhere[name] : undefined;
  const hint =
    other ??
    (near !== undefined
      ? `Write "${near}" instead of "${name}"`
      : declaredIn === undefined
        ? `Remove "${name}", or use a known name`
        : `Add "${name}" to ${declaredIn}, or remove it here`);
  return new FurrowError("E_PLAYBOOK", {
    what: `${path} has no "${name}"`,
    where: { source },
    expected: names.length === 0 ? "no name: nothing is declared" : `one of ${names.join(", ")}`,
    hint,
  });
}
