import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { externalCephSchema } from "../../../roles/external-ceph/ceph.ts";
import { externalCeph } from "../../../roles/external-ceph/role.ts";
import { taskHost } from "../../tasks/on-host.ts";
import { play, read } from "../actors.ts";
import { ApiServer } from "../server/api-server.ts";
import { prepare } from "./ceph-scene.ts";
import { cephPlayed, deployments, rookOperator, wrongKey } from "./rook-actors.ts";

let server: ApiServer;
const host = taskHost();
const stop = new AbortController();
let controllers: Promise<void>;

beforeAll(async () => {
  server = await ApiServer.up();
  prepare(server);
  controllers = play(server, stop.signal, deployments, rookOperator);
});
afterAll(async () => {
  stop.abort();
  await controllers;
  await server?.down();
});

const ceph = (fsid: string) =>
  externalCeph(
    externalCephSchema.parse({
      kubeconfig: server.kubeconfig(),
      rook: { manifests: [{ path: join(server.folder, "rook.yaml") }] },
      ceph: { fsid, monitors: { "ceph-1": "192.168.5.99:6789" } },
      rbd: { pool: "vms" },
      keys: { healthChecker: wrongKey, rbdNode: "AQ-node-key==", rbdProvisioner: "AQ-maker-key==" },
      deadlineSeconds: 20,
    }),
  );
const storage = (): string =>
  JSON.stringify([read(server, "settings.harvesterhci.io", "csi-driver-config"), read(server, "storageclasses")]);

test("a key that Ceph refuses is reported, although Rook calls that Connected, and no class is created", async () => {
  const before = storage();
  const ends = await host.apply(ceph(cephPlayed.fsid));
  expect(ends.at(-1)?.error?.failure.details?.join()).toContain("Failed to configure external ceph cluster");
  expect(storage()).toBe(before);
  // Rook's status does not say which Ceph cluster this is, but the Secret does.
  for (const mode of ["check", "apply"] as const) {
    const others = await host[mode](ceph("00000000-4c60-11ee-be38-51902f85c805"));
    expect(others.at(-1)?.error?.message).toContain(
      "the Secret rook-ceph-external/rook-ceph-mon names one other than 00000000",
    );
  }
  expect(JSON.stringify(ends)).not.toMatch(/AQ-[a-z]+-key|QVEt/);
});
