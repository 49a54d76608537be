import { expect, test } from "vitest";
import { playbook } from "../../src/authoring.ts";
import { simulate } from "../../src/testing/index.ts";
import { certificatesSchema } from "../certificates/certificates.ts";
import { certificates } from "../certificates/role.ts";
import { clusterDoctor, clusterDoctorSchema } from "../cluster-doctor/role.ts";
import { longhornDoctor, longhornDoctorSchema } from "../longhorn-doctor/role.ts";
import { resources } from "./role.ts";
import { vlansOnNodes } from "../vm-networks/bridge-vlans.ts";
import { needsKubeconfig } from "../cluster-answers/not-seen.ts";

const kubeconfig = "missing.yaml";
const message = `the kubeconfig ${kubeconfig} does not exist on the controller`;

test.each([
  ["ops/resources", resources({ kubeconfig })],
  ["ops/certificates", certificates(certificatesSchema.parse({ kubeconfig }))],
  ["ops/longhorn-doctor", longhornDoctor(longhornDoctorSchema.parse({ kubeconfig }))],
  ["gitops/doctor", clusterDoctor(clusterDoctorSchema.parse({ kubeconfig }))],
  ["gitops/vlans", vlansOnNodes({ kubeconfig })],
])("%s fails with its first task if there is no kubeconfig, and says how to get it", async (_name, node) => {
  const book = playbook({ name: "report", plays: [{ hosts: "all", tasks: () => [node] }] });
  const { tasks } = await simulate(book, {
    hosts: ["here"],
    drivers: { kubernetes: () => ({ error: { code: "no-kubeconfig", message } }), operator: () => ({ since: "now" }) },
  });
  expect(tasks[0]).toMatchObject({ outcome: "failed" });
  expect(JSON.stringify(tasks[0])).toContain(message);
  expect(JSON.stringify(tasks[0])).toContain("Correct the path, or get the file");
});

test("a report that is not allowed to read a list still reports the others", () => {
  const nodes = { error: { code: "HTTP 403", message: "forbidden" } };
  expect(needsKubeconfig({ nodes, operator: { since: "now" }, vlans: null })).toEqual({});
});
