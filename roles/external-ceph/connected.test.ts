import { describe, expect, test } from "vitest";
import { cephClusterOf, failedStatus, fsid } from "../../test/guards/ceph-examples.ts";
import { sealedFieldValue } from "../../src/facts/catalogue.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { cephConnected } from "./connected.ts";
import { sameCeph } from "./same-ceph.ts";

const namespace = "rook-ceph-external";
const own = { kubeconfig: "k", namespace, cluster: namespace, fsid };
const found = (object: object) => ({ found: true, object });
const absentSecret = { found: false };
const monSecret = (id: string) =>
  found({
    kind: "Secret",
    metadata: { name: "rook-ceph-mon" },
    data: { fsid: sealedFieldValue(Buffer.from(id).toString("base64")) },
  });

describe("the connection", () => {
  const connected = (status: object): Explanation =>
    explain(cephConnected(own), { cluster: found(cephClusterOf(namespace, { status })) });

  test("counts as established once Rook reports it, and a note gives Ceph's health", () => {
    const { refusal, notes } = connected({});
    expect([refusal, notes]).toEqual([undefined, ["Ceph says HEALTH_OK"]]);
    expect(connected({ ceph: {} }).notes).toEqual([
      "Rook does not report which Ceph cluster it is connected to; only the monitors were compared",
    ]);
  });

  test.each([
    [{ phase: "Connecting", message: "trying" }, "Rook is not connected to Ceph: Connecting: trying"],
    [{ phase: undefined, message: undefined }, "Rook is not connected to Ceph: it has not started"],
    [{ phase: "Failure", message: "no keyring" }, "Rook is not connected to Ceph: Failure: no keyring"],
    [failedStatus, "Rook is not connected to Ceph: Failed to configure external ceph cluster: failed to get status"],
    [{ state: "Error" }, "Rook is not connected to Ceph: Cluster connected successfully"],
    [{ state: undefined, conditions: [] }, "Rook is not connected to Ceph: Cluster connected successfully"],
    [{ ceph: { health: "HEALTH_ERR" } }, "Rook is not connected to Ceph: Cluster connected successfully"],
    [{ ceph: { fsid: "other" } }, `Rook is connected to the Ceph cluster other, not to ${fsid}`],
  ])("is waited for while its status is %j", (status, says) => {
    expect(connected(status).refusal?.message).toBe(says);
  });

  test.each([
    ["one that has not connected yet", { status: { phase: "Connecting", ceph: undefined } }, absentSecret, "allowed"],
    ["the same one", {}, absentSecret, "allowed"],
    ["another one", { status: { ceph: { fsid: "other" } } }, monSecret(fsid), "connects to the Ceph cluster other"],
    ["the same one, out of reach", { status: failedStatus }, monSecret(fsid), "allowed"],
    [
      "another one, out of reach",
      { status: failedStatus },
      monSecret("other"),
      "rook-ceph-mon names one other than b3b4",
    ],
    ["an unknown one", { status: failedStatus }, absentSecret, "rook-ceph-mon does not name one"],
    [
      "an unreadable one",
      { status: failedStatus },
      { error: { code: "HTTP 403", message: "no" } },
      "cannot tell which",
    ],
    ["one of Rook's own", { enable: false }, absentSecret, "is a Ceph cluster that Rook runs"],
  ] as const)("is accepted or refused depending on the existing one: %s", (_what, more, secret, says) => {
    const { refusal } = explain(sameCeph(own), { cluster: found(cephClusterOf(namespace, more)), secret });
    expect(refusal?.message ?? "allowed").toContain(says);
  });
});
