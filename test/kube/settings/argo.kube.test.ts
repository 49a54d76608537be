import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appsSchema } from "../../../roles/argo-apps/apps.ts";
import { argoApps } from "../../../roles/argo-apps/role.ts";
import { taskHost } from "../../tasks/on-host.ts";
import { apply, play, read } from "../actors.ts";
import { applicationController, applicationSetController } from "./argo-actors.ts";
import { argoKinds } from "./argo-kinds.ts";
import { argoServer, changedIn, outcomes, registrationOf, setByHand } from "./argo-server.ts";
import type { ApiServer } from "../server/api-server.ts";

let server: ApiServer;
const host = taskHost();

beforeAll(async () => {
  server = await argoServer();
});
afterAll(() => server?.down());

const registration = (vars: object = {}) => registrationOf(server, vars);

describe("a cluster in Argo CD", () => {
  interface Secret {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> };
    readonly data: Readonly<Record<string, string>>;
  }
  const secretIn = (): Secret => read(server, "secret", "harvester", "--namespace=argocd") as Secret;
  const plain = (text = ""): string => Buffer.from(text, "base64").toString("utf8");
  const tokenIn = (): string => (JSON.parse(plain(secretIn().data["config"])) as { bearerToken: string }).bearerToken;

  test("is registered: check mode says what the run will do, and a second run changes nothing", async () => {
    const checked = await host.check(registration());
    const applied = await host.apply(registration());
    expect(outcomes(applied)).toEqual([
      `the certificate of the cluster's API is for ${server.url}: ok`,
      "kube-system/argocd-manager has no permissions beyond cluster-admin: ok",
      "kubeObject ServiceAccount kube-system/argocd-manager: changed",
      "kubeObject ClusterRoleBinding furrow:kube-system:argocd-manager:cluster-admin: changed",
      "harvester is registered with Argo CD in argocd: changed",
    ]);
    expect(outcomes(checked)).toEqual(outcomes(applied));
    const { metadata, data } = secretIn();
    expect(metadata.labels).toEqual({ tier: "lab", "argocd.argoproj.io/secret-type": "cluster" });
    expect([plain(data["name"]), plain(data["server"])]).toEqual(["harvester", server.url]);
    const token = tokenIn();
    expect(JSON.stringify([checked, applied])).not.toContain(token.split(".")[2]);
    const again = await host.apply(registration());
    expect(changedIn(again)).toEqual([]);
    expect(again.at(-1)?.notes[0]).toMatch(
      /^Argo CD's token for harvester expires at .*; a run within [\d.]+ h before then/,
    );
    expect(tokenIn()).toBe(token);
  });

  test("has a token with the rights of its role", () => {
    const config = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "here",
      contexts: [{ name: "here", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: server.url, "insecure-skip-tls-verify": true } }],
      users: [{ name: "u", user: { token: tokenIn() } }],
    };
    const file = join(server.folder, "argo.kubeconfig");
    writeFileSync(file, JSON.stringify(config));
    expect(server.kubectl([`--kubeconfig=${file}`, "auth", "can-i", "create", "deployments"])).toContain("yes");
  });

  test("gets a new token before the old one expires, and whenever the cluster does not accept the old one", async () => {
    const first = tokenIn();
    const sooner = { tokenHours: 2000, renewBeforeHours: 1900 };
    expect(changedIn(await host.apply(registration(sooner)))).toEqual([
      "harvester is registered with Argo CD in argocd: changed",
    ]);
    const second = tokenIn();
    expect(second).not.toBe(first);
    server.kubectl(["delete", "serviceaccount", "argocd-manager", "--namespace=kube-system"]);
    const ends = await host.apply(registration(sooner));
    expect(changedIn(ends)).toEqual([
      "kubeObject ServiceAccount kube-system/argocd-manager: changed",
      "harvester is registered with Argo CD in argocd: changed",
    ]);
    expect(changedIn(await host.apply(registration(sooner)))).toEqual([]);
  });

  test("is refused, and nothing changes, if the certificate of the API is not for the URL", async () => {
    const { port } = new URL(server.url);
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](registration({ server: `https://localhost:${port}` }));
      expect(ends.map(({ error }) => error?.message).join()).toContain(
        "the certificate is not valid for localhost; its certificate is for",
      );
      expect(ends).toHaveLength(1);
    }
  });

  test("that another owner registered is left alone, unless it is adopted", async () => {
    const labels = { "argocd.argoproj.io/secret-type": "cluster" };
    const data = { name: Buffer.from("harvester").toString("base64"), server: "", config: "" };
    const secret = (name: string, namespace: string): object => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace, labels },
      data,
    });
    apply(
      server,
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "argo-2" } },
      secret("by-hand", "argocd"),
      secret("harvester", "argo-2"),
    );
    const before = tokenIn();
    const other = { argoKubeconfig: server.kubeconfig(), argoNamespace: "argo-2" };
    for (const mode of ["check", "apply"] as const) {
      expect(changedIn(await host[mode](registration())).join()).toContain("in by-hand, and would mix up the two");
      expect(changedIn(await host[mode](registration(other))).join()).toContain(
        "the Secret harvester in argo-2 was not created by furrow",
      );
    }
    expect(tokenIn()).toBe(before);
    const adopted = await host.apply(registration({ ...other, adopt: true }));
    expect(changedIn(adopted)).toEqual(["harvester is registered with Argo CD in argo-2: changed"]);
    expect(changedIn(await host.apply(registration(other)))).toEqual([]);
    server.kubectl(["delete", "secret", "by-hand", "--namespace=argocd"]);
  });

  test("has fewer rights once the role is lowered; a lower role is refused until the old binding is deleted", async () => {
    const lower = { account: { clusterRole: "view" } };
    const old = "furrow:kube-system:argocd-manager:cluster-admin";
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](registration(lower));
      expect(ends.at(-1)?.error?.message).toContain(`cluster-admin through the ClusterRoleBinding ${old}`);
      expect(ends).toHaveLength(2);
    }
    server.kubectl(["delete", "clusterrolebinding", old]);
    expect(changedIn(await host.apply(registration(lower)))).toEqual([
      "kubeObject ClusterRoleBinding furrow:kube-system:argocd-manager:view: changed",
    ]);
  });

  test("cannot be registered by a user who may not read the Secrets, and check mode says so", async () => {
    const kubeconfig = server.kubeconfig("guest");
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](registration({ argoKubeconfig: kubeconfig, argoNamespace: "default" }));
      expect(ends.at(-1)?.error?.message).toContain("Argo CD's cluster does not answer as expected (HTTP 403");
    }
  });
});

describe("applications", () => {
  const stop = new AbortController();
  let controllers: Promise<void>;
  beforeAll(() => {
    apply(server, ...argoKinds);
    server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
    controllers = play(server, stop.signal, applicationSetController, applicationController);
  });
  afterAll(async () => {
    stop.abort();
    await controllers;
  });

  const source = { repo: "https://git.example.org/lab.git", path: "apps", revision: "main" };
  const policy = { project: "lab", source, namespace: "monitoring" };
  const apps = (vars: object = {}) =>
    argoApps(
      appsSchema.parse({
        kubeconfig: server.kubeconfig(),
        projects: { lab: { repos: ["*"], destinations: [{ cluster: "*", namespace: "*" }] } },
        applicationSets: { monitoring: { ...policy, clusterLabels: { tier: "lab" } } },
        applications: { guestbook: { ...policy, cluster: "harvester", createNamespace: true } },
        deadlineSeconds: 90,
        ...vars,
      }),
    );

  test("are created, and waited for until they are synced and healthy; a second run changes nothing", async () => {
    const checked = await host.check(apps());
    const applied = await host.apply(apps());
    expect(outcomes(applied)).toEqual([
      "nobody else manages the objects of Argo CD: ok",
      "the applications' clusters are registered with Argo CD: ok",
      "kubeObject AppProject argocd/lab: changed",
      "kubeObject ApplicationSet argocd/monitoring: changed",
      "kubeObject Application argocd/guestbook: changed",
      "the applications are synced and healthy: ok",
    ]);
    expect(outcomes(checked).slice(0, 5)).toEqual(outcomes(applied).slice(0, 5));
    expect(applied.at(-1)?.notes).toEqual(["applications: guestbook, monitoring-harvester"]);
    expect(changedIn(await host.apply(apps()))).toEqual([]);
    const made = read(server, "application", "monitoring-harvester", "--namespace=argocd") as { spec: object };
    expect(made.spec).toMatchObject({ destination: { name: "harvester", namespace: "monitoring" } });
  });

  test("for a misspelled cluster are refused, and nothing changes", async () => {
    for (const mode of ["check", "apply"] as const) {
      const misspelled = { guestbook: { ...policy, cluster: "harvestr" } };
      const ends = await host[mode](apps({ applications: misspelled }));
      expect(ends.at(-1)?.error?.message).toContain("not registered with Argo CD: harvestr (application guestbook)");
      expect(JSON.stringify(ends.at(-1)?.error?.failure)).toContain("registered: in-cluster, harvester");
      expect(ends).toHaveLength(2);
    }
  });

  test("that cannot be compared fail with Argo CD's own reason, and converge when its cause is fixed", async () => {
    const broken = { guestbook: { ...policy, source: { ...source, revision: "broken" }, cluster: "harvester" } };
    const ends = await host.apply(apps({ applications: broken, deadlineSeconds: 25 }));
    expect(JSON.stringify(ends.at(-1)?.error?.failure)).toContain(
      "ComparisonError: failed to list refs: repository not found",
    );
    expect(changedIn(await host.apply(apps()))).toEqual(["kubeObject Application argocd/guestbook: changed"]);
  });

  test("that belong to other owners are refused, and nothing changes", async () => {
    for (const mode of ["check", "apply"] as const) {
      const generated = { "monitoring-harvester": { ...policy, cluster: "harvester" } };
      const ends = await host[mode](apps({ applications: generated, adopt: true }));
      expect(ends[0]?.error?.message).toContain("monitoring-harvester belongs to ApplicationSet monitoring");
      expect(ends).toHaveLength(1);
    }
  });

  const named = (kind: string, name: string): string =>
    server.kubectl(["get", kind, name, "--namespace=argocd", "--ignore-not-found", "--output=name"]).trim();

  test("of a set whose clusterLabels change, or that is adopted, are not deleted along with everything that they deployed", async () => {
    apply(server, ...setByHand(source.repo));
    await expect.poll(() => named("application", "byhand-harvester"), { timeout: 60_000 }).not.toBe("");
    const others = { monitoring: { ...policy, clusterLabels: { tier: "labs" } } };
    const adopted = { byhand: { ...policy, clusterLabels: { tier: "lab" } } };
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](apps({ applicationSets: others }));
      expect(ends[0]?.error?.message).toContain("may then delete monitoring-harvester with everything");
      expect(ends).toHaveLength(1);
      const taken = await host[mode](apps({ applicationSets: adopted, adopt: true }));
      expect(taken[0]?.error?.message).toContain("may then delete byhand-harvester with everything");
      expect(taken).toHaveLength(1);
    }
    const ends = await host.apply(apps({ applicationSets: others, acceptLoss: ["monitoring-harvester"] }));
    expect(changedIn(ends)).toEqual(["kubeObject ApplicationSet argocd/monitoring: changed"]);
    // If Argo CD was started with its own policy, it deletes the Application, but nothing that the Application has
    // deployed.
    server.kubectl(["delete", "application", "monitoring-harvester", "--namespace=argocd"]);
    for (const name of ["byhand-harvester", "monitoring-harvester"]) expect(named("configmap", name)).not.toBe("");
    expect(named("application", "byhand-harvester")).not.toBe("");
    expect(changedIn(await host.apply(apps()))).toEqual(["kubeObject ApplicationSet argocd/monitoring: changed"]);
    server.kubectl(["delete", "applicationset", "byhand", "--namespace=argocd"]);
  });

  test("of a set are not deleted when a label is removed from the file of gitops/register", async () => {
    const labels = { tier: "lab", place: "cellar" };
    expect(changedIn(await host.apply(registration({ labels }))).at(-1)).toBe(
      "harvester is registered with Argo CD in argocd: changed",
    );
    expect(changedIn(await host.apply(registration({ labels })))).toEqual([]);
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](registration({ labels: { place: "cellar" } }));
      expect(ends.at(-1)?.error?.message).toContain("(the label tier=lab) can make these applications lose");
      expect(ends.at(-1)?.error?.message).toContain("they deployed: monitoring-harvester");
    }
    const acceptLoss = ["monitoring-harvester"];
    const fewer = { labels: { place: "cellar" }, acceptLoss };
    const checked = await host.check(registration(fewer));
    expect(changedIn(checked)).toEqual(["harvester is registered with Argo CD in argocd: changed"]);
    expect(changedIn(await host.apply(registration(fewer)))).toEqual(changedIn(checked));
    const { metadata } = read(server, "secret", "harvester", "--namespace=argocd") as { metadata: { labels: object } };
    expect(metadata.labels).toEqual({ place: "cellar", "argocd.argoproj.io/secret-type": "cluster" });
    expect(changedIn(await host.apply(registration(fewer)))).toEqual([]);
    expect(named("application", "monitoring-harvester")).not.toBe("");
  });
});
