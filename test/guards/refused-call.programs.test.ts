import { expect, test } from "vitest";
import { kubernetesDriver } from "../../src/drivers/kubernetes.ts";
import { soundCluster } from "./examples.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { never, noCertificates } from "./one-guard.ts";

const message = 'nodes "b" is forbidden: User "guest" cannot patch resource "nodes" in API group ""';

test.skipIf(noCertificates).each([
  [403, "Use the kubeconfig of a user who has this permission"],
  [409, "Read the server's message, fix the cause and rerun"],
])("a change that the cluster refuses with %i does not raise doubts about the network", async (status, hint) => {
  const cluster = await FakeCluster.up(soundCluster);
  cluster.instead = ({ response }) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ kind: "Status", message }));
    return true;
  };
  const request = { kubeconfig: cluster.kubeconfig(), method: "PATCH", path: "/api/v1/nodes/b", body: {} };
  await expect(kubernetesDriver.call?.(request, never)).rejects.toMatchObject({
    failure: { current: `HTTP ${status}: ${message}`, hint: expect.stringContaining(hint) as string },
  });
  cluster.down();
});
