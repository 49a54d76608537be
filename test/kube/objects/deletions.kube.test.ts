import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as t from "../../../tasks/index.ts";
import { customKind, type ObjectData, refusal, Tasks } from "../on-server.ts";
import { ApiServer } from "../server/api-server.ts";

let server: ApiServer;
const tasks = new Tasks(() => server);
const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "camp" } };
const tents = customKind("tents", "Tent", "v1");
const stoves = customKind("stoves", "Stove", "v1beta1");
const custom = (version: string, kind: string): ObjectData => ({
  apiVersion: `camp.example.com/${version}`,
  kind,
  metadata: { name: "blue", namespace: "camp" },
  spec: { size: 3 },
});
const blueTent = custom("v1", "Tent");
const gone = { state: "absent" } as const;

beforeAll(async () => {
  server = await ApiServer.up();
  await tasks.converge(tasks.object(space), tasks.object(tents), tasks.object(stoves));
  await tasks.converge(tasks.object(custom("v1beta1", "Stove")));
});
afterAll(() => server?.down());

describe("a deletion on a real API server", () => {
  test("does not delete a namespace whose only object is of a kind that the group's preferred version lacks", async () => {
    for (const mode of ["check", "apply"] as const) {
      const [end] = await tasks.host[mode](tasks.object(space, gone));
      expect(refusal(end)).toBe("refused: not-empty");
      expect(end?.error?.message).toContain("1 Stove would be deleted with it");
    }
    await tasks.converge(tasks.object(custom("v1beta1", "Stove"), gone));
  });

  test("of a namespace after its only object does not fail in check mode, and succeeds in the run", async () => {
    const other = { ...space, metadata: { name: "tmpdel" } };
    const one = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one", namespace: "tmpdel" }, data: {} };
    await tasks.converge(tasks.object(other));
    await tasks.converge(tasks.object(one));
    const both = [tasks.object(one, gone), tasks.object(other, { ...gone, deadlineSeconds: 2 })];
    expect((await tasks.host.check(...both)).map(({ outcome }) => outcome)).toEqual(["changed", "undecided"]);
    const [first, second] = await tasks.host.apply(...both);
    expect(first?.outcome).toBe("changed");
    // Nothing here removes the finalizer of a namespace, but the server has accepted the deletion.
    expect(second?.error?.message).not.toContain("cannot be deleted alone");
    expect(tasks.get("namespace", "tmpdel", "{.metadata.deletionTimestamp}")).not.toBe("");
  });

  test("does not delete an object with its volume, unless told to", async () => {
    await tasks.converge(tasks.object(blueTent));
    const uid = tasks.get("tents.camp.example.com", "blue", "{.metadata.uid}", "camp");
    const ownerReferences = [{ apiVersion: "camp.example.com/v1", kind: "Tent", name: "blue", uid }];
    await tasks.converge(
      tasks.object({
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "floor", namespace: "camp", ownerReferences },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } },
      }),
    );
    const [end] = await tasks.host.check(tasks.object(blueTent, gone));
    expect(end?.error?.message).toContain("PersistentVolumeClaim camp/floor (2Gi) would be deleted with it");
    await tasks.converge(tasks.object(blueTent, { ...gone, deleteContents: true }));
  });

  test("does not delete a kind that serves no version, because its objects cannot be counted", async () => {
    await tasks.converge(tasks.object(blueTent));
    const patch = { spec: { versions: [{ ...versionOf(tents), served: false }] } };
    const name = "tents.camp.example.com";
    server.kubectl(["patch", "customresourcedefinition", name, "--type=merge", `--patch=${JSON.stringify(patch)}`]);
    const [end] = await tasks.host.check(tasks.object(tents, { ...gone, force: true }));
    expect(refusal(end)).toBe("refused: not-empty");
    expect(end?.error?.message).toContain("an unknown number of Tent");
  });

  test("does not report an object of an unknown kind of Kubernetes as gone", async () => {
    const config = { apiVersion: "v1", kind: "Configmap", metadata: { name: "kube-root-ca.crt", namespace: "camp" } };
    const [end] = await tasks.host.check(tasks.object(config, gone));
    expect(refusal(end)).toBe("refused: no-kind");
  });

  test("of a kind during a run is noticed by a task that knew the kind", async () => {
    const stove = custom("v1beta1", "Stove");
    await tasks.converge(tasks.object(stove));
    const place = { apiVersion: "camp.example.com/v1beta1", kind: "Stove", name: "blue", namespace: "camp" };
    const wait = { ...place, kubeconfig: server.kubeconfig(), deadlineSeconds: 20, ...gone };
    server.kubectl(["delete", "customresourcedefinition", "stoves.camp.example.com"]);
    expect((await tasks.host.apply(t.kubeWait(wait)))[0]?.outcome).toBe("ok");
    expect((await tasks.host.apply(tasks.object(stove, gone)))[0]?.outcome).toBe("ok");
  });
});

function versionOf({ spec }: ObjectData): object {
  return (spec as { readonly versions: readonly [object] }).versions[0];
}
