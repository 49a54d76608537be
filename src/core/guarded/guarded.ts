import { closest } from "../closest.ts";
import { FurrowError } from "../errors.ts";
import { readerPosition } from "../authoring/position.ts";
import type { Layout } from "./layout.ts";

/** Describes an object in messages, such as `vars` or `facts`. */
export interface Owner {
  /** The expression with which code reads the object: `vars.nodes[]`. */
  readonly path: string;
  /** The place to which a new name must be added; completes "Add … to" in a hint. */
  readonly declaredIn?: string;
  /** Hints for names that are found elsewhere; each begins with a verb. */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

/**
 * The same value with a guard: if user code reads a name that is not in the layout, the guard throws FurrowError
 * E_PLAYBOOK with the source line and the nearest name, where JavaScript would return undefined. A known name without a
 * value is undefined as usual. Reading an unknown name returns undefined if furrow itself or a package reads it:
 * packages look for names such as `toJSON`. `in` does not throw either. Inner objects are guarded when they are read.
 */
export function guarded<T>(value: T, layout: Layout | undefined, owner: Owner): T {
  return layout === undefined ? value : (guardValue(value, layout, owner) as T);
}

/** The guard of each object, so that reading it twice returns the same object. */
const guards = new WeakMap<object, WeakMap<Layout, object>>();

function guardValue(value: unknown, layout: Layout, owner: Owner): unknown {
  if (typeof value !== "object" || value === null) return value;
  const known = guards.get(value)?.get(layout);
  if (known !== undefined) return known;
  const made = Array.isArray(value) ? guardList(value, layout, owner) : guardRecord(value, layout, owner);
  const byLayout = guards.get(value) ?? new WeakMap<Layout, object>();
  guards.set(value, byLayout.set(layout, made));
  return made;
}

function guardList(list: readonly unknown[], layout: Layout, { path, ...owner }: Owner): readonly unknown[] {
  const { element } = layout;
  if (element === undefined || !list.some((item) => typeof item === "object" && item !== null)) return list;
  const items = list.map((item) => guardValue(item, element, { ...owner, path: `${path}[]` }));
  return Object.isFrozen(list) ? Object.freeze(items) : items;
}

function guardRecord(record: object, layout: Layout, owner: Owner): object {
  const prototype: unknown = Object.getPrototypeOf(record);
  if (prototype !== Object.prototype && prototype !== null) return record;
  // Any name may be read, and no value has known names, so a guard is not needed.
  if (layout.names === undefined && Object.values(record).every((value) => typeof value !== "object")) return record;
  // A proxy of a frozen object must return exactly what the object contains, so the proxy wraps a copy.
  const target = Object.isFrozen(record) ? { ...record } : record;
  return new Proxy(target, handlerOf(layout, owner));
}

/** One handler per layout and path, shared by all hosts. */
const handlers = new WeakMap<Layout, Map<string, ProxyHandler<object>>>();

function handlerOf(layout: Layout, owner: Owner): ProxyHandler<object> {
  const byPath = handlers.get(layout) ?? new Map<string, ProxyHandler<object>>();
  handlers.set(layout, byPath);
  const handler = byPath.get(owner.path) ?? handlerFor(layout, owner);
  byPath.set(owner.path, handler);
  return handler;
}

function handlerFor(layout: Layout, owner: Owner): ProxyHandler<object> {
  const { names } = layout;
  const get = (target: object, key: string | symbol, receiver: unknown): unknown => {
    const value: unknown = Reflect.get(target, key, receiver);
    if (typeof key === "symbol") return value;
    if (typeof value === "object" && value !== null) {
      const child = Object.hasOwn(target, key) ? layout.child(key) : undefined;
      return child === undefined
        ? value
        : guardValue(value, child, { ...owner, path: `${owner.path}${names ? `.${key}` : "[…]"}` });
    }
    if (value !== undefined || names === undefined || names.has(key) || key in target) return value;
    // `await` and JSON.stringify look for these names on every object.
    if (key === "then" || key === "toJSON") return undefined;
    const source = readerPosition(get);
    if (source === undefined) return undefined;
    throw unknownName(key, [...names], owner, source);
  };
  return { get };
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
