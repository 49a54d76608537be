/**
 * The fields that the objects of the test can have, in an object and in the server's notation. Imports nothing from
 * furrow.
 */

/** A field: where it is, and the values that it may have. */
export interface FieldOf {
  /** `data.a`, `spec.tags[x]`. */
  readonly name: string;
  /** The keys that lead to the field. */
  readonly at: readonly string[];
  readonly values: readonly unknown[];
  /** True for an item of a list that is a set: it is present or absent. */
  readonly isItem?: true;
  /** True for the field that keeps a record or a list from being empty; only the object's creator sets it. */
  readonly isAnchor?: true;
}

/** A kind of object in the test. */
export interface KindOf {
  readonly apiVersion: string;
  readonly kind: string;
  /** The path of its objects in the API. */
  readonly path: string;
  readonly fields: readonly FieldOf[];
}

const texts = ["0", "1", "2"];

const plain = (parent: string, names: readonly string[], values: readonly unknown[]): FieldOf[] =>
  names.map((name) => ({ name: `${parent}.${name}`, at: [...parent.split("."), name], values }));

const items = (parent: string, names: readonly string[]): FieldOf[] =>
  names.map((name) => ({ name: `${parent}[${name}]`, at: [...parent.split("."), name], values: [true], isItem: true }));

/**
 * If an updater owns a record or a list but nothing in it, the server assumes that the updater owned all of it before
 * the schema changed, and later makes it the owner of everything in it (`ReconcileFieldSetWithSchema` of
 * structured-merge-diff). An anchor in each record and list prevents that assumption.
 */
const anchored = (list: readonly FieldOf[]): FieldOf[] => list.map((one) => ({ ...one, isAnchor: true }));

const labels = [
  ...plain("metadata.labels", ["l0", "l1"], texts),
  ...anchored(plain("metadata.labels", ["anchor"], ["0"])),
];
const annotations = [
  ...plain("metadata.annotations", ["a0", "a1"], texts),
  ...anchored(plain("metadata.annotations", ["anchor"], ["0"])),
];

/**
 * The kinds: one of the server's own, and a custom one with a number, a list that is set as a whole, and a list that
 * is a set.
 */
export const kinds: readonly KindOf[] = [
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    path: "/api/v1/namespaces/shop/configmaps",
    fields: [
      ...plain("data", ["k0", "k1", "k2", "k3"], texts),
      ...anchored(plain("data", ["anchor"], ["0"])),
      ...labels,
      ...annotations,
    ],
  },
  {
    apiVersion: "camp.example.com/v1",
    kind: "Tent",
    path: "/apis/camp.example.com/v1/namespaces/shop/tents",
    fields: [
      ...plain("spec", ["size"], [1, 2, 3]),
      ...plain("spec", ["route"], [["a"], ["a", "b"], ["b", "a"]]),
      ...items("spec.tags", ["x", "y", "z"]),
      ...anchored([...items("spec.tags", ["anchor"]), ...plain("spec", ["anchor"], [0])]),
      ...labels,
      ...annotations,
    ],
  },
];

/** The definition of the custom kind. */
export const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "tents.camp.example.com" },
  spec: {
    group: "camp.example.com",
    scope: "Namespaced",
    names: { plural: "tents", singular: "tent", kind: "Tent", listKind: "TentList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer" },
                  anchor: { type: "integer" },
                  route: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "atomic" },
                  tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
                },
              },
            },
          },
        },
      },
    ],
  },
};

interface Open {
  [key: string]: unknown;
}

/** Returns an object with these fields, without a type or a name. */
export function objectWith(kind: KindOf, values: ReadonlyMap<string, unknown>): Open {
  const object: Open = {};
  for (const { name, at, isItem } of kind.fields) {
    if (!values.has(name)) continue;
    const parents = at.slice(0, isItem ? -2 : -1);
    const parent = parents.reduce<Open>((inside, key) => (inside[key] ??= {}) as Open, object);
    const key = at.at(isItem ? -2 : -1) ?? "";
    if (isItem) parent[key] = [...((parent[key] as unknown[] | undefined) ?? []), at.at(-1)];
    else parent[key] = values.get(name);
  }
  return object;
}

/** The values that an object has in the fields of its kind. */
export function valuesOf(kind: KindOf, object: unknown): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const { name, at, isItem } of kind.fields) {
    const found = at
      .slice(0, isItem ? -1 : undefined)
      .reduce<unknown>((inside, key) => (inside as Open | undefined)?.[key], object);
    if (isItem ? (found as unknown[] | undefined)?.includes(at.at(-1)) === true : found !== undefined)
      values.set(name, isItem ? true : found);
  }
  return values;
}

/**
 * The fields that a manager owns, from the server's notation; any other part becomes `?…`. A record that contains
 * fields of the kind is left out: the server lists it for the manager that created it, even if it is empty.
 */
export function fieldsOwned(kind: KindOf, set: unknown): string[] {
  const all = kind.fields.map(({ at, isItem }) => pathText(at, isItem === true));
  const paths = pathsIn(set, []).filter((path) => !all.some((one) => one.startsWith(`${path}/`)));
  const names = new Map(kind.fields.map(({ name, at, isItem }) => [pathText(at, isItem === true), name]));
  return paths.map((path) => names.get(path) ?? `?${path}`).toSorted();
}

function pathText(at: readonly string[], isItem: boolean): string {
  return at
    .map((key, index) => (isItem && index === at.length - 1 ? `v:${JSON.stringify(key)}` : `f:${key}`))
    .join("/");
}

function pathsIn(set: unknown, at: readonly string[]): string[] {
  const parts = Object.entries((set ?? {}) as Open);
  // The existence of a record does not count as a field here.
  const below = parts.filter(([part]) => part !== ".");
  if (below.length === 0) return parts.length === 0 && at.length > 0 ? [at.join("/")] : [];
  return below.flatMap(([part, inside]) => pathsIn(inside, [...at, part]));
}
