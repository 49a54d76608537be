import { describe, expect, test } from "vitest";
import { explain } from "../../src/testing/index.ts";
import {
  answersOf,
  instanceOf,
  nodeOf,
  type Objects,
  replicaOf,
  soundCluster,
  threeNodes,
  volumeOf,
} from "../../test/guards/examples.ts";
import { backingImageOf, longhornNodeOf, machinePodOf, podOf, settingOf } from "../../test/guards/report-examples.ts";
import { machineResources } from "./machines.ts";
import { nodeResources } from "./nodes.ts";
import { overcommitment } from "./overcommit.ts";
import { spareNodes } from "./spare-nodes.ts";
import { storageResources } from "./storage.ts";

const kubeconfig = "k";
const forbidden = { error: { code: "HTTP 403", message: 'pods is forbidden: User "guest" may not list' } };
const now = (cluster: Partial<Objects>) => answersOf({ ...soundCluster, ...cluster });

const definition = (name: string, cores: number, memory: string, printableStatus?: string): object => ({
  metadata: { namespace: "default", name },
  spec: {
    template: {
      spec: { volumes: [], domain: { cpu: { cores, sockets: 1, threads: 1 }, resources: { limits: { memory } } } },
    },
  },
  ...(printableStatus !== undefined && { status: { printableStatus } }),
});

describe("nodes", () => {
  const notes = (more: object): readonly string[] =>
    explain(nodeResources({ kubeconfig }), { ...now({}), ...more }).notes;

  test("are shown with what is reserved, requested and free", () => {
    const pods = [
      machinePodOf("default/db", "harvester-1", "500m", "10Gi"),
      podOf("kube-system/canal", "harvester-1", { cpu: "250m", memory: "512Mi", owner: "DaemonSet/canal" }),
      podOf("default/done", "harvester-1", { phase: "Succeeded" }),
      podOf("default/new", undefined, { phase: "Pending" }),
    ];
    const nodes = [nodeOf("harvester-1"), nodeOf("harvester-2", { cordoned: true })];
    expect(notes(now({ nodes, pods }))).toEqual([
      "cores        has  reserved  usable  requested  free",
      "harvester-1    8       0.4     7.6        0.8   6.9",
      "harvester-2    8       0.4     7.6          0   7.6",
      "all           16       0.8    15.2        0.8  14.5",
      "memory, GiB  has  reserved  usable  requested  free",
      "harvester-1   32         2      30       10.5  19.5",
      "harvester-2   32         2      30          0    30",
      "all           64         4      60       10.5  49.5",
      "harvester-2 is cordoned: it gets no pods",
      "not counted, because they are waiting for a node: default/new",
    ]);
  });

  test("have a question mark where the pods cannot be read, and the reason is reported", () => {
    const shown = notes({ pods: forbidden });
    expect(shown).toContain("harvester-1    8       0.4     7.6          ?     ?");
    expect(shown.at(-1)).toBe(
      'unknown: the pods, because this user is not allowed to read them (HTTP 403: pods is forbidden: User "guest" may not list)',
    );
  });

  test("whose kubelet has not reported a size do not count as empty", () => {
    const silent = { ...nodeOf("harvester-9"), status: { conditions: [{ type: "Ready", status: "Unknown" }] } };
    const shown = notes(now({ nodes: [nodeOf("harvester-1"), silent] }));
    expect(shown).toContain("all            ?         ?       ?          1     ?");
    expect(shown).toContain("unknown: the size of harvester-9, because its kubelet has not reported it");
  });

  test("count what an init container needs before the others start", () => {
    const requests = (cpu: string): object => ({ resources: { requests: { cpu, memory: "1Gi" } } });
    const spec = {
      nodeName: "harvester-1",
      containers: [requests("1"), requests("1")],
      initContainers: [requests("5")],
    };
    const pod = { metadata: { namespace: "default", name: "x" }, spec, status: { phase: "Running" } };
    expect(notes(now({ pods: [pod] }))[1]).toBe("harvester-1    8       0.4     7.6          5   2.6");
  });
});

describe("virtual machines", () => {
  test("are shown with their size, state and node", () => {
    const machines = [definition("db", 8, "16Gi", "Running"), definition("web", 2, "2Gi", "Stopped")];
    const { notes } = explain(
      machineResources({ kubeconfig }),
      now({ machines, instances: [instanceOf("db", "harvester-2")] }),
    );
    expect(notes).toEqual([
      "cores  GiB  state    node         machine",
      "    8   16  Running  harvester-2  default/db",
      "    2    2  Stopped  –            default/web",
      "1 machine running: 8 cores and 16 GiB",
      "2 machines defined: 10 cores and 18 GiB",
    ]);
  });

  test("are not shown as stopped if the running ones cannot be read", () => {
    const machines = [definition("db", 8, "16Gi")];
    const { notes } = explain(machineResources({ kubeconfig }), { ...now({ machines }), instances: forbidden });
    expect(notes[1]).toBe("    8   16  ?      ?     default/db");
    expect(notes).toContain("unknown: the state of default/db, because KubeVirt has not reported it");
    expect(notes.at(-1)).toContain("unknown: the running virtual machines, because");
  });
});

describe("storage", () => {
  test("is shown for each disk, with the space that Longhorn could still promise to volumes", () => {
    const longhornNodes = [
      longhornNodeOf("harvester-1"),
      longhornNodeOf("harvester-2", { disk: { allowScheduling: false } }),
    ];
    const { notes } = explain(storageResources({ kubeconfig }), now({ longhornNodes }));
    expect(notes).toEqual([
      "GiB  reserved  promised  left  available  disk",
      "300        30       100   440        200  harvester-1 default-disk",
      "300        30       100     0        200  harvester-2 default-disk",
      "600        60       200   440        400  all",
      "left = (GiB − reserved) × 200 % − promised; available = free now",
      "a disk gets no replica that would leave less than 25 % available",
      "harvester-2 default-disk gets no replicas: scheduling is switched off",
    ]);
  });

  test("that Longhorn has not checked is not shown as empty", () => {
    const [node] = [longhornNodeOf("harvester-1")] as [{ status: object }];
    const longhornNodes = [{ ...node, status: { conditions: null, diskStatus: null } }];
    const { notes } = explain(storageResources({ kubeconfig }), now({ longhornNodes, longhornSettings: [] }));
    expect(notes[1]).toBe("  ?        30         ?     ?          ?  harvester-1 default-disk");
    expect(notes).toContain("unknown: what is left, because Longhorn's over-provisioning setting is unknown");
    expect(notes).toContain(
      "unknown: the space on harvester-1 default-disk, because Longhorn has not checked the disk",
    );
  });
});

describe("over-commitment", () => {
  const setting = (value: string, more: object = {}) => ({
    found: true,
    object: { kind: "Setting", metadata: { name: "overcommit-config" }, value, ...more },
  });
  const notes = (answer: object, cluster: Partial<Objects> = {}): readonly string[] =>
    explain(overcommitment({ kubeconfig }), { ...now(cluster), setting: answer }).notes;

  test("is shown for an example machine, with the room that is left for more machines", () => {
    const shown = notes(setting("", { default: '{"cpu":1600,"memory":150,"storage":200}' }), {
      nodes: [nodeOf("harvester-1")],
      pods: [],
    });
    expect(shown).toEqual([
      "cores 1600 %: a machine with 8 cores requests 0.5",
      "memory 150 %: a machine with 8 GiB requests 5.3 GiB",
      "storage 200 %: Longhorn promises up to 200 GiB to volumes on a disk of 100 GiB",
      "room for all additional machines together: about 121.6 cores and 45 GiB",
      "one more machine on harvester-1: up to 8 cores and 32 GiB",
    ]);
  });

  test("is also reported if Longhorn uses a different percentage from Harvester", () => {
    const longhornSettings = [settingOf("storage-over-provisioning-percentage", "300")];
    expect(notes(setting('{"cpu":100,"memory":100,"storage":200}'), { longhornSettings })).toContainEqual(
      expect.stringContaining("Longhorn uses 300 % for storage, not Harvester's 200 %"),
    );
  });

  test.each([
    ["does not exist", { found: false }],
    ["cannot be read: {", setting("{")],
    ["cannot be read (HTTP 403", forbidden],
  ])("is reported as unknown, not as none, if the setting %s", (why, answer) => {
    const [first] = notes(answer);
    expect(first).toContain("unknown: how much Harvester over-commits, because");
    expect(first).toContain(why);
  });
});

describe("a node", () => {
  const spare = (cluster: Partial<Objects>): readonly string[] =>
    explain(spareNodes({ kubeconfig }), now(cluster)).notes;

  test("can be lost if its pods fit elsewhere and its data is there too", () => {
    const pods = [
      machinePodOf("default/db", "harvester-1", "500m", "16Gi"),
      podOf("kube-system/canal", "harvester-1", { owner: "DaemonSet/canal" }),
    ];
    expect(spare({ pods })).toEqual([
      "harvester-1 can be lost: the other nodes have room for 1 pod, including 1 machine (0.5 cores and 16 GiB requested); 1 volume would have one replica fewer until it is rebuilt",
      "harvester-2 can be lost: nothing has to move; 1 volume would have one replica fewer until it is rebuilt",
      "harvester-3 can be lost: nothing has to move; 1 volume would have one replica fewer until it is rebuilt",
      "compared: votes, healthy replicas, copies of images, requests and node selectors; not compared: affinity",
    ]);
  });

  test.each<[string, Partial<Objects>]>([
    [
      "no room on the others for default/db (1 core and 28 GiB)",
      {
        pods: [1, 2, 3].map((at) =>
          machinePodOf(at === 1 ? "default/db" : `default/m-${at}`, `harvester-${at}`, "1", "28Gi"),
        ),
      },
    ],
    [
      "no room on the others for default/db (1 core and 1 GiB)",
      {
        pods: [
          podOf("default/virt-launcher", "harvester-1", {
            owner: "VirtualMachineInstance/db",
            selector: { "kubernetes.io/hostname": "harvester-1" },
          }),
        ],
      },
    ],
    [
      "no room on the others for default/db (1 core and 1 GiB)",
      {
        nodes: [nodeOf("harvester-1", { votes: false }), nodeOf("harvester-2", { cordoned: true })],
        pods: [machinePodOf("default/db", "harvester-1", "1", "1Gi")],
      },
    ],
    ["without harvester-1 only 1 of 3 voting nodes is up, but 2 are needed", { nodes: threeNodes(3) }],
    [
      "its data is nowhere else: pvc-9 (its only healthy replica is on harvester-1)",
      { persistentVolumes: [], volumes: [volumeOf("pvc-9")], replicas: [replicaOf("pvc-9", "harvester-1")] },
    ],
    [
      "the only copies of images are on it: default/talos (talos; 1 GiB; its only usable copy is on harvester-1, and Longhorn cannot create it again)",
      { backingImages: [backingImageOf("default/talos", "harvester-1")] },
    ],
    [
      "default/gpu cannot run elsewhere: it uses a device on its node",
      {
        instances: [
          instanceOf("gpu", "harvester-1", "Running", undefined, {
            domain: { devices: { hostDevices: [{ name: "gpu" }] } },
          }),
        ],
        machines: [definition("gpu", 1, "1Gi")],
      },
    ],
  ])("cannot be lost: %s", (why, cluster) => {
    expect(spare(cluster)[0]).toBe(`harvester-1 cannot be lost: ${why}`);
  });

  test("is not reported as expendable while a list is missing", () => {
    const { notes } = explain(spareNodes({ kubeconfig }), { ...now({}), pods: forbidden });
    expect(notes).toEqual([
      "without the following, furrow cannot tell which node could be lost",
      expect.stringContaining("unknown: the pods, because"),
    ]);
  });
});
