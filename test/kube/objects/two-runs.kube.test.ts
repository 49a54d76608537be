import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubernetesDriver } from "../../../src/drivers/kubernetes.ts";
import {
  kubeApplied,
  kubeApply,
  type KubeObjectData,
  type KubeObjectState,
} from "../../../src/facts/controller/kube-object.ts";
import { config, Tasks } from "../on-server.ts";
import { ApiServer } from "../server/api-server.ts";

let server: ApiServer;
const tasks = new Tasks(() => server);
const folder = mkdtempSync(join(tmpdir(), "furrow-two-runs-"));

beforeAll(async () => {
  server = await ApiServer.up();
  server.kubectl(["create", "namespace", "shop"]);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server?.down();
});

describe("two runs at the same time", () => {
  test("of one playbook both succeed, and leave nothing to do", async () => {
    const all = Array.from({ length: 30 }, (_, at) => config(`both-${at}`, { a: "1" }));
    const path = join(folder, "both.yaml");
    writeFileSync(path, all.map((one) => JSON.stringify(one)).join("\n---\n"));
    const task = () => tasks.manifest({ path });
    const ends = await Promise.all([tasks.host.apply(task()), tasks.host.apply(task()), tasks.host.apply(task())]);
    for (const [end] of ends) expect([end?.error?.message, end?.outcome]).toEqual([undefined, expect.anything()]);
    expect((await tasks.host.apply(task()))[0]?.outcome).toBe("ok");
  });

  test("of two playbooks that want different values: one is refused, and the object has the other's values", async () => {
    const task = (fieldManager: string) => tasks.object(config("raced", { a: fieldManager }), { fieldManager });
    const ends = (await Promise.all([tasks.host.apply(task("one")), tasks.host.apply(task("two"))])).flat();
    expect(ends.map(({ outcome }) => outcome).toSorted()).toEqual(["changed", "failed"]);
    const winner = ends[0]?.outcome === "changed" ? "one" : "two";
    expect(tasks.get("configmap", "raced", "{.data.a}")).toBe(winner);
  });

  describe("of one playbook with different values", () => {
    const signal = new AbortController().signal;
    const raced = (name: string, a: string) => ({
      kubeconfig: server.kubeconfig(),
      fieldManager: "furrow-shop",
      force: true,
      object: config(name, { a }) as KubeObjectData,
    });
    const read = (name: string, a: string): Promise<KubeObjectState> =>
      kubernetesDriver.read(kubeApplied(raced(name, a)).request, signal) as Promise<KubeObjectState>;
    const apply = async (name: string, a: string, now: KubeObjectState): Promise<unknown> =>
      kubernetesDriver.call?.(kubeApply(raced(name, a), now).request, signal);

    test("both change an object: the second is refused, even by force", async () => {
      await tasks.host.apply(tasks.object(config("contended", { a: "0" })));
      const [one, two, three] = [
        await read("contended", "1"),
        await read("contended", "2"),
        await read("contended", "1"),
      ];
      await apply("contended", "1", one);
      await expect(apply("contended", "2", two)).rejects.toMatchObject({ code: "E_REFUSED" });
      expect(tasks.get("configmap", "contended", "{.data.a}")).toBe("1");
      await apply("contended", "1", three);
    });

    test("both create an object: the second says whose values it replaced", async () => {
      const [one, same, other] = [await read("created", "1"), await read("created", "1"), await read("created", "2")];
      await apply("created", "1", one);
      await apply("created", "1", same);
      await expect(apply("created", "2", other)).rejects.toMatchObject({ code: "E_REFUSED" });
    });

    test("one changes an object that someone labels meanwhile: it is changed, and keeps the label", async () => {
      await tasks.host.apply(tasks.object(config("labelled", { a: "0" })));
      const now = await read("labelled", "1");
      server.kubectl(["label", "configmap", "labelled", "--namespace=shop", "colour=red"]);
      await apply("labelled", "1", now);
      expect(tasks.get("configmap", "labelled", "{.data.a} {.metadata.labels.colour}")).toBe("1 red");
    });

    test("one changes an object that controllers change all the time: it is changed within seconds", async () => {
      await tasks.host.apply(tasks.object(config("busy", { a: "0" })));
      const busy = new AbortController();
      const patch = async (): Promise<void> => {
        for (let count = 0; !busy.signal.aborted; count += 1) {
          const body = { metadata: { annotations: { count: `${count}` } } };
          const path = "/api/v1/namespaces/shop/configmaps/busy";
          await kubernetesDriver.call?.({ kubeconfig: server.kubeconfig(), path, method: "PATCH", body }, signal);
        }
      };
      const controllers = Promise.all([patch(), patch(), patch(), patch()]);
      try {
        for (const a of ["1", "2", "3"]) await apply("busy", a, await read("busy", a));
      } finally {
        busy.abort();
        await controllers;
      }
      expect(tasks.get("configmap", "busy", "{.data.a}")).toBe("3");
    });

    test("one deletes an object whose managers are lost: it is refused without force", async () => {
      await tasks.host.apply(tasks.object(config("lost", { a: "0" })));
      const patch = JSON.stringify({ metadata: { managedFields: [{}] } });
      server.kubectl(["patch", "configmap", "lost", "--namespace=shop", "--type=merge", `--patch=${patch}`]);
      const task = tasks.object(config("lost", { a: "0" }), { state: "absent" });
      for (const verb of ["check", "apply"] as const) {
        expect((await tasks.host[verb](task))[0]).toMatchObject({ outcome: "failed", error: { code: "E_REFUSED" } });
      }
      expect(tasks.get("configmap", "lost", "{.data.a}")).toBe("0");
    });

    test("one changes an object that someone deletes meanwhile: the run says so", async () => {
      await tasks.host.apply(tasks.object(config("deleted", { a: "0" })));
      const now = await read("deleted", "1");
      server.kubectl(["delete", "configmap", "deleted", "--namespace=shop"]);
      await expect(apply("deleted", "1", now)).rejects.toMatchObject({ code: "E_REFUSED" });
    });
  });
});
