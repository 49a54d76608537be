/**
 * A small model of who owns which field of an object, written from Kubernetes' documentation of server-side apply
 * (https://kubernetes.io/docs/reference/using-api/server-side-apply/). It imports nothing from furrow.
 */

/** The values of an object's fields by their names: `data.a`, `spec.tags[x]`. */
export type Values = ReadonlyMap<string, unknown>;

/** Two managers with the same name are different if one applies and the other updates. */
export type Manager = `${string} ${"Apply" | "Update"}`;

/** A field that another manager owns and whose value would change. */
export interface Conflict {
  readonly field: string;
  readonly manager: Manager;
}

/** An object, and who owns its fields. */
export class Model {
  readonly #values = new Map<string, unknown>();
  readonly #owners = new Map<string, Set<Manager>>();
  exists = false;

  get values(): Values {
    return this.#values;
  }

  /** The fields that a manager owns, sorted by name. */
  owned(manager: Manager): string[] {
    return [...this.#owners].flatMap(([field, owners]) => (owners.has(manager) ? [field] : [])).toSorted();
  }

  /** The managers that own anything. */
  managers(): Manager[] {
    return [...new Set([...this.#owners.values()].flatMap((owners) => [...owners]))].toSorted();
  }

  /** Deletes the object. */
  remove(): void {
    this.exists = false;
    this.#values.clear();
    this.#owners.clear();
  }

  /**
   * An update: a manager that changes a field becomes its only owner, a removed field loses all its owners, and an
   * unchanged field gets no new owner.
   */
  update(manager: Manager, changes: ReadonlyMap<string, unknown>): void {
    for (const [field, value] of changes) {
      if (value === undefined) this.#drop(field);
      else if (!same(this.#values.get(field), value)) this.#set(field, value, new Set([manager]));
    }
  }

  /** The conflicts that prevent an apply without force. */
  conflicts(manager: Manager, wanted: Values): Conflict[] {
    return [...wanted].flatMap(([field, value]) =>
      same(this.#values.get(field), value)
        ? []
        : [...(this.#owners.get(field) ?? [])].filter((one) => one !== manager).map((one) => ({ field, manager: one })),
    );
  }

  /** True if an apply would change a value, or what the manager owns. */
  wouldChange(manager: Manager, wanted: Values): boolean {
    const owned = this.owned(manager);
    return (
      !this.exists ||
      owned.join() !== [...wanted.keys()].toSorted().join() ||
      [...wanted].some(([field, value]) => !same(this.#values.get(field), value))
    );
  }

  /** An apply that is forced or has no conflicts: the manager then owns exactly what it sent. */
  apply(manager: Manager, wanted: Values): void {
    this.exists = true;
    for (const field of this.owned(manager)) {
      if (wanted.has(field)) continue;
      const owners = this.#owners.get(field);
      owners?.delete(manager);
      if (owners?.size === 0) this.#drop(field);
    }
    for (const [field, value] of wanted) {
      const owners = this.#owners.get(field);
      if (owners !== undefined && same(this.#values.get(field), value)) owners.add(manager);
      else this.#set(field, value, new Set([manager]));
    }
  }

  #set(field: string, value: unknown, owners: Set<Manager>): void {
    this.#values.set(field, value);
    this.#owners.set(field, owners);
  }

  #drop(field: string): void {
    this.#values.delete(field);
    this.#owners.delete(field);
  }
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
