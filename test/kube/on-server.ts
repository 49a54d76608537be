import type { Node } from "../../src/core/authoring/group.ts";
import * as t from "../../tasks/index.ts";
import { type TaskEnd, taskHost } from "../tasks/on-host.ts";
import type { ApiServer } from "./server/api-server.ts";

/** The params of `kubeObject`, without Refs. */
type Params = Parameters<typeof t.kubeObject>[0];

/** The params of `kubeManifest`, without Refs. */
type ManifestParams = Parameters<typeof t.kubeManifest>[0];

type Options = NonNullable<Parameters<typeof t.kubeObject>[1]>;

/** An object as a test writes it. */
export type ObjectData = Readonly<Record<string, unknown>>;

/** Lists `kubeObject` tasks and performs them against a server. */
export class Tasks {
  readonly #server: () => ApiServer;
  readonly host = taskHost();

  constructor(server: () => ApiServer) {
    this.#server = server;
  }

  /**
   * A task with the field manager `furrow-shop`. The object may be wrong: only the task's schema and the server judge
   * it.
   */
  object(object: ObjectData, more: Partial<Params> = {}, options: Options = {}): Node {
    const params = { kubeconfig: this.#server().kubeconfig(), fieldManager: "furrow-shop", object, ...more };
    return t.kubeObject(params as Params, options);
  }

  /** A task for a manifest, with the same field manager. */
  manifest(params: object): Node {
    const own = { kubeconfig: this.#server().kubeconfig(), fieldManager: "furrow-shop", ...params };
    return t.kubeManifest(own as unknown as ManifestParams);
  }

  /** Performs tasks. Throws unless check mode predicts the outcomes and a second run changes nothing. */
  async converge(...tasks: Node[]): Promise<TaskEnd[]> {
    const checked = outcomes(await this.host.check(...tasks));
    const ends = await this.host.apply(...tasks);
    const applied = outcomes(ends);
    if (checked !== applied) throw new Error(`check mode says ${checked}, but the run ${applied}`);
    const again = outcomes(await this.host.apply(...tasks));
    if (again !== tasks.map(() => "ok").join("; ")) throw new Error(`a second run says ${again}`);
    return ends;
  }

  /** A part of an object, as kubectl prints it; `path` is a JSONPath. */
  get(kind: string, name: string, path: string, namespace = "shop"): string {
    return this.#server().kubectl(["get", kind, name, `--namespace=${namespace}`, `--output=jsonpath=${path}`]);
  }
}

function outcomes(ends: readonly TaskEnd[]): string {
  return ends.map(({ outcome, error }) => [outcome, error?.message].filter(Boolean).join(" ")).join("; ");
}

/** A ConfigMap. */
export function config(name: string, data: Readonly<Record<string, unknown>>, namespace = "shop"): ObjectData {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
}

/** The definition of a custom kind with these versions. */
export const customKind = (plural: string, name: string, ...versions: readonly string[]): ObjectData => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.camp.example.com` },
  spec: {
    group: "camp.example.com",
    scope: "Namespaced",
    names: { plural, singular: name.toLowerCase(), kind: name, listKind: `${name}List` },
    versions: versions.map((version, at) => ({
      name: version,
      served: true,
      storage: at === 0,
      subresources: { status: {} },
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          },
        },
      },
    })),
  },
});

/** The differences that a task reports, as `path: from → to`. */
export function differences(end: TaskEnd | undefined): string[] {
  const text = (value: unknown): string => (typeof value === "symbol" ? "absent" : JSON.stringify(value));
  return (end?.changes ?? []).flatMap((change) =>
    change.differences.map(({ path, from, to }) => `${path}: ${text(from)} → ${text(to)}`),
  );
}

/** `refused: CODE` if the task refused. */
export function refusal(end: TaskEnd | undefined): string | undefined {
  return end?.error?.failure.details?.[0];
}
