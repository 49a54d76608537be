import { describe, expect, test } from "vitest";
import { explain } from "../../src/testing/index.ts";
import { registeredWithArgo } from "./registered.ts";
import { accountObjects, registrationSchema } from "./registration.ts";
import { serverTrusted } from "./server-trusted.ts";

const vars = { kubeconfig: "k", argoKubeconfig: "a", name: "harvester", server: "https://harvester.example.org:6443" };

test.each([
  ["http", { server: "http://harvester:6443" }, "server: a URL like https://harvester.example.org:6443"],
  ["a path", { server: "https://harvester/k8s/clusters/local" }, "server: a URL like"],
  ["a name that Kubernetes does not allow", { name: "Harvester 1" }, "name: a name of lower-case letters"],
  ["Argo CD's own label", { labels: { "argocd.argoproj.io/secret-type": "x" } }, "labels: labels without"],
  ["a renewal at every run", { tokenHours: 24 }, "renewBeforeHours: fewer hours than tokenHours"],
])("refuses %s", (_what, more, says) => {
  const [issue] = registrationSchema.safeParse({ ...vars, ...more }).error?.issues ?? [];
  expect(`${issue?.path.join(".")}: ${issue?.message}`).toContain(says);
});

test("the account has the role that is given, in a binding of its own", () => {
  expect(accountObjects(registrationSchema.parse({ ...vars, account: { clusterRole: "view" } }))).toMatchObject([
    { kind: "ServiceAccount", metadata: { name: "argocd-manager", namespace: "kube-system" } },
    { kind: "ClusterRoleBinding", metadata: { name: "furrow:argocd-manager:view" }, roleRef: { name: "view" } },
  ]);
});

describe("the server's certificate", () => {
  const authority = {
    found: true,
    object: { kind: "ConfigMap", metadata: { name: "kube-root-ca.crt" }, data: { "ca.crt": "PEM" } },
  };
  const certificate = { subject: "", issuer: "", notBefore: "", notAfter: "", names: ["kubernetes", "192.168.10.10"] };
  const ask = (served: object) =>
    explain(serverTrusted({ kubeconfig: "k", server: vars.server }), { authority, served: [served] }).refusal?.message;

  test("must be for the URL", () => {
    expect(ask({ certificate })).toBeUndefined();
    expect(ask({ certificate, untrusted: "it is not for harvester.example.org" })).toBe(
      "Argo CD would not trust https://harvester.example.org:6443: it is not for harvester.example.org; its certificate " +
        "is for kubernetes, 192.168.10.10",
    );
    expect(ask({ error: { code: "x", message: "connect ECONNREFUSED" } })).toContain("cannot reach https://harvester");
  });
});

describe("the registration", () => {
  const call = (adopt = false) =>
    registeredWithArgo({
      argoKubeconfig: "a",
      argoNamespace: "argocd",
      kubeconfig: "k",
      secret: "harvester",
      name: "harvester",
      server: vars.server,
      labels: { tier: "lab" },
      account: { namespace: "kube-system", name: "argocd-manager" },
      lifetimeSeconds: 7200,
      renewBeforeSeconds: 3600,
      fieldManager: "furrow-argo",
      adopt,
    });
  const known = {
    others: [] as string[],
    found: true,
    isOwn: true,
    name: "harvester",
    server: vars.server,
    labels: { tier: "lab", other: "kept", "argocd.argoproj.io/secret-type": "cluster" },
    tls: "as wanted",
    identity: "system:serviceaccount:kube-system:argocd-manager",
    expires: "2026-07-01T00:00:00Z",
    renewalDue: false,
  };
  const ask = (cluster: object, adopt = false) => explain(call(adopt), { cluster });

  test("stays as it is while its token is valid; a note says until when", () => {
    const { described, notes } = ask(known);
    expect(described).toEqual([]);
    expect(notes).toEqual([
      "Argo CD's token for harvester ends at 2026-07-01T00:00:00Z; a run in the time before replaces it",
    ]);
  });

  test.each([
    ["it is not there", { others: [], found: false }],
    ["its token ends soon", { ...known, renewalDue: true }],
    ["the cluster does not accept its token", { ...known, identity: "a token that the cluster does not accept" }],
    ["its token is that of another account", { ...known, identity: "system:serviceaccount:default:old" }],
    ["a label differs", { ...known, labels: { ...known.labels, tier: "prod" } }],
    ["it does not check the server", { ...known, tls: "other" }],
    ["the server has moved", { ...known, server: "https://old:6443" }],
  ])("is written if %s", (_what, cluster) => {
    expect(ask(cluster).described).toEqual(["register harvester with Argo CD"]);
  });

  test("is refused if another Secret has the same cluster, or something else has made this one", () => {
    expect(ask({ ...known, others: ["old"] }).refusal?.message).toContain("already has harvester or https://harvester");
    expect(ask({ ...known, isOwn: false }).refusal?.message).toBe(
      "the Secret harvester in argocd was not made by furrow",
    );
    expect(ask({ ...known, isOwn: false }, true).described).toEqual(["register harvester with Argo CD"]);
  });

  test("is refused if one of the clusters does not answer", () => {
    const error = { where: "Argo CD's cluster", code: "HTTP 403", message: "HTTP 403: you may not" };
    expect(ask({ error }).refusal?.message).toBe(
      "cannot tell what Argo CD knows about harvester: Argo CD's cluster does not answer as expected (HTTP 403: you may not)",
    );
  });
});
