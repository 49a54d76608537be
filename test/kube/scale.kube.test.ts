import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as t from "../../tasks/index.ts";
import { differences, refusal, Tasks } from "./on-server.ts";
import { ApiServer } from "./server/api-server.ts";

let server: ApiServer;
const tasks = new Tasks(() => server);

beforeAll(async () => {
  server = await ApiServer.up();
  server.kubectl(["create", "namespace", "shop"]);
  server.kubectl(["create", "deployment", "web", "--image=web:1", "--namespace=shop"]);
});
afterAll(() => server?.down());

type Params = Parameters<typeof t.kubeScale>[0];

const web = (more: Partial<Params> = {}) =>
  t.kubeScale({
    apiVersion: "apps/v1",
    kind: "Deployment",
    name: "web",
    namespace: "shop",
    kubeconfig: server.kubeconfig(),
    replicas: 3,
    wait: false,
    ...more,
  });

const replicas = (): string => tasks.get("deployment", "web", "{.spec.replicas}");

const place = "/apis/apps/v1/namespaces/shop/deployments/web";

interface Deployment {
  readonly metadata: { readonly generation: number };
  readonly spec: { readonly replicas: number };
  readonly status: { readonly observedGeneration?: number };
}

/** Simulates the deployment controller: reports that all requested replicas exist, and how many of them are ready. */
function follow(ready: (replicas: number) => number = (all) => all): void {
  const object = JSON.parse(server.kubectl(["get", "--raw", place])) as Deployment;
  const { replicas: all } = object.spec;
  const counts = { replicas: all, readyReplicas: ready(all), availableReplicas: ready(all) };
  const status = { observedGeneration: object.metadata.generation, ...counts };
  server.kubectl(["replace", "--raw", `${place}/status`, "--filename=-"], JSON.stringify({ ...object, status }));
}

/** Acts on each change in two steps, until the end of the test. */
async function controller(until: AbortSignal): Promise<void> {
  let half = false;
  while (!until.aborted) {
    const { metadata, status } = JSON.parse(server.kubectl(["get", "--raw", place])) as Deployment;
    const isNew = status.observedGeneration !== metadata.generation;
    try {
      if (isNew) follow((all) => Math.floor(all / 2));
      else if (half) follow();
      half = isNew;
    } catch (error) {
      // Someone else changed the object at the same time.
      if (!String(error).includes("Conflict")) throw error;
    }
    await pause(200);
  }
}

describe("kubeScale and a real API server", () => {
  test("sets the number as check mode predicted, and a second run changes nothing", async () => {
    const [checked] = await tasks.host.check(web());
    const [end] = await tasks.converge(web());
    expect(end?.outcome).toBe("changed");
    expect(differences(end)).toEqual(["replicas: 1 → 3"]);
    expect(differences(checked)).toEqual(differences(end));
    expect(replicas()).toBe("3");
  });

  test("changes nothing in check mode", async () => {
    const [end] = await tasks.host.check(web({ replicas: 7 }));
    expect(end?.outcome).toBe("changed");
    expect(replicas()).toBe("3");
  });

  test("waits until the controller has acted on the change", async () => {
    const over = new AbortController();
    const followed = controller(over.signal);
    const [end] = await tasks
      .converge(web({ replicas: 4, wait: true, deadlineSeconds: 120 }))
      .finally(() => over.abort());
    await followed;
    expect(end?.outcome).toBe("changed");
    expect(tasks.get("deployment", "web", "{.status.readyReplicas}")).toBe("4");
  }, 240_000);

  test("reports its progress at the deadline, and continues to wait in the next run", async () => {
    const five = web({ replicas: 5, wait: true, deadlineSeconds: 1 });
    const [end] = await tasks.host.apply(five);
    expect([end?.outcome, end?.error?.code]).toEqual(["failed", "E_WAIT"]);
    expect(end?.error?.failure.current).toMatch(
      /^its controller has not seen the change yet; 4 of 5 replicas exist, 4 ready/,
    );
    expect((await tasks.host.check(five))[0]?.outcome).toBe("changed");
    follow();
    expect((await tasks.host.apply(five))[0]?.outcome).toBe("ok");
  });

  test("scales to 0 only if currentReplicas is the current number, and scales back up without that param", async () => {
    const down = { replicas: 0, currentReplicas: 4 };
    for (const mode of ["check", "apply"] as const) {
      expect(refusal((await tasks.host[mode](web(down)))[0])).toBe("refused: other-number");
    }
    await tasks.converge(web({ ...down, currentReplicas: 5 }));
    expect(replicas()).toBe("0");
    await tasks.converge(web({ replicas: 5 }));
  });

  test("does not fight an autoscaler, which is inactive at 0 replicas", async () => {
    const autoscaler = {
      apiVersion: "autoscaling/v1",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "web", namespace: "shop" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        minReplicas: 2,
        maxReplicas: 9,
      },
    };
    server.kubectl(["create", "--filename=-"], JSON.stringify(autoscaler));
    for (const mode of ["check", "apply"] as const) {
      const [end] = await tasks.host[mode](web({ replicas: 5 }));
      expect(refusal(end)).toBe("refused: autoscaled");
      expect(end?.error?.message).toContain("the HorizontalPodAutoscaler web controls the number");
    }
    await tasks.converge(web({ replicas: 6, allowAutoscaler: true }));
    const [end] = await tasks.converge(web({ replicas: 0 }));
    expect(end?.notes).toContain("the autoscaler web is inactive while there are 0 replicas");
    server.kubectl(["delete", "horizontalpodautoscaler", "web", "--namespace=shop"]);
  });

  test("reports missing permissions to read or change, and does not mistake them for anything else", async () => {
    const guest = { kubeconfig: server.kubeconfig("guest") };
    const [blind] = await tasks.host.check(web(guest));
    expect(blind?.error?.failure.current).toMatch(/^HTTP 403: deployments.apps "web" is forbidden/);
    const resources = "--resource=deployments,deployments/scale";
    server.kubectl(["create", "role", "reader", "--namespace=shop", "--verb=get", resources]);
    server.kubectl(["create", "rolebinding", "reader", "--namespace=shop", "--role=reader", "--user=guest"]);
    for (const mode of ["check", "apply"] as const) {
      const number = { ...guest, replicas: 8 };
      expect(refusal((await tasks.host[mode](web(number)))[0])).toBe("refused: autoscalers-unseen");
      const [end] = await tasks.host[mode](web({ ...number, allowAutoscaler: true }));
      expect(refusal(end)).toBe("refused: forbidden");
    }
    expect(replicas()).toBe("0");
  });

  test("refuses an object that does not exist or cannot be scaled, and suggests what the cluster has", async () => {
    const ends = await Promise.all([
      tasks.host.check(web({ name: "wob" })),
      tasks.host.check(web({ apiVersion: "apps/v1beta9" })),
      tasks.host.check(web({ apiVersion: "v1", kind: "ConfigMap", name: "web" })),
    ]);
    expect(ends.map(([end]) => refusal(end))).toEqual(["refused: no-object", "refused: no-kind", "refused: no-scale"]);
    expect(ends[0]?.[0]?.error?.message).toContain("the namespace shop has web");
    expect(ends[1]?.[0]?.error?.message).toContain("it serves the kind in apps/v1");
  });

  test("costs three requests if the number is already right", async () => {
    await tasks.converge(web({ replicas: 2 }));
    const before = server.requests().length;
    expect((await tasks.host.apply(web({ replicas: 2 })))[0]?.outcome).toBe("ok");
    const requests = server.requests().slice(before);
    expect(new Set(requests.map((one) => one.split("?")[0]))).toEqual(
      new Set([
        "get /apis/apps/v1/namespaces/shop/deployments/web",
        "get /apis/apps/v1/namespaces/shop/deployments/web/scale",
        "list /apis/autoscaling/v1/namespaces/shop/horizontalpodautoscalers",
      ]),
    );
    expect(requests).toHaveLength(3);
  });
});

describe("a custom kind", () => {
  const size = { type: "object", properties: { size: { type: "integer", maximum: 9 }, place: { type: "string" } } };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "camps.camp.example.com" },
    spec: {
      group: "camp.example.com",
      scope: "Namespaced",
      names: { plural: "camps", singular: "camp", kind: "Camp", listKind: "CampList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
          schema: { openAPIV3Schema: { type: "object", properties: { spec: size, status: size } } },
        },
      ],
    },
  };
  const own = { metadata: { name: "hill", namespace: "shop" }, spec: { place: "west" } };
  const camp = { apiVersion: "camp.example.com/v1", kind: "Camp", ...own };
  const hill = (number: number) => web({ apiVersion: camp.apiVersion, kind: "Camp", name: "hill", replicas: number });

  test("is undecided in check mode if an earlier task creates the object, and refused otherwise", async () => {
    expect(refusal((await tasks.host.check(hill(2)))[0])).toBe("refused: no-kind");
    const ends = await tasks.host.check(tasks.object(definition), tasks.object(camp), hill(2));
    expect(ends.map(({ outcome, dependsOn }) => [outcome, dependsOn])).toEqual([
      ["changed", undefined],
      ["changed", undefined],
      ["undecided", "kubeObject Camp shop/hill"],
    ]);
  });

  test("is scaled even if it has no number yet, and only to a number that its schema allows", async () => {
    await tasks.converge(tasks.object(definition), tasks.object(camp));
    const [end] = await tasks.converge(hill(2));
    expect(differences(end)).toEqual(["replicas: absent → 2"]);
    expect(tasks.get("camp", "hill", "{.spec.size}")).toBe("2");
    for (const mode of ["check", "apply"] as const) {
      expect(refusal((await tasks.host[mode](hill(10)))[0])).toBe("refused: invalid-object");
    }
    expect(tasks.get("camp", "hill", "{.spec.size}")).toBe("2");
  });
});
