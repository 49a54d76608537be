import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { soundCluster } from "../../../test/guards/examples.ts";
import { FakeCluster } from "../../../test/guards/fake-cluster.ts";
import { argoClusters } from "../../facts/controller/argo-cluster.ts";
import { argoDriverWith } from "./argo.ts";

const noCertificates = spawnSync("sh", ["-c", "command -v openssl"]).status !== 0;
const driver = argoDriverWith({ requestMs: 1000, deadlineMs: 1000, pauseMs: 300 });

let cluster: FakeCluster;
beforeAll(async () => {
  cluster = await FakeCluster.up(soundCluster);
});
afterAll(() => cluster.down());

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const secretOf = (name: string, server: string): object => ({
  metadata: { name: "any" },
  data: { name: base64(name), server: base64(server), config: base64('{"bearerToken":"secret-part"}') },
});

async function ask(code: number, body: object): Promise<unknown> {
  cluster.instead = ({ response }) => {
    response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
    return true;
  };
  return driver.read(argoClusters(cluster.kubeconfig(), "argocd").request, new AbortController().signal);
}

test.skipIf(noCertificates)("the clusters of Argo CD are listed by name, without their tokens", async () => {
  const items = [secretOf("harvester", "https://harvester:6443"), secretOf("", "https://edge:6443")];
  const list = { kind: "SecretList", apiVersion: "v1", metadata: {}, items };
  expect(await ask(200, list)).toEqual({ names: ["harvester", "https://edge:6443"] });
});

test.skipIf(noCertificates)(
  "a user who may not list Argo CD's Secrets gets the reason, not an empty list",
  async () => {
    const status = { kind: "Status", status: "Failure", message: "you may not", code: 403 };
    expect(await ask(403, status)).toMatchObject({ error: { where: "Argo CD's cluster", code: "HTTP 403" } });
  },
);
