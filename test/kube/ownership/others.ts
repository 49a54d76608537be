import { type FieldOf, type KindOf, objectWith } from "./fields.ts";
import { type Manager, Model, type Values } from "./model.ts";
import type { RawApi } from "./raw-api.ts";

/** The field manager that creates the objects; others update them. */
export const founder: Manager = "founder Update";

/** The managers besides furrow: one updates, the other applies. */
export const editor: Manager = "editor Update";
export const gitops: Manager = "gitops Apply";

/** An object on the server, the model of it, and the fields that each applying manager wants. */
export class Subject {
  readonly kind: KindOf;
  readonly name: string;
  readonly model = new Model();
  wanted: Map<string, unknown> = new Map();
  force = false;
  /**
   * True if somebody else creates the object and the editor updates it; otherwise furrow and another applier create it.
   * Always true for a custom kind: if everything in a record or list of such an object is removed, kube-apiserver 1.20
   * turns the record or list into null, and then refuses the null.
   */
  readonly isFounded: boolean;
  #gitops: Map<string, unknown> = new Map();

  constructor(kind: KindOf, name: string, isFounded: boolean) {
    this.kind = kind;
    this.name = name;
    this.isFounded = isFounded || kind.kind === "Tent";
  }

  /** Creates the object on behalf of somebody else, if `isFounded`. */
  async found(api: RawApi): Promise<void> {
    if (!this.isFounded) return;
    const anchors = new Map(
      this.kind.fields.flatMap((one) => (one.isAnchor ? [[one.name, one.values[0]] as const] : [])),
    );
    const query = "?fieldManager=founder";
    expectStatus(await api.send("POST", this.kind.path + query, "application/json", this.body(anchors)), 201);
    this.model.exists = true;
    this.model.update(founder, anchors);
  }

  /** The object with these fields, as a manager sends it. */
  body(values: Values): Record<string, unknown> & { readonly metadata: object } {
    const { apiVersion, kind } = this.kind;
    const { metadata, ...rest } = objectWith(this.kind, values);
    return { apiVersion, kind, metadata: { ...(metadata as object), name: this.name, namespace: "shop" }, ...rest };
  }

  /**
   * Somebody else changes the object at random, on the server and in the model. Throws if the server and the model
   * disagree about the object.
   */
  async edit(api: RawApi, random: (limit: number) => number): Promise<void> {
    const choice = random(20);
    const path = `${this.kind.path}/${this.name}`;
    if (choice === 0 && this.model.exists) {
      expectStatus(await api.send("DELETE", path), 200);
      this.model.remove();
      await this.found(api);
    } else if (choice < 11 && this.isFounded) await this.#update(api, path, random);
    else await this.#apply(api, path, random);
  }

  /** Changes the fields that furrow wants, at random. */
  rethink(random: (limit: number) => number): void {
    this.wanted = changed(this, this.wanted, random);
  }

  async #update(api: RawApi, path: string, random: (limit: number) => number): Promise<void> {
    const changes = new Map<string, unknown>();
    for (let count = 1 + random(3); count > 0; count -= 1) {
      const field = pick(free(this), random);
      changes.set(field.name, random(4) === 0 ? undefined : pick(field.values, random));
    }
    const patch = mergePatch(this.kind, this.model.values, changes);
    const query = "?fieldManager=editor";
    expectStatus(await api.send("PATCH", path + query, "application/merge-patch+json", patch), 200);
    this.model.update(editor, changes);
  }

  async #apply(api: RawApi, path: string, random: (limit: number) => number): Promise<void> {
    const wanted = changed(this, this.#gitops, random);
    const force = random(3) === 0;
    const query = `?fieldManager=gitops${force ? "&force=true" : ""}`;
    const isRefused = !force && this.model.conflicts(gitops, wanted).length > 0;
    const answer = await api.send("PATCH", path + query, "application/apply-patch+yaml", this.body(wanted));
    expectStatus(answer, ...(isRefused ? [409] : [200, 201]));
    if (isRefused) return;
    this.#gitops = wanted;
    this.model.apply(gitops, wanted);
  }
}

/** A merge patch for the changes; each list is sent with all its items. */
function mergePatch(kind: KindOf, now: Values, changes: ReadonlyMap<string, unknown>): object {
  const after = new Map([...new Map([...now, ...changes])].filter(([, value]) => value !== undefined));
  const touched = kind.fields.filter(({ name, at }) =>
    [...changes.keys()].some((one) => one === name || one.startsWith(`${at.slice(0, -1).join(".")}[`)),
  );
  const patch: Record<string, unknown> = objectWith(
    kind,
    new Map(touched.flatMap(({ name }) => (after.has(name) ? [[name, after.get(name)] as const] : []))),
  );
  for (const { name, at, isItem } of touched) {
    if (after.has(name)) continue;
    const keys = isItem === true ? at.slice(0, -1) : at;
    const parent = keys
      .slice(0, -1)
      .reduce<Record<string, unknown>>((inside, key) => (inside[key] ??= {}) as Record<string, unknown>, patch);
    parent[keys.at(-1) ?? ""] ??= null;
  }
  return patch;
}

/** The same fields with one to three of them changed. */
function changed(subject: Subject, before: Values, random: (limit: number) => number): Map<string, unknown> {
  const after = new Map(before);
  for (let count = 1 + random(3); count > 0; count -= 1) {
    const field = pick(free(subject), random);
    if (random(4) === 0) after.delete(field.name);
    else after.set(field.name, pick(field.values, random));
  }
  return after;
}

/** The fields that managers change. */
function free({ kind }: Subject): readonly FieldOf[] {
  return kind.fields.filter(({ isAnchor }) => isAnchor !== true);
}

function pick(list: readonly FieldOf[], random: (limit: number) => number): FieldOf;
function pick(list: readonly unknown[], random: (limit: number) => number): unknown;
function pick(list: readonly unknown[], random: (limit: number) => number): unknown {
  return list[random(list.length)];
}

function expectStatus({ status, body }: { readonly status: number; readonly body: string }, ...wanted: number[]): void {
  if (!wanted.includes(status))
    throw new Error(`the model expects HTTP ${wanted.join(" or ")}, not ${status}: ${body}`);
}
