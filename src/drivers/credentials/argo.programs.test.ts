import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { failures } from "../../../test/guards/bad-answers.ts";
import { soundCluster } from "../../../test/guards/examples.ts";
import { type Asked, FakeCluster, notFound } from "../../../test/guards/fake-cluster.ts";
import { type ArgoCluster, argoCluster, type ArgoClusterQuestion } from "../../facts/controller/argo-cluster.ts";
import { argoDriverWith } from "./argo.ts";
import { restOf } from "./argo-secret.ts";

const noCertificates = spawnSync("sh", ["-c", "command -v openssl"]).status !== 0;
const never = new AbortController().signal;
const patient = argoDriverWith({ requestMs: 60_000, deadlineMs: 60_000, pauseMs: 300 });
/** The driver for tests in which a server never gives a usable answer, with short deadlines. */
const impatient = argoDriverWith({ requestMs: 1000, deadlineMs: 1000, pauseMs: 300 });

let cluster: FakeCluster;
beforeAll(async () => {
  cluster = await FakeCluster.up(soundCluster);
});
afterAll(() => cluster.down());

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;
const tokenUntil = (exp: number, uid = "uid-1"): string => {
  const claims = { exp, "kubernetes.io": { serviceaccount: { name: "argocd-manager", uid } } };
  return `x.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.secret-part`;
};

function secretOf(
  name: string,
  server: string,
  token: string,
  rest: object = restOf("PEM"),
  manager = "furrow-argo",
): object {
  return {
    kind: "Secret",
    metadata: {
      name,
      labels: { tier: "lab" },
      managedFields: [
        { manager: "kubectl", operation: "Update", fieldsV1: { "f:metadata": { "f:labels": { "f:other": {} } } } },
        { manager, operation: "Apply", fieldsV1: { "f:metadata": { "f:labels": { ".": {}, "f:tier": {} } } } },
      ],
    },
    data: {
      name: base64(name),
      server: base64(server),
      config: base64(JSON.stringify({ bearerToken: token, ...rest })),
    },
  };
}

const server = "https://harvester:6443";
const paths = {
  authority: "/api/v1/namespaces/kube-system/configmaps/kube-root-ca.crt",
  list: "/api/v1/namespaces/argocd/secrets",
  secret: "/api/v1/namespaces/argocd/secrets/harvester",
  account: "/api/v1/namespaces/kube-system/serviceaccounts/argocd-manager",
  applications: "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications",
  review: "/apis/authentication.k8s.io/v1/tokenreviews",
};
const username = "system:serviceaccount:kube-system:argocd-manager";

/** A cluster in which harvester is already registered with Argo CD, with the changes that a test makes. */
function answers(changed: Partial<Record<keyof typeof paths, unknown>> = {}): Readonly<Record<string, unknown>> {
  const own = secretOf("harvester", server, tokenUntil(inSeconds(7200)));
  const sound = {
    authority: { kind: "ConfigMap", metadata: {}, data: { "ca.crt": "PEM" } },
    list: { kind: "SecretList", apiVersion: "v1", metadata: {}, items: [own] },
    secret: own,
    account: { kind: "ServiceAccount", metadata: { name: "argocd-manager", uid: "uid-1" } },
    applications: {
      kind: "ApplicationList",
      apiVersion: "argoproj.io/v1alpha1",
      metadata: {},
      items: [
        applicationOf("monitoring-harvester", { name: "harvester" }, "ApplicationSet"),
        applicationOf("by-server", { server: `${server}/` }),
        applicationOf("elsewhere", { name: "other" }, "ApplicationSet"),
      ],
    },
    review: { kind: "TokenReview", status: { authenticated: true, user: { username } } },
  };
  const all = Object.entries({ ...sound, ...changed });
  return Object.fromEntries(all.map(([name, body]) => [paths[name as keyof typeof paths], body]));
}

function applicationOf(name: string, destination: object, owner?: string): object {
  const ownerReferences = owner === undefined ? [] : [{ kind: owner, name: "x" }];
  return { metadata: { name, ownerReferences }, spec: { destination } };
}

function serve(given: Readonly<Record<string, unknown>>): (asked: Asked) => boolean {
  return ({ path, response }) => {
    const body = given[path];
    const isMissing = body === undefined;
    const text = JSON.stringify(isMissing ? notFound(path.split("/").at(-1) ?? "") : body);
    response.writeHead(isMissing ? 404 : 200, { "content-type": "application/json" }).end(text);
    return true;
  };
}

async function ask(more: Partial<ArgoClusterQuestion> = {}, driver = patient): Promise<ArgoCluster> {
  const kubeconfig = cluster.kubeconfig();
  const question = {
    argoKubeconfig: kubeconfig,
    argoNamespace: "argocd",
    kubeconfig,
    secret: "harvester",
    name: "harvester",
    server,
    labels: { tier: "lab" },
    account: { namespace: "kube-system", name: "argocd-manager" },
    lifetimeSeconds: 7200,
    renewBeforeSeconds: 3600,
    fieldManager: "furrow-argo",
    ...more,
  };
  return (await driver.read(argoCluster(question).request, never)) as ArgoCluster;
}

describe.skipIf(noCertificates)("what Argo CD knows about a cluster", () => {
  test("is reported without the token", async () => {
    cluster.instead = serve(answers());
    const answer = await ask();
    expect(answer).toMatchObject({
      others: [],
      found: true,
      isOwn: true,
      name: "harvester",
      server,
      labels: { tier: "lab" },
      ownLabels: ["tier"],
      atRisk: [],
      tls: "expected",
      identity: username,
      renewalDue: false,
    });
    expect(JSON.stringify(answer)).not.toContain("secret-part");
  });

  test.each([
    [
      "its token expires soon",
      { secret: secretOf("harvester", server, tokenUntil(inSeconds(600))) },
      { renewalDue: true },
    ],
    ["it has no token", { secret: secretOf("harvester", server, "") }, { identity: "no token" }],
    [
      "the cluster does not accept its token",
      { review: { kind: "TokenReview", status: { authenticated: false, error: "expired" } } },
      { identity: "a token that the cluster does not accept" },
    ],
    [
      "it does not verify the server's certificate",
      { secret: secretOf("harvester", server, "x", { tlsClientConfig: { insecure: true } }) },
      { tls: "other" },
    ],
    [
      "it trusts the cluster's old authority",
      { secret: secretOf("harvester", server, tokenUntil(inSeconds(7200)), restOf("OLD PEM")) },
      { tls: "other", renewalDue: false },
    ],
    [
      "its token belongs to an earlier account with the same name",
      { secret: secretOf("harvester", server, tokenUntil(inSeconds(7200), "uid-0")) },
      { identity: "a token that belongs to a different account" },
    ],
    ["its account does not exist", { account: undefined }, { identity: "a token whose account does not exist" }],
    ["it is not there", { secret: undefined }, { found: false }],
    [
      "another Secret has the same server",
      { list: { kind: "SecretList", apiVersion: "v1", metadata: {}, items: [secretOf("old", `${server}/`, "x")] } },
      { others: ["old"] },
    ],
  ])("reports if %s", async (_what, changed, expected) => {
    cluster.instead = serve(answers(changed));
    expect(await ask()).toMatchObject(expected);
  });

  test("names the applications that a change to the labels, name or server puts at risk", async () => {
    cluster.instead = serve(answers());
    expect(await ask({ labels: { tier: "lab", more: "x" } })).toMatchObject({ atRisk: [] });
    for (const labels of [{}, { tier: "prod" }] as Record<string, string>[])
      expect(await ask({ labels })).toMatchObject({ atRisk: ["monitoring-harvester"] });
    for (const more of [{ name: "new" }, { server: "https://new:6443" }])
      expect(await ask(more)).toMatchObject({ atRisk: ["by-server", "monitoring-harvester"] });
    for (const applications of [undefined, { kind: "PodList", apiVersion: "v1", metadata: {}, items: [] }]) {
      cluster.instead = serve(answers({ applications }));
      expect(await ask({ labels: {} })).toHaveProperty("error");
    }
  });

  test("never sends the cluster another server's token, or one from a Secret that furrow did not create", async () => {
    const asked: string[] = [];
    for (const [secret, identity] of [
      [secretOf("harvester", "https://other:6443", "x.y.z"), "not checked: the token is for a different server"],
      [
        secretOf("harvester", server, "x.y.z", restOf("PEM"), "kubectl"),
        "not checked: furrow did not create the Secret",
      ],
    ] as const) {
      const sound = serve(answers({ secret }));
      cluster.instead = (one) => {
        asked.push(one.path);
        return sound(one);
      };
      expect(await ask()).toMatchObject({ found: true, identity });
    }
    expect(asked).not.toContain(paths.review);
  });

  test("is not known if a list ends too early, or does not state its type", async () => {
    for (const [code, more] of [
      ["half-list", { metadata: { continue: "more" } }],
      ["half-list", { metadata: { remainingItemCount: 1 } }],
      ["not-a-list", { apiVersion: undefined }],
    ] as const) {
      const list = { kind: "SecretList", apiVersion: "v1", metadata: {}, items: [], ...more };
      cluster.instead = serve(answers({ list }));
      expect(await ask(), JSON.stringify(list)).toMatchObject({ error: { code } });
    }
  });

  test("is not known if a part of it is missing", async () => {
    for (const changed of [
      { authority: { kind: "ConfigMap", data: {} } },
      { list: { kind: "PodList", apiVersion: "v1", metadata: {}, items: [] } },
      { list: { kind: "SecretList", apiVersion: "v1", metadata: {}, items: ["x"] } },
      { secret: secretOf("other", server, "x") },
      { secret: { kind: "Status", reason: "NotFound", details: { name: "other" } } },
      { account: { kind: "Pod", metadata: { uid: "uid-1" } } },
      { review: { kind: "TokenReview" } },
    ]) {
      cluster.instead = serve(answers(changed));
      expect(await ask(), JSON.stringify(changed)).toMatchObject({ error: { code: "wrong-answer" } });
    }
  });

  // A file that cannot be read as a kubeconfig causes a separate error that names the file.
  const always = Object.entries(paths).filter(([name]) => name !== "applications");
  const cells = always.flatMap(([name, path]) =>
    failures
      .filter(({ cause }) => cause !== "cannot be used as a kubeconfig" && cause !== "certificate")
      .map((bad) => ({ title: `${name}: ${bad.name}`, path, bad })),
  );
  test.each(cells)("is not known after a bad answer about $title", async ({ path, bad }) => {
    const sound = serve(answers());
    cluster.instead = (asked) => (asked.path === path && (bad.instead?.(asked) ?? false)) || sound(asked);
    const more = bad.kubeconfig === undefined ? {} : { argoKubeconfig: bad.kubeconfig(cluster, "") };
    const answer = await ask(more, impatient);
    expect(answer).toHaveProperty("error");
    expect("error" in answer ? answer.error.message : "").not.toBe("");
  });
});
