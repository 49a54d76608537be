import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { machineOf } from "../guards/examples.ts";
import { linkMonitorOf, vmNetworkOf } from "../guards/network-examples.ts";
import { backupOf } from "../guards/operation-examples.ts";
import { seeded, torturePoints, tortureSeed } from "../seeded.ts";
import { type Actor, apply, imageImporter, kubeVirt, makeNodes, networkController, play, read } from "./actors.ts";
import { backupControllers } from "./backup-actors.ts";
import { backupKinds } from "./backup-kinds.ts";
import { imageKind, networkKinds, runningKinds, settingKind } from "./harvester-kinds.ts";
import { maintenanceControllers, runningOn } from "./maintenance-actors.ts";
import { ApiServer } from "./server/api-server.ts";
import { kubeconfigText } from "./server/certificates.ts";
import { LethalProxy } from "./server/lethal-proxy.ts";

function haltedMachine(name: string): object {
  const { spec, ...more } = machineOf(name) as { spec: object };
  return { ...more, spec: { ...spec, runStrategy: "Halted" } };
}

const root = join(import.meta.dirname, "../..");
let server: ApiServer;
let proxy: LethalProxy;

beforeAll(async () => {
  server = await ApiServer.up();
  proxy = await LethalProxy.up(server.folder, server.url);
  writeFileSync(join(server.folder, "proxy.kubeconfig"), kubeconfigText(server.folder, "admin", proxy.url));
  apply(server, ...networkKinds, imageKind, ...runningKinds, ...backupKinds, settingKind);
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  const roles = { "node-role.kubernetes.io/control-plane": "true", "node-role.kubernetes.io/etcd": "true" };
  const nodes = { "harvester-1": roles, "harvester-2": roles, "harvester-3": roles };
  makeNodes(server, nodes);
  apply(
    server,
    { apiVersion: "network.harvesterhci.io/v1beta1", kind: "LinkMonitor", ...linkMonitorOf(Object.keys(nodes)) },
    { apiVersion: "k8s.cni.cncf.io/v1", kind: "NetworkAttachmentDefinition", ...vmNetworkOf("base", "mgmt", 30) },
    { apiVersion: "harvesterhci.io/v1beta1", kind: "Setting", metadata: { name: "backup-target" } },
    { apiVersion: "kubevirt.io/v1", kind: "VirtualMachine", ...haltedMachine("db") },
    {
      apiVersion: "harvesterhci.io/v1beta1",
      kind: "VirtualMachineBackup",
      ...backupOf("base", "db", { readyToUse: true }, { type: "snapshot" }),
    },
  );
});
afterAll(async () => {
  await proxy?.down();
  await server?.down();
});

/** Runs a playbook as a process, behind the proxy. Returns its last line, and undefined if it was killed. */
async function run(playbook: string, vars: object, killAt = 0): Promise<string | undefined> {
  const file = join(server.folder, "vars.json");
  writeFileSync(file, JSON.stringify({ kubeconfig: join(server.folder, "proxy.kubeconfig"), ...vars }));
  const args = ["bin/furrow.js", "run", `playbooks/gitops/${playbook}.ts`, "-i", "local", "--var", `@${file}`];
  let child: ChildProcess | undefined = undefined;
  proxy.arm(killAt, () => child?.kill("SIGKILL"));
  const started = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  child = started;
  let text = "";
  for (const stream of [started.stdout, started.stderr]) stream.on("data", (part: Buffer) => (text += part.toString()));
  const [, signal] = (await once(started, "close")) as [number | null, string | null];
  return signal === null ? (text.trimEnd().split("\n").at(-1) ?? "") : undefined;
}

/** The fields of an object that a playbook decides, without what differs between two objects with different names. */
function made(kind: string, name: string): string {
  const { metadata, spec, data } = read(server, kind, name) as Record<string, Record<string, unknown>>;
  const { labels, annotations } = metadata as { labels?: object; annotations?: object };
  return JSON.stringify({ labels, annotations, spec, data }).replaceAll(name, "NAME");
}

/** A playbook; `vars` and `objects` are those of one attempt, which has names of its own. */
const cases = [
  {
    playbook: "images",
    actors: [imageImporter],
    vars: (name: string) => ({ images: { [name]: { url: "https://x.example.org/a.qcow2", replicas: 2 } } }),
    objects: (name: string) => [["virtualmachineimages.harvesterhci.io", name]],
  },
  {
    playbook: "vms",
    actors: [kubeVirt],
    vars: (name: string) => ({
      machines: {
        [name]: {
          cores: 1,
          memory: "512Mi",
          disks: [{ size: "1Gi" }],
          networks: [{ network: "base" }],
          userData: "#cloud-config\n",
        },
      },
    }),
    objects: (name: string) => [
      ["secret", `${name}-cloud-init`],
      ["virtualmachine", name],
    ],
  },
  {
    playbook: "networks",
    actors: [networkController],
    vars: (name: string) => ({
      clusterNetworks: { [name]: { uplinks: { [name]: { nics: ["ens2"] } }, networks: { [name]: { vlan: 7 } } } },
    }),
    objects: (name: string) => [
      ["clusternetworks", name],
      ["vlanconfigs", name],
      ["network-attachment-definitions", name],
    ],
  },
  {
    playbook: "backup",
    actors: [backupControllers],
    vars: (name: string) => ({ backups: { [name]: { machine: "db", type: "snapshot" } } }),
    objects: (name: string) => [["virtualmachinebackup", name]],
  },
  {
    playbook: "restore",
    actors: [backupControllers, kubeVirt],
    vars: (name: string) => ({ backup: "base", name, newMachine: name }),
    objects: (name: string) => [
      ["virtualmachinerestore", name],
      ["virtualmachine", name],
    ],
  },
] as const;

/** Lets actors play during the tests of a block. */
function playing(...actors: readonly Actor[]): void {
  const stop = new AbortController();
  let played: Promise<void>;
  beforeAll(() => {
    played = play(server, stop.signal, ...actors);
  });
  afterAll(async () => {
    stop.abort();
    await played;
  });
}

/** Calls after which a run is killed, chosen by the seed. */
function pointsOf(calls: number): number[] {
  const random = seeded(tortureSeed);
  const all = Array.from({ length: calls }, (_, index) => ({ at: index + 1, order: random(1e9) }));
  return all
    .toSorted((a, b) => a.order - b.order)
    .slice(0, torturePoints(4))
    .map(({ at }) => at);
}

describe.each(cases)("gitops/$playbook, killed after an API call", ({ playbook, actors, vars, objects }) => {
  playing(...actors);
  const end = (name: string): string[] => objects(name).map(([kind = "", own = ""]) => made(kind, own));
  const clear = (name: string): void => {
    for (const [kind = "", own = ""] of objects(name)) server.kubectl(["delete", kind, own]);
  };

  test("is finished by the next run, as if it had not been killed", async () => {
    expect(await run(playbook, vars("whole"))).toMatch(/^\d+ changed, \d+ ok on 1 host/);
    const calls = proxy.count;
    const expected = end("whole");
    clear("whole");
    const points = pointsOf(calls);
    for (const at of points) {
      const name = `k-${at}`;
      expect(await run(playbook, vars(name), at)).toBeUndefined();
      expect(await run(playbook, vars(name))).toMatch(/^\d+ changed, \d+ ok on 1 host/);
      expect(end(name)).toEqual(expected);
      expect(await run(playbook, vars(name))).toMatch(/^0 changed, \d+ ok on 1 host/);
      clear(name);
    }
    covered(`gitops/${playbook}: killed after ${points.length} of ${calls} API calls`);
  });
});

describe("gitops/node-maintenance, killed after an API call", () => {
  const node = "harvester-2";
  beforeAll(() => {
    const { metadata, spec } = machineOf("gpu") as { metadata: object; spec: object };
    apply(
      server,
      {
        apiVersion: "kubevirt.io/v1",
        kind: "VirtualMachine",
        metadata,
        spec: { ...spec, runStrategy: "RerunOnFailure" },
      },
      runningOn("gpu", node, false),
    );
  });
  playing(maintenanceControllers);

  const vars = (action: string): object => ({ node, action, shutDown: action === "enter" ? ["default/gpu"] : [] });
  const end = (): string =>
    `${made("node", node)} ${made("virtualmachine", "gpu")}`.replaceAll(/"furrow\/maintenance-asked-by":"[^"]*"/g, "");

  test("is finished by the next run, as if it had not been killed", async () => {
    const ends: Record<string, string> = {};
    const calls: Record<string, number> = {};
    for (const action of ["enter", "leave"]) {
      expect(await run("node-maintenance", vars(action))).toMatch(/^\d+ changed, \d+ ok/);
      calls[action] = proxy.count;
      ends[action] = end();
    }
    const points = { enter: pointsOf(calls["enter"] ?? 1), leave: pointsOf(calls["leave"] ?? 1) };
    for (const [index, enterAt] of points.enter.entries()) {
      for (const [action, at] of [
        ["enter", enterAt],
        ["leave", points.leave[index] ?? 1],
      ] as const) {
        expect(await run("node-maintenance", vars(action), at)).toBeUndefined();
        expect(await run("node-maintenance", vars(action))).toMatch(/^\d+ changed, \d+ ok/);
        expect(end()).toBe(ends[action]);
        expect(await run("node-maintenance", vars(action))).toMatch(/^0 changed, \d+ ok/);
      }
    }
    covered(
      `gitops/node-maintenance: killed after ${points.enter.length} of ${calls["enter"]} API calls, and on the way back`,
    );
  });
});
