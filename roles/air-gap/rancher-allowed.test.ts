import { expect, test } from "vitest";
import { clusterSchema } from "../cluster/cluster.ts";
import { refuseCutRancher } from "./rancher-allowed.ts";

const own = ["198.51.100.1"];
const refuse = (more: object): void =>
  refuseCutRancher(clusterSchema.parse({ disks: ["/dev/a"], token: "t", password: "p", ...more }), own);
const rancher = (host: string): object => ({ url: `https://${host}:8443`, token: "t" });

test("refuses an air gap between the nodes and Rancher, and says which var to set", () => {
  expect(() => refuse({ airGap: { allow: ["198.51.100.7"] }, rancher: rancher("198.51.100.20") })).toThrow(
    expect.objectContaining({
      code: "E_VARS",
      failure: expect.objectContaining({
        what: "the air gap cuts the nodes off from Rancher at 198.51.100.20, so they could not register with it",
        hint: 'Set airGap: { allow: ["198.51.100.7","198.51.100.20"] }',
      }) as object,
    }) as Error,
  );
});

test.each([
  ["Rancher's address is allowed", { airGap: { allow: ["198.51.100.20"] }, rancher: rancher("198.51.100.20") }],
  ["Rancher runs on the host", { airGap: {}, rancher: rancher("198.51.100.1") }],
  ["Rancher is on the nodes' network", { airGap: {}, rancher: rancher("192.168.130.40") }],
  ["Rancher's URL contains a host name", { airGap: {}, rancher: rancher("rancher.example.com") }],
  ["there is no air gap", { rancher: rancher("198.51.100.20") }],
  ["there is no Rancher", { airGap: {} }],
])("an air gap is not refused if %s", (_why, more) => {
  expect(() => refuse(more)).not.toThrow();
});
