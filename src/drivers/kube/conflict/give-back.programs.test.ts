import { afterAll, beforeAll, expect, test } from "vitest";
import { AnsweringServer, live, path, status } from "../../../../test/kube/server/answering-server.ts";
import { kubeGiveBack, type KubeOwner, kubeOwners } from "../../../facts/controller/kube-owners.ts";

const server = new AnsweringServer();
// Generating the certificates is slow: it starts several processes.
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());

const field = ["data", "a"];
const entry = (manager: string, operation: "Apply" | "Update", ...names: string[]): object => ({
  manager,
  operation,
  apiVersion: "v1",
  time: "2026-11-30T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": Object.fromEntries(names.map((name) => [`f:${name}`, {}])) },
});
const shop: KubeOwner = { manager: "shop", operation: "Apply", apiVersion: "v1" };
const objectWith = (...managedFields: object[]) =>
  live({ a: "1", b: "2" }, {}, { resourceVersion: "7", managedFields });

/** The entries that are sent for an object with these entries; undefined if nothing is sent. */
async function sentFor(entries: readonly object[], owners: readonly KubeOwner[] = [shop]): Promise<unknown> {
  server.reset();
  server.said[`GET ${path}`] = [{ status: 200, body: objectWith(...entries) }];
  const outdated = status(409, { reason: "Conflict", message: "the object has been modified" });
  server.said[`PATCH ${path}`] = [outdated, { status: 200, body: {} }];
  await server.call(kubeGiveBack(server.kubeconfig, path, "give back", field, owners));
  const patches = server.seen.filter((one) => one.startsWith("PATCH "));
  // The first patch always fails, as if somebody had changed the object at the same moment.
  expect([0, 2]).toContain(patches.length);
  const [last] = patches.slice(-1);
  if (last === undefined) return undefined;
  const { metadata } = JSON.parse(last.slice(last.indexOf("{"))) as { metadata: Readonly<Record<string, unknown>> };
  expect(metadata["resourceVersion"]).toBe("7");
  return metadata["managedFields"];
}

test("a field that furrow has restored goes back to its owner's entry, and other entries stay as they are", async () => {
  const other = { ...entry("kubectl", "Update", "c"), subresource: "status" };
  expect(await sentFor([entry("shop", "Apply", "b"), entry("furrow", "Update", "a", "d"), other])).toEqual([
    entry("shop", "Apply", "b", "a"),
    entry("furrow", "Update", "d"),
    other,
  ]);
});

test("an owner without an entry gets one, and furrow's entry is removed if it has no other field", async () => {
  const { time: _, ...made } = entry("shop", "Apply", "a") as { time: string };
  expect(await sentFor([entry("furrow", "Update", "a")])).toEqual([made]);
});

test("a field that somebody else has taken stays theirs", async () => {
  expect(await sentFor([entry("shop", "Apply", "b"), entry("kubectl", "Update", "a")])).toBeUndefined();
  expect(await sentFor([entry("furrow", "Apply", "a")])).toBeUndefined();
  const status = { ...entry("furrow", "Update", "a"), subresource: "status" };
  expect(await sentFor([status])).toBeUndefined();
});

test("furrow keeps a field that was its own before", async () => {
  const own: KubeOwner = { manager: "furrow", operation: "Update", apiVersion: "v1" };
  expect(await sentFor([entry("furrow", "Update", "a")], [own])).toBeUndefined();
});

test("the owners of a field are those of the object itself, not of its status", () => {
  const status = { ...entry("virt-controller", "Update", "a"), subresource: "status" };
  const object = objectWith(entry("shop", "Apply", "a"), entry("alice", "Update", "b"), status);
  expect(kubeOwners(object, field)).toEqual([shop]);
  expect(kubeOwners({}, field)).toEqual([]);
});
