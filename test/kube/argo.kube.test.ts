import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { registrationSchema } from "../../roles/argo-cluster/registration.ts";
import { argoRegistration } from "../../roles/argo-cluster/role.ts";
import { type TaskEnd, taskHost } from "../tasks/on-host.ts";
import { apply, read } from "./actors.ts";
import { ApiServer } from "./server/api-server.ts";

let server: ApiServer;
const host = taskHost();

/** Argo CD's cluster is the same server, but its user may only write Secrets in argocd: a mix-up of the two fails. */
beforeAll(async () => {
  server = await ApiServer.up();
  const authority = server.kubectl(["config", "view", "--raw", "--output=jsonpath={.clusters[0].cluster.certificate-authority-data}"]);
  const namespace = "argocd";
  const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "argo", namespace } };
  apply(
    server,
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "kube-root-ca.crt", namespace: "kube-system" },
      data: { "ca.crt": Buffer.from(authority, "base64").toString("utf8") },
    },
    { ...rbac, kind: "Role", rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["*"] }] },
    {
      ...rbac,
      kind: "RoleBinding",
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "argo" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "guest" }],
    },
  );
});
afterAll(() => server?.down());

const outcomes = (ends: readonly TaskEnd[]): string[] =>
  ends.map(({ title, outcome, error }) => [title, outcome, error?.message].filter(Boolean).join(": "));
const changedIn = (ends: readonly TaskEnd[]): string[] => outcomes(ends).filter((one) => !one.endsWith(": ok"));

describe("a cluster in Argo CD", () => {
  const registration = (vars: object = {}) =>
    argoRegistration(
      registrationSchema.parse({
        kubeconfig: server.kubeconfig(),
        argoKubeconfig: server.kubeconfig("guest"),
        name: "harvester",
        server: server.url,
        labels: { tier: "lab" },
        ...vars,
      }),
    );
  interface Secret {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> };
    readonly data: Readonly<Record<string, string>>;
  }
  const secretIn = (): Secret => read(server, "secret", "harvester", "--namespace=argocd") as Secret;
  const plain = (text = ""): string => Buffer.from(text, "base64").toString("utf8");
  const tokenIn = (): string => (JSON.parse(plain(secretIn().data["config"])) as { bearerToken: string }).bearerToken;

  test("is registered: check mode says what the run does, and a second run changes nothing", async () => {
    const checked = await host.check(registration());
    const applied = await host.apply(registration());
    expect(outcomes(applied)).toEqual([
      `the certificate of the cluster's API is for ${server.url}: ok`,
      "kubeObject ServiceAccount kube-system/argocd-manager: changed",
      "kubeObject ClusterRoleBinding furrow:argocd-manager:cluster-admin: changed",
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
    expect(again.at(-1)?.notes[0]).toMatch(/^Argo CD's token for harvester ends at .*; a run in the time before/);
    expect(tokenIn()).toBe(token);
  });

  test("can do with its token what the role says", () => {
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

  test("gets another token before the old one ends, and if the cluster does not accept the old one", async () => {
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

  test("is refused with nothing changed if the certificate of the API is not for the URL", async () => {
    const { port } = new URL(server.url);
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](registration({ server: `https://localhost:${port}` }));
      expect(ends.map(({ error }) => error?.message).join()).toContain("it is not for localhost; its certificate is for");
      expect(ends).toHaveLength(1);
    }
  });

  test("of another owner is left alone", async () => {
    const before = tokenIn();
    const data = { name: Buffer.from("harvester").toString("base64"), server: "", config: "" };
    const labels = { "argocd.argoproj.io/secret-type": "cluster" };
    apply(server, { apiVersion: "v1", kind: "Secret", metadata: { name: "by-hand", namespace: "argocd", labels }, data });
    for (const mode of ["check", "apply"] as const) {
      expect(changedIn(await host[mode](registration())).join()).toContain("already has harvester");
      const ends = await host[mode](registration({ name: "by-hand", server: "https://127.0.0.1:1/" }));
      expect(ends.at(-1)?.outcome).toBe("failed");
    }
    expect(tokenIn()).toBe(before);
    server.kubectl(["delete", "secret", "by-hand", "--namespace=argocd"]);
  });

  test("cannot be registered by a user who may not read the Secrets, and check mode says so", async () => {
    const kubeconfig = server.kubeconfig("guest");
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](registration({ argoKubeconfig: kubeconfig, argoNamespace: "default" }));
      expect(ends.at(-1)?.error?.message).toContain("Argo CD's cluster does not answer as expected (HTTP 403");
    }
  });
});
