import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { secretOf } from "../../../src/core/secrets/secret.ts";
import * as t from "../../../tasks/index.ts";
import { taskHost } from "../../tasks/on-host.ts";
import { ApiServer } from "../server/api-server.ts";
import { KubeletStandIn } from "../server/kubelet-stand-in.ts";

let server: ApiServer;
// Neither a kubelet nor a container runtime runs here: the server forwards commands to a stand-in, which runs them as
// processes on this machine.
const kubelet = new KubeletStandIn();
const host = taskHost();

beforeAll(async () => {
  server = await ApiServer.up({ onlyBuiltIn: true });
  const file = (name: string): Buffer => readFileSync(join(server.folder, name));
  const port = await kubelet.up({ key: file("server.key"), cert: file("server.crt"), ca: file("ca.crt") });
  create(
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
    {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n1" },
      status: {
        addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
      },
    },
    role("reader", [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }]),
    role("runner", [{ apiGroups: [""], resources: ["pods/exec"], verbs: ["get", "create"] }]),
    binding("reader"),
  );
});
afterAll(async () => {
  kubelet.down();
  await server.down();
});

function create(...items: readonly object[]): void {
  server.kubectl(["create", "--filename=-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
}

const rbac = { apiVersion: "rbac.authorization.k8s.io/v1" };
const role = (name: string, rules: readonly object[]): object => ({
  ...rbac,
  kind: "Role",
  metadata: { name, namespace: "shop" },
  rules,
});
const binding = (name: string): object => ({
  ...rbac,
  kind: "RoleBinding",
  metadata: { name, namespace: "shop" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
  subjects: [{ kind: "User", name: "guest", apiGroup: "rbac.authorization.k8s.io" }],
});

/** Creates a pod on the node and simulates its kubelet: all containers run, or the pod has this status. */
function makePod(name: string, app: string, containers: readonly string[] = ["main"], status?: object): void {
  create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop", labels: { app } },
    spec: { nodeName: "n1", containers: containers.map((own) => ({ name: own, image: "web:1" })) },
  });
  const path = `/api/v1/namespaces/shop/pods/${name}`;
  const running = {
    phase: "Running",
    containerStatuses: containers.map((own) => ({
      name: own,
      image: "web:1",
      imageID: "",
      ready: true,
      restartCount: 0,
      state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
    })),
  };
  const pod = JSON.parse(server.kubectl(["get", "--raw", path])) as object;
  server.kubectl(
    ["replace", "--raw", `${path}/status`, "--filename=-"],
    JSON.stringify({ ...pod, status: status ?? running }),
  );
}

type Params = Parameters<typeof t.kubeExec>[0];

const exec = (params: object, user = "admin") =>
  t.kubeExec({ kubeconfig: server.kubeconfig(user), namespace: "shop", ...params } as Params);

describe("kubeExec", () => {
  test("runs a command only if its guard is not satisfied, and check mode says the same", async () => {
    makePod("db-0", "db");
    const file = join(server.folder, "made");
    const task = exec({ pod: "db-0", command: ["touch", file], unless: ["test", "-e", file], readOnly: true });
    expect(await host.check(task)).toMatchObject([{ outcome: "changed" }]);
    expect(existsSync(file)).toBe(false);
    expect(await host.apply(task)).toMatchObject([{ outcome: "changed" }]);
    expect(existsSync(file)).toBe(true);
    expect(await host.check(task)).toMatchObject([{ outcome: "ok" }]);
    expect(await host.apply(task)).toMatchObject([{ outcome: "ok" }]);
    expect(kubelet.asked.at(-1)?.path).toBe("/exec/shop/db-0/main");
    rmSync(file);
  });

  test("fails if the guard is still not satisfied after the command", async () => {
    const task = exec({ pod: "db-0", command: ["true"], unless: ["false"], readOnly: true });
    const [end] = await host.apply(task);
    expect([end?.outcome, end?.error?.code]).toEqual(["failed", "E_NOT_CONVERGED"]);
  });

  test("passes its output to later tasks, even in check mode if the command only reads", async () => {
    const file = join(server.folder, "copy");
    const reader = exec({ pod: "db-0", command: "echo one; echo two >&2", readOnly: true });
    const write = exec({
      pod: "db-0",
      command: ["tee", file],
      stdin: reader.output.map(({ stdout, results }) => `${stdout}${results.map(({ stderr }) => stderr).join("")}`),
      always: true,
    });
    expect(await host.check(reader, write)).toMatchObject([{ outcome: "ok" }, { outcome: "changed" }]);
    expect(existsSync(file)).toBe(false);
    expect(await host.apply(reader, write)).toMatchObject([{ outcome: "ok" }, { outcome: "changed" }]);
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
  });

  test("sends a secret on stdin, and shows neither that secret nor secret output", async () => {
    const file = join(server.folder, "word");
    const word = secretOf("s3cret-w0rd", "word");
    const task = exec({
      pod: "db-0",
      command: `cat > ${file}; cat ${file}; exit 4`,
      stdin: word,
      always: true,
      secret: true,
    });
    expect(JSON.stringify(await host.check(task))).not.toContain("s3cret-w0rd");
    const ends = await host.apply(task);
    expect(readFileSync(file, "utf8")).toBe("s3cret-w0rd");
    expect(ends).toMatchObject([{ outcome: "failed", error: { failure: { current: "exit code 4" } } }]);
    expect(JSON.stringify(ends)).not.toContain("s3cret-w0rd");
    expect(JSON.stringify(server.requests())).not.toContain("s3cret-w0rd");
  });

  test("with `each`, runs in every pod that has the labels; without `each`, is refused if several pods have them", async () => {
    makePod("web-1", "web");
    makePod("web-2", "web");
    makePod("web-0", "web", ["main"], { phase: "Succeeded" });
    const log = join(server.folder, "log");
    const params = { labels: { app: "web" }, command: ["sh", "-c", `echo >> ${log}`], always: true };
    for (const mode of ["check", "apply"] as const) {
      const [end] = await host[mode](exec(params));
      expect(end).toMatchObject({ outcome: "failed", error: { failure: { current: "web-1, web-2" } } });
    }
    kubelet.asked.length = 0;
    expect(await host.apply(exec({ ...params, each: true }))).toMatchObject([{ outcome: "changed" }]);
    expect(kubelet.asked.map(({ path }) => path)).toEqual(["/exec/shop/web-1/main", "/exec/shop/web-2/main"]);
    expect(readFileSync(log, "utf8")).toBe("\n\n");
  });

  test("is refused, in check mode and in a run, for several containers, a pod that is not running, or no pod", async () => {
    makePod("both", "both", ["main", "sidecar"]);
    const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "no node fits" }];
    makePod("slow", "slow", ["main"], { phase: "Pending", conditions });
    kubelet.asked.length = 0;
    const command = { command: ["true"], always: true };
    for (const mode of ["check", "apply"] as const) {
      for (const [params, current] of [
        [{ pod: "both" }, "main, sidecar"],
        [{ pod: "slow" }, "Pending (Unschedulable: no node fits)"],
        [{ pod: "none" }, undefined],
      ] as const) {
        const [end] = await host[mode](exec({ ...params, ...command }));
        expect([end?.outcome, end?.error?.code, end?.error?.failure.current]).toEqual(["failed", "E_REFUSED", current]);
      }
    }
    expect(kubelet.asked).toEqual([]);
    const [end] = await host.apply(exec({ pod: "both", container: "sidecar", ...command }));
    expect(end?.outcome).toBe("changed");
    expect(kubelet.asked[0]?.path).toBe("/exec/shop/both/sidecar");
  });

  test("is refused in check mode if the user may not run commands, and runs if the user may", async () => {
    const task = exec({ pod: "db-0", command: ["true"], always: true }, "guest");
    for (const mode of ["check", "apply"] as const) {
      const [end] = await host[mode](task);
      expect(end?.error?.message).toContain("is not allowed to run commands in Pod shop/db-0");
    }
    create(binding("runner"));
    await expect.poll(async () => (await host.apply(task))[0]?.outcome).toBe("changed");
  });

  test("is undecided in check mode after a task that changes objects of the cluster", async () => {
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "web", namespace: "shop" },
      data: { a: "1" },
    };
    const change = t.kubeObject({ kubeconfig: server.kubeconfig(), fieldManager: "shop", object });
    makePod("db-1", "db");
    const reader = join(server.folder, "reader");
    const ends = await host.check(
      change,
      exec({ pod: "db-1", command: ["true"], always: true }),
      exec({ pod: "db-1", command: ["true"], unless: ["true"], readOnly: true }),
      exec({ pod: "db-1", command: ["touch", reader], readOnly: true }),
    );
    expect(ends.map(({ outcome }) => outcome)).toEqual(["changed", "undecided", "undecided", "undecided"]);
    expect(existsSync(reader)).toBe(false);
  });
});
