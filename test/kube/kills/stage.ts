import { RawApi } from "../ownership/raw-api.ts";
import type { ApiServer } from "../server/api-server.ts";

/** An object of the API. */
interface Thing {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly finalizers?: readonly string[];
    readonly managedFields?: readonly {
      readonly manager: string;
      readonly operation: string;
      readonly fieldsV1: unknown;
    }[];
    readonly [more: string]: unknown;
  };
  readonly [more: string]: unknown;
}

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs?: readonly string[];
}

/** A list that can be read and emptied. */
interface List {
  readonly path: string;
  readonly resource: Resource;
  readonly apiVersion: string;
}

/** Objects by their kind, namespace and name. */
type Objects = Map<string, { readonly path: string; readonly thing: Thing }>;

/** Lists that the server fills by itself, and those that no playbook writes. */
const ownLists = new Set([
  "events",
  "leases",
  "endpoints",
  "endpointslices",
  "apiservices",
  "customresourcedefinitions",
]);

/**
 * The objects of an API server, which can be reset to the same state any number of times. Objects that exist when the
 * stage is opened are the server's own and are kept.
 */
export class Stage {
  readonly #api: RawApi;
  #lists: readonly List[] = [];
  #kept: ReadonlySet<string> = new Set();

  private constructor(server: ApiServer) {
    this.#api = new RawApi(server.url, server.folder);
  }

  /** Opens a server's objects; all kinds must have been defined. */
  static async open(server: ApiServer): Promise<Stage> {
    const stage = new Stage(server);
    stage.#lists = await stage.#findLists();
    stage.#kept = new Set((await stage.#all()).keys());
    return stage;
  }

  /** Removes all objects except the server's own, and creates the given objects. */
  async set(objects: readonly object[]): Promise<void> {
    for (const { path, thing } of (await this.#others()).values()) {
      if ((thing.metadata.finalizers ?? []).length > 0)
        await this.#send("PATCH", path, { metadata: { finalizers: null } }, "application/merge-patch+json");
      await this.#send("DELETE", path);
      // The controller that empties and removes a namespace is not running here.
      if (path.startsWith("/api/v1/namespaces/") && path.split("/").length === 5)
        await this.#send("PUT", `${path}/finalize`, {
          apiVersion: "v1",
          kind: "Namespace",
          metadata: { name: thing.metadata.name },
        });
    }
    const left = [...(await this.#others()).keys()];
    if (left.length > 0) throw new Error(`these objects cannot be deleted: ${left.join(", ")}`);
    for (const object of objects) await this.#make(object as Thing);
  }

  /**
   * The cluster's objects except the server's own, without the counters and times that the server sets, and with the
   * fields that furrow owns.
   */
  async state(varies: readonly RegExp[] = []): Promise<Record<string, string>> {
    const found = [...(await this.#others())].map(([name, { thing }]) => [name, plain(thing)] as const);
    return Object.fromEntries(
      found.map(([name, text]) => [name, varies.reduce((rest, one) => rest.replaceAll(one, "…"), text)]),
    );
  }

  /** Looks up the kinds again after some were defined or removed. The server's own objects stay the same. */
  async refresh(): Promise<void> {
    this.#lists = await this.#findLists();
  }

  close(): void {
    this.#api.close();
  }

  async #make(thing: Thing): Promise<void> {
    const list = this.#lists.find(
      ({ apiVersion, resource }) => apiVersion === thing.apiVersion && resource.kind === thing.kind,
    );
    if (list === undefined) throw new Error(`the server has no kind ${thing.kind} in ${thing.apiVersion}`);
    const { namespace = "default" } = thing.metadata;
    const path = list.resource.namespaced ? placed(list, namespace) : list.path;
    await this.#send("POST", path, thing);
  }

  /** The objects that are not the server's own. */
  async #others(): Promise<Objects> {
    const all = await this.#all();
    for (const name of this.#kept) all.delete(name);
    return all;
  }

  async #all(): Promise<Objects> {
    const all: Objects = new Map();
    for (const list of this.#lists) {
      const { items } = (await this.#send("GET", list.path)) as { items: Thing[] };
      for (const thing of items) {
        const { name, namespace } = thing.metadata;
        const folder = namespace === undefined ? list.path : placed(list, namespace);
        all.set([list.resource.kind, namespace, name].filter(Boolean).join(" "), { path: `${folder}/${name}`, thing });
      }
    }
    return all;
  }

  async #findLists(): Promise<List[]> {
    const { groups } = (await this.#send("GET", "/apis")) as {
      groups: readonly { readonly preferredVersion: { readonly groupVersion: string } }[];
    };
    const own = groups.map(
      ({ preferredVersion: { groupVersion } }) => [groupVersion, `/apis/${groupVersion}`] as const,
    );
    const found: List[] = [];
    for (const [apiVersion, path] of [["v1", "/api/v1"] as const, ...own]) {
      const { resources } = (await this.#send("GET", path)) as { resources: readonly Resource[] };
      for (const resource of resources)
        if (
          ["list", "create", "delete"].every((verb) => resource.verbs?.includes(verb)) &&
          !ownLists.has(resource.name)
        )
          found.push({ path: `${path}/${resource.name}`, resource, apiVersion });
    }
    return found;
  }

  async #send(method: string, path: string, body?: object, type = "application/json"): Promise<unknown> {
    const answer = await this.#api.send(method, path, type, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: HTTP ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body);
  }
}

function placed({ path, resource }: List, namespace: string): string {
  return path.replace(new RegExp(`/${resource.name}$`), `/namespaces/${namespace}/${resource.name}`);
}

/** An object as text, without the parts that are new each time it is created. */
function plain({ metadata, ...more }: Thing): string {
  const { managedFields = [], resourceVersion: _version, generation: _generation, ...named } = metadata;
  const { uid: _uid, creationTimestamp: _created, selfLink: _link, ...rest } = named;
  const own = managedFields
    .filter(({ manager }) => manager.startsWith("furrow"))
    .map(({ manager, operation, fieldsV1 }) => JSON.stringify([manager, operation, fieldsV1]))
    .toSorted();
  return JSON.stringify({ metadata: rest, ...more, "furrow's": own })
    .replaceAll(/(\\?"(?:uid|[a-z]+UID)\\?":\\?")[^"\\]*/g, "$1…")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…");
}
