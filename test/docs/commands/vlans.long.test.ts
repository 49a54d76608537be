import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Lab, labDown, type LabHost, labUp } from "../../../src/lab/index.ts";
import { Clone } from "../../cloud/pages/clone.ts";
import { covered } from "../../covered.ts";
import { soundCluster } from "../../guards/examples.ts";
import { guide, perform, putFiles, putOwn } from "../../kube/pages/perform.ts";
import { makeKinds, makeObjects } from "../../kube/reports/report-scene.ts";
import { ApiServer } from "../../kube/server/api-server.ts";
import { type BridgedGuest, guestsAnswer, inGuest, startGuests } from "./bridged-guests.ts";
import { vlansRow } from "./lab-rows.ts";

const name = `vlans-${process.pid}`;
const guests: readonly BridgedGuest[] = [
  { name: "harvester-1", vlans: [30, 60] },
  { name: "harvester-2", vlans: [60, 99] },
  { name: "harvester-3" },
];
let lab: Lab;
let host: LabHost;
let server: ApiServer;
let clone: Clone;

beforeAll(async () => {
  clone = new Clone();
  lab = await labUp({ hosts: 1, name, libvirt: true, replace: true });
  [host] = lab.hosts as [LabHost];
  const knownHosts = await startGuests(host, guests);
  server = await ApiServer.up();
  makeKinds(server);
  makeObjects(server, soundCluster);
  writeFileSync(join(clone.home, ".ssh/harvester"), readFileSync(lab.identityFile), { mode: 0o600 });
  writeFileSync(join(clone.home, ".ssh/known_hosts"), knownHosts);
  putOwn(clone, { "harvester.kubeconfig": readFileSync(server.kubeconfig(), "utf8") });
  await guestsAnswer(host, guests);
});
afterAll(async () => {
  clone?.remove();
  await server?.down();
  await labDown({ name });
});

test(`${guide(vlansRow.page)}: ${vlansRow.start} compares real bridges with the cluster`, async () => {
  for (const at of guests.keys())
    clone.placeholders.push([`address: "192.168.10.1${at + 1}"`, `address: "${host.address}", port: ${2201 + at}`]);
  for (const page of [vlansRow.filesOf, vlansRow.page]) putFiles(clone, page);
  expect(await perform(clone, vlansRow)).toBe("");
  expect(server.requests().filter((request) => !/^(get|list) /.test(request))).toEqual([]);
  expect(server.requests().length).toBeGreaterThan(0);
  // The guest keeps its VLAN 99: furrow groups hosts with the same result, and then leaves out their names.
  await inGuest(lab, host, 1, "bridge vlan add dev vm-bo vid 30");
  const repaired = /harvester-2 has VLAN 30, 60 on vm-bo/;
  expect(await perform(clone, { ...vlansRow, says: [repaired] })).toBe("");
  covered(`${guide(vlansRow.page)}: VLANs on three nodes with real bridges, compared with a Kubernetes API server`);
});
