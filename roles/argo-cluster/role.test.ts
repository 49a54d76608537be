import { describe, expect, test } from "vitest";
import { answersOf, clusterRoleBindingOf } from "../../test/guards/examples.ts";
import { type Json, playbook } from "../../src/authoring.ts";
import { explain, simulate } from "../../src/testing/index.ts";
import { clustersKnown } from "../argo-apps/clusters-known.ts";
import { rightsBounded } from "./rights-bounded.ts";
import { registeredWithArgo } from "./registered.ts";
import { accountObjects, registrationSchema } from "./registration.ts";
import { serverTrusted } from "./server-trusted.ts";

const vars = { kubeconfig: "k", argoKubeconfig: "a", name: "harvester", server: "https://harvester.example.org:6443" };

test.each([
  ["http", { server: "http://harvester:6443" }, "server: a URL like https://harvester.example.org:6443"],
  ["a path", { server: "https://harvester/k8s/clusters/local" }, "server: a URL like"],
  ["a name that Kubernetes does not allow", { name: "Harvester 1" }, "name: a name of lower-case letters"],
  ["Argo CD's own label", { labels: { "argocd.argoproj.io/secret-type": "x" } }, "labels: labels without"],
  ["a renewal on every run", { tokenHours: 24 }, "renewBeforeHours: fewer hours than tokenHours"],
])("refuses %s", (_what, more, says) => {
  const [issue] = registrationSchema.safeParse({ ...vars, ...more }).error?.issues ?? [];
  expect(`${issue?.path.join(".")}: ${issue?.message}`).toContain(says);
});

test("the account gets the given role through a binding of its own", () => {
  expect(accountObjects(registrationSchema.parse({ ...vars, account: { clusterRole: "view" } }))).toMatchObject([
    { kind: "ServiceAccount", metadata: { name: "argocd-manager", namespace: "kube-system" } },
    {
      kind: "ClusterRoleBinding",
      metadata: { name: "furrow:kube-system:argocd-manager:view" },
      roleRef: { name: "view" },
    },
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

  test("must cover the URL's host", () => {
    expect(ask({ certificate })).toBeUndefined();
    expect(ask({ certificate, untrusted: "the certificate is not valid for harvester.example.org" })).toBe(
      "Argo CD would not trust https://harvester.example.org:6443: the certificate is not valid for " +
        "harvester.example.org; its certificate is for kubernetes, 192.168.10.10",
    );
    expect(ask({ error: { code: "x", message: "connect ECONNREFUSED" } })).toContain("cannot reach https://harvester");
  });
});

describe("the account's rights", () => {
  const ask = (clusterRole: string, ...clusterRoleBindings: object[]) =>
    explain(
      rightsBounded({ kubeconfig: "k", account: { namespace: "kube-system", name: "argocd-manager", clusterRole } }),
      answersOf({ clusterRoleBindings }),
    ).refusal;
  const old = clusterRoleBindingOf("furrow:argocd-manager:cluster-admin", "cluster-admin", "argocd-manager");

  test("never exceed account.clusterRole, even after a change to a weaker role", () => {
    const refusal = ask("view", old, clusterRoleBindingOf("x", "cluster-admin", "other"));
    expect(refusal?.message).toBe(
      "kube-system/argocd-manager should have view, but also has ClusterRole cluster-admin through the ClusterRoleBinding " +
        "furrow:argocd-manager:cluster-admin",
    );
    expect(refusal?.hint).toContain("kubectl delete clusterrolebinding furrow:argocd-manager:cluster-admin");
    expect(ask("view", clusterRoleBindingOf("own", "view", "argocd-manager"))).toBeUndefined();
    expect(ask("cluster-admin", old)).toBeUndefined();
  });
});

/** The cluster that is registered, and the Argo CD with which it is registered. */
const place = {
  argoKubeconfig: "a",
  argoNamespace: "argocd",
  kubeconfig: "k",
  secret: "harvester",
  name: "harvester",
  server: vars.server,
};

describe("the registration", () => {
  const call = (adopt = false, more: object = {}) =>
    registeredWithArgo({
      ...place,
      labels: { tier: "lab" },
      account: { namespace: "kube-system", name: "argocd-manager" },
      lifetimeSeconds: 7200,
      renewBeforeSeconds: 3600,
      fieldManager: "furrow-argo",
      adopt,
      acceptLoss: [],
      ...more,
    });
  const known = {
    others: [] as string[],
    found: true,
    isOwn: true,
    name: "harvester",
    server: vars.server,
    labels: { tier: "lab", other: "kept", "argocd.argoproj.io/secret-type": "cluster" },
    ownLabels: ["argocd.argoproj.io/secret-type", "tier"],
    atRisk: [] as string[],
    tls: "expected",
    identity: "system:serviceaccount:kube-system:argocd-manager",
    expires: "2026-07-01T00:00:00Z",
    renewalDue: false,
  };
  const ask = (cluster: object, adopt = false, more: object = {}) => explain(call(adopt, more), { cluster });

  test("stays as it is while its token is valid; a note says until when", () => {
    const { described, notes } = ask(known);
    expect(described).toEqual([]);
    expect(notes).toEqual([
      "Argo CD's token for harvester expires at 2026-07-01T00:00:00Z; a run within 1 h before then replaces it",
    ]);
  });

  test("says in check mode, before the first registration, how long a token will be valid, not `undefined`", () => {
    const { expires: _, ...predicted } = known;
    expect(ask(predicted).notes).toEqual([
      "Argo CD gets a token for harvester for 2 h, unless the cluster issues a shorter one; a run within 1 h before it expires replaces it",
    ]);
  });

  test.each([
    ["it is not there", { others: [], found: false }],
    ["its token expires soon", { ...known, renewalDue: true }],
    ["the cluster does not accept its token", { ...known, identity: "a token that the cluster does not accept" }],
    ["its token belongs to another account", { ...known, identity: "system:serviceaccount:default:old" }],
    ["a label differs", { ...known, labels: { ...known.labels, tier: "prod" } }],
    [
      "a label was removed from the file",
      { ...known, labels: { ...known.labels, old: "x" }, ownLabels: [...known.ownLabels, "old"].toSorted() },
    ],
    ["it does not verify the server's certificate", { ...known, tls: "other" }],
    ["the server has moved", { ...known, server: "https://old:6443" }],
  ])("is written if %s", (_what, cluster) => {
    expect(ask(cluster).described).toEqual(["register harvester with Argo CD"]);
  });

  test("is refused if another Secret is for the same cluster, or if furrow did not create this Secret", () => {
    expect(ask({ ...known, others: ["old"] }).refusal?.message).toContain("already has harvester or https://harvester");
    expect(ask({ ...known, isOwn: false }).refusal?.message).toBe(
      "the Secret harvester in argocd was not created by furrow",
    );
    expect(ask({ ...known, isOwn: false }, true).described).toEqual(["register harvester with Argo CD"]);
  });

  test("never removes or changes a label on which applications depend, unless the user lists them", () => {
    const cluster = { ...known, labels: { ...known.labels, tier: "prod" }, atRisk: ["monitoring-harvester"] };
    expect(ask(cluster).refusal?.message).toBe(
      "this change to harvester in Argo CD (the label tier=prod) can make these applications lose their cluster; those that " +
        "an ApplicationSet created may be deleted with everything that they deployed: monitoring-harvester",
    );
    expect(ask(cluster, false, { acceptLoss: ["other"] }).refusal?.code).toBe("applications-at-risk");
    expect(ask(cluster, false, { acceptLoss: ["monitoring-harvester"] }).described).toHaveLength(1);
  });

  test("keeps the cluster's name in Argo CD when the Secret of `argocd cluster add` is adopted", () => {
    const secret = "cluster-192.168.10.131-3396314590";
    expect(ask({ ...known, others: [secret] }).refusal?.hint).toBe(
      `Keep that Secret: set secret: ${secret} and adopt: true, and use the name and server that Argo CD has. Or delete it`,
    );
    const byHand = { ...known, isOwn: false, ownLabels: [] };
    expect(ask(byHand, true, { secret }).described).toEqual(["register harvester with Argo CD"]);
    const renamed = ask(byHand, true, { secret, name: secret }).refusal;
    expect(renamed?.message).toContain("is not taken over, because that would change the name harvester: applications");
    expect(renamed?.hint).toContain("with name: harvester and server: https://harvester.example.org:6443");
    expect(ask({ ...byHand, server: "https://192.168.10.131:6443" }, true).refusal?.message).toContain(
      "would change the server https://192.168.10.131:6443",
    );
    expect(ask({ ...byHand, name: "", server: `${vars.server}/` }, true).refusal).toBeUndefined();
  });

  test("is refused if one of the clusters does not answer", () => {
    const error = { where: "Argo CD's cluster", code: "HTTP 403", message: "HTTP 403: you may not" };
    expect(ask({ error }).refusal?.message).toBe(
      "cannot tell what Argo CD knows about harvester: Argo CD's cluster does not answer as expected (HTTP 403: you may not)",
    );
  });
});

test("in check mode, an application for a cluster that the same run registers is not refused", async () => {
  const registration = registrationSchema.parse(vars);
  const { account } = registration;
  const registered = registeredWithArgo({
    ...place,
    labels: {},
    account: { namespace: account.namespace, name: account.name },
    lifetimeSeconds: 7200,
    renewBeforeSeconds: 3600,
    fieldManager: "furrow-argo",
    adopt: false,
    acceptLoss: [],
  });
  const applications = [{ name: "guestbook", cluster: "harvester" }];
  const known = clustersKnown({ kubeconfig: "a", argoNamespace: "argocd", applications });
  const outcomes = async (...tasks: (typeof known)[]): Promise<string[]> => {
    const book = playbook({ name: "both", plays: [{ hosts: "all", tasks: () => tasks }] });
    const argo = (request: Json): unknown =>
      "clustersOf" in (request as object) ? { names: [] } : { others: [], found: false };
    const done = await simulate(book, { mode: "check", hosts: ["metal"], state: { metal: {} }, drivers: { argo } });
    return done.tasks.map(({ outcome }) => outcome);
  };
  expect(await outcomes(known)).toEqual(["failed"]);
  expect(await outcomes(registered, known)).toEqual(["changed", "undecided"]);
});
