import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  AnsweringServer,
  config,
  live,
  missing,
  type Said,
  status,
} from "../../../test/kube/server/answering-server.ts";
import { kubeApplied } from "../../facts/controller/kube-object.ts";

const server = new AnsweringServer();
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());
beforeEach(() => server.reset());

const maps = "/api/v1/namespaces/shop/configmaps";
const names = Array.from({ length: 10 }, (_, at) => `web-${at}`);

const named = (name: string): object => ({ ...config, metadata: { ...config.metadata, name } });

function found(name: string): object {
  const { metadata, ...rest } = live({ a: "1" }, { "f:a": {} }) as { readonly metadata: object };
  return { ...rest, metadata: { ...metadata, name } };
}

/** The items of a list have no apiVersion and no kind. */
function listOf(all: readonly string[], metadata: object = {}): Said {
  const items = all.map((name) => {
    const { apiVersion: _, kind: __, ...item } = found(name) as { readonly apiVersion: string; readonly kind: string };
    return item;
  });
  return { status: 200, body: { kind: "ConfigMapList", metadata, items } };
}

function ask(): Promise<unknown[]> {
  const request = { kubeconfig: server.kubeconfig, fieldManager: "shop", force: false };
  return Promise.all(
    names.map((name) => server.read(kubeApplied({ ...request, object: named(name) as typeof config }))),
  );
}

const reads = (): string[] => server.seen.filter((one) => one.startsWith(`GET ${maps}`));
const states = (answers: readonly unknown[]): unknown[] => answers.map((one) => (one as { exists: boolean }).exists);

describe("many objects that are requested at the same moment", () => {
  beforeEach(() => {
    for (const name of names) {
      server.said[`GET ${maps}/${name}`] = [{ status: 200, body: found(name) }];
      server.said[`PATCH ${maps}/${name}`] = [{ status: 201, body: found(name) }];
    }
  });

  test("are read with one list", async () => {
    server.said[`GET ${maps}`] = [listOf(names)];
    expect(states(await ask())).toEqual(names.map(() => true));
    expect(reads()).toEqual([`GET ${maps}?limit=500`]);
  });

  test.each([
    ["another kind", { kind: "PodList", metadata: {}, items: [] }],
    [
      "another namespace",
      { kind: "ConfigMapList", metadata: {}, items: [{ metadata: { name: "web-1", namespace: "x" } }] },
    ],
  ])("are read one by one if the list is of %s", async (_of, body) => {
    server.said[`GET ${maps}`] = [{ status: 200, body }];
    expect(states(await ask())).toEqual(names.map(() => true));
    expect(reads()).toHaveLength(11);
  });

  test("do not exist if a complete list does not contain them", async () => {
    server.said[`GET ${maps}`] = [listOf(names.slice(1))];
    expect(states(await ask())).toEqual([false, ...names.slice(1).map(() => true)]);
    expect(reads()).toHaveLength(1);
  });

  test("are read one by one if there is no complete list", async () => {
    const lists: readonly Said[] = [
      status(403, { reason: "Forbidden", message: "you may not list configmaps" }),
      listOf(names.slice(1), { remainingItemCount: 1 }),
      listOf(names.slice(1), { continue: "more", remainingItemCount: 4000 }),
      { status: 200, body: { kind: "ConfigMapList", metadata: {}, items: [{}, "x"] } },
      { status: 200, body: "{" },
      { status: 0, body: "" },
    ];
    for (const list of lists) {
      server.seen.length = 0;
      server.said[`GET ${maps}`] = [list];
      expect(states(await ask())).toEqual(names.map(() => true));
      expect(reads().slice(1).toSorted()).toEqual(names.map((name) => `GET ${maps}/${name}`));
    }
  });

  test("are read one by one if they are few, or if the requests come one after the other", async () => {
    server.said[`GET ${maps}/web-0`] = [missing("web-0"), { status: 200, body: found("web-0") }];
    const request = { kubeconfig: server.kubeconfig, fieldManager: "shop", force: false };
    const read = () => server.read(kubeApplied({ ...request, object: named("web-0") as typeof config }));
    expect(states([await read(), await read()])).toEqual([false, true]);
  });
});
