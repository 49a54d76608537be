import { describe, expect, test } from "vitest";
import { answersOf, nodeOf, soundCluster, upgradeOf } from "../../test/guards/examples.ts";
import { explain } from "../../src/testing/index.ts";
import { certificatesSchema } from "./certificates.ts";
import { nodeCertificatesReport } from "./node-reports.ts";
import { kubeVirtCertificates, pagesCertificate } from "./other-reports.ts";
import { mayRotate, rotationFinished } from "./rotation.ts";

const kubeconfig = "k";
const since = "2026-06-01T00:00:00Z";
const operator = { who: "me@here", since };

/** A node whose first certificate expires at this time, according to the annotation that Harvester sets. */
function endingNode(name: string, ends: string, more: object = {}): object {
  const node = structuredClone(nodeOf(name, more)) as { metadata: { annotations?: Record<string, string> } };
  const info = { closestExpiryTime: ends, updatedAt: "2026-05-31T00:00:00Z" };
  node.metadata.annotations = { "harvesterhci.io/rke2-cert-info": JSON.stringify(info) };
  return node;
}

describe("the vars", () => {
  test("refuse a rotation of RKE2's token, with the reason", () => {
    const [issue] = certificatesSchema.safeParse({ kubeconfig, rotateToken: true }).error?.issues ?? [];
    expect(issue?.message).toContain("no rotation of RKE2's token: no server of the cluster could start afterwards");
  });

  test("refuse a number of hours with which RKE2 would restart endlessly", () => {
    const autoRotate = { enabled: true, expiringInHours: 8759 };
    const [issue] = certificatesSchema.safeParse({ kubeconfig, autoRotate }).error?.issues ?? [];
    expect(issue?.message).toBe("at most 2160 hours: with more, RKE2 can restart endlessly (harvester#11444)");
  });
});

describe("the reports", () => {
  const authority = {
    found: true,
    object: { kind: "ConfigMap", metadata: { name: "kube-root-ca.crt" }, data: { "ca.crt": "PEM" } },
  };
  const certificate = (notAfter: string) => ({ subject: "CN=x", issuer: "", notBefore: "", notAfter, names: [] });

  test("say when each node's certificates expire, and what cannot be read", () => {
    const nodes = [endingNode("harvester-1", "2026-06-11T00:00:00Z"), nodeOf("harvester-2", { votes: false })];
    const { notes } = explain(nodeCertificatesReport({ kubeconfig, soonDays: 30 }), {
      ...answersOf({ ...soundCluster, nodes }),
      operator,
      authority,
      served: [
        { certificate: certificate("2027-05-01T00:00:00Z") },
        { certificate: certificate("2026-05-30T00:00:00Z") },
        { error: { code: "ECONNREFUSED", message: "connect ECONNREFUSED" } },
      ],
    });
    expect(notes).toEqual([
      "harvester-1: the first certificate expires at 2026-06-11T00:00:00Z, in 10 days (Harvester checked at " +
        "2026-05-31T00:00:00Z); its API server has a certificate that expires at 2027-05-01T00:00:00Z; its kubelet has a " +
        "certificate that EXPIRED at 2026-05-30T00:00:00Z",
      "harvester-2: its kubelet at 192.168.10.11:10250 cannot be queried (connect ECONNREFUSED)",
    ]);
  });

  test("do not mistake another server at a node's address for the node", () => {
    const ask = (given: object, more: object) =>
      explain(nodeCertificatesReport({ kubeconfig, soonDays: 30 }), {
        ...answersOf({ ...soundCluster, nodes: [nodeOf("harvester-1", { votes: false })] }),
        operator,
        authority: given,
        served: [{ certificate: certificate("2027-05-01T00:00:00Z"), ...more }],
      }).notes;
    expect(ask(authority, { untrusted: "DEPTH_ZERO_SELF_SIGNED_CERT" })).toEqual([
      "harvester-1: its kubelet is unknown, because the certificate at 192.168.10.11:10250 may not be the node's; " +
        "it is for CN=x (DEPTH_ZERO_SELF_SIGNED_CERT) and expires at 2027-05-01T00:00:00Z; RKE2 signs it with the " +
        "cluster's CA",
    ]);
    const unread = { error: { code: "HTTP 403", message: "no" } };
    expect(ask(unread, { untrusted: "SELF_SIGNED" })).toEqual([
      "harvester-1: its kubelet has a certificate that expires at 2027-05-01T00:00:00Z",
      "unknown: whether these servers are the nodes, because the cluster's CA (kube-root-ca.crt in kube-system) cannot be read",
    ]);
    expect(ask(authority, { untrusted: "CERT_HAS_EXPIRED" })[0]).toContain("so it is unknown whether it is the node's");
  });

  test("say how KubeVirt renews its certificates", () => {
    const ask = (certificateRotateStrategy: object): readonly string[] =>
      explain(kubeVirtCertificates({ kubeconfig }), {
        kubeVirt: {
          found: true,
          object: { kind: "KubeVirt", metadata: { name: "kubevirt" }, spec: { certificateRotateStrategy } },
        },
      }).notes;
    expect(ask({})[0]).toContain("its authority is valid for 168h, its servers' certificates for 24h");
    expect(ask({ selfSigned: { server: { duration: "48h" } } })[0]).toContain("certificates for 48h");
    expect(ask({ selfSigned: { caRotateInterval: "9h", ca: { duration: "8h" } } })[0]).toContain("valid for 9h");
  });

  test("say when the certificate of the web UI expires", () => {
    const vip = {
      found: true,
      object: { kind: "ConfigMap", metadata: { name: "vip" }, data: { ip: "192.168.10.10" } },
    };
    const ask = (served: object): readonly string[] =>
      explain(pagesCertificate({ kubeconfig, port: 443, soonDays: 30 }), { vip, operator, served: [served] }).notes;
    expect(ask({ certificate: certificate("2026-06-03T00:00:00Z"), untrusted: "SELF_SIGNED" })).toEqual([
      "the Harvester UI at 192.168.10.10:443: the certificate of CN=x expires at 2026-06-03T00:00:00Z, in 2 days; this " +
        "controller does not trust it (SELF_SIGNED)",
    ]);
    expect(ask({ error: { code: "x", message: "refused" } })[0]).toContain("presents no certificate (refused)");
  });
});

const runs = (version: string) => ({
  found: true,
  object: { kind: "Setting", metadata: { name: "server-version" }, value: version },
});
const readable = (notAfter: string) => ({
  certificate: { subject: "CN=x", issuer: "", notBefore: "", notAfter, names: [], fingerprint: "" },
});
const sound = () => ["harvester-1", "harvester-2"].map((name) => endingNode(name, "2027-05-01T00:00:00Z"));

const settingOf = (state?: object, value = ""): object => ({
  found: true,
  object: {
    kind: "Setting",
    metadata: {
      name: "auto-rotate-rke2-certs",
      annotations: state === undefined ? {} : { "harvesterhci.io/rke2-cert-rotation-state": JSON.stringify(state) },
    },
    value,
  },
});

describe("a rotation", () => {
  const value = '{"enable":true,"expiringInHours":240}';
  const ask = (cluster: object, setting = settingOf(), version = "v1.9.0", served: object[] = []) =>
    explain(mayRotate({ kubeconfig, value }), {
      ...answersOf({ ...soundCluster, nodes: sound(), ...cluster }),
      running: runs(version),
      authority: { found: false },
      setting,
      served,
      operator,
    }).refusal?.message;

  test("may begin if all nodes are ready", () => {
    expect(ask({})).toBeUndefined();
  });

  test.each([
    ["a node is not ready", { nodes: [nodeOf("harvester-1", { ready: false })] }, "harvester-1 not ready"],
    ["an upgrade runs", { upgrades: [upgradeOf("hvst-1", "v1.9.0")] }, "the upgrade hvst-1 is running"],
    [
      "a certificate has expired",
      { nodes: [endingNode("harvester-1", "2026-05-01T00:00:00Z")] },
      "certificates of harvester-1 have expired, and Harvester's setting cannot renew them",
    ],
  ])("is refused if %s", (_what, cluster, says) => {
    expect(ask(cluster)).toContain(says);
    expect(ask(cluster, settingOf(undefined, value))).toBeUndefined();
  });

  test("is refused if a certificate has expired, with the commands to run on one node after another", () => {
    const nodes = [
      endingNode("harvester-1", "2026-05-01T00:00:00Z"),
      endingNode("harvester-2", "2027-05-01T00:00:00Z"),
    ];
    const { refusal } = explain(mayRotate({ kubeconfig, value }), {
      ...answersOf({ ...soundCluster, nodes }),
      running: runs("v1.9.0"),
      authority: { found: false },
      setting: settingOf(),
      served: [],
      operator,
    });
    expect(refusal?.message).toContain("certificates of harvester-1 have expired");
    expect(refusal?.hint).toContain(
      "one by one: systemctl stop rke2-server, rke2 certificate rotate, systemctl start rke2-server",
    );
  });

  test("is refused if Harvester does not say when a certificate expires, although the release reports it", () => {
    expect(ask({ nodes: [...sound(), nodeOf("harvester-3")] })).toBe(
      "cannot tell whether a certificate has expired: Harvester has not checked the certificates of harvester-3 yet",
    );
    expect(ask({ nodes: [endingNode("harvester-1", "soon")] }, settingOf(), "v1.8.1")).toBe(
      "cannot tell whether a certificate has expired: Harvester's report on the certificates of harvester-1 cannot be read",
    );
  });

  test("asks the nodes' servers if the release does not report it, and is refused if a certificate has expired or is unknown", () => {
    const nodes = [nodeOf("harvester-1")];
    const [later, ended] = [readable("2027-05-01T00:00:00Z"), readable("2026-05-01T00:00:00Z")];
    const old = (...served: object[]) => ask({ nodes }, settingOf(), "v1.5.1", served);
    expect(old(later, later)).toBeUndefined();
    expect(old(ended, later)).toContain("certificates of harvester-1 have expired");
    expect(old(later, { error: { code: "x", message: "connect ECONNREFUSED" } })).toBe(
      "cannot tell whether a certificate has expired: the certificate of the kubelet of harvester-1 at " +
        "192.168.10.11:10250 is unknown (connect ECONNREFUSED)",
    );
    expect(old({ ...later, untrusted: "SELF_SIGNED" }, later)).toContain("unknown (SELF_SIGNED)");
  });

  test("is refused if an earlier rotation has failed, even if the setting does not change", () => {
    const failed = { phase: "failed", currentNode: "harvester-2", lastError: "rotate Job x failed" };
    expect(ask({}, settingOf(failed, value))).toBe(
      "Harvester's rotation of certificates failed on harvester-2: rotate Job x failed",
    );
  });
});

describe("the wait for a rotation", () => {
  const look = (nodes: object[], state?: object, version = "v1.9.0") =>
    explain(rotationFinished({ kubeconfig, expiringInHours: 240 }), {
      ...answersOf({ ...soundCluster, nodes }),
      running: runs(version),
      setting: settingOf(state),
      operator,
    });
  const ask = (...cluster: Parameters<typeof look>) => look(...cluster).refusal?.message;
  const later = endingNode("harvester-1", "2027-01-01T00:00:00Z");
  const due = endingNode("harvester-1", "2026-06-05T00:00:00Z");

  test("ends if no certificate is due, or if the release does not report when certificates expire", () => {
    expect(ask([later])).toBeUndefined();
    expect(ask([later], { phase: "completed" })).toBeUndefined();
    expect(ask([nodeOf("harvester-1")], undefined, "v1.8.1")).toBeUndefined();
  });

  test("says that it does not wait if the release does not report when certificates expire", () => {
    expect(look([nodeOf("harvester-1")], undefined, "v1.8.1").notes).toEqual([
      expect.stringContaining("not waited for: Harvester v1.8.1 does not report"),
    ]);
    expect(look([later]).notes).toEqual([]);
  });

  test("goes on while it is not known when a node's certificates expire", () => {
    expect(ask([later, nodeOf("harvester-2")])).toContain(
      "Harvester has not checked the certificates of harvester-2 yet",
    );
    expect(ask([endingNode("harvester-1", "soon")])).toContain("the certificates of harvester-1 cannot be read");
  });

  test("goes on while a certificate is due or a node's certificates are being renewed", () => {
    expect(ask([due])).toBe("the certificates of harvester-1 are due, and Harvester has not begun to renew them");
    expect(ask([due], { phase: "cp-rotation", currentNode: "harvester-1" })).toBe(
      "Harvester renews the certificates of harvester-1",
    );
    expect(ask([later], { phase: "worker-rotation" })).toBe("Harvester renews the certificates");
  });

  test("says on which node the rotation failed", () => {
    expect(ask([due], { phase: "failed", currentNode: "harvester-1" })).toContain(
      "failed on harvester-1: Harvester gives no reason",
    );
  });
});
