import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resources } from "../../roles/resources/role.ts";
import { instanceOf, nodeOf, type Objects, soundCluster } from "../guards/examples.ts";
import { machinePodOf, podOf } from "../guards/report-examples.ts";
import { type TaskEnd, taskHost } from "../tasks/on-host.ts";
import { apply } from "./actors.ts";
import { allowReading, makeKinds, makeObjects } from "./report-scene.ts";
import { ApiServer } from "./server/api-server.ts";

let server: ApiServer;
const host = taskHost();

const machine = (name: string, cores: number, memory: string, printableStatus: string): object => ({
  metadata: { namespace: "default", name },
  spec: { template: { spec: { volumes: [], domain: { cpu: { cores }, resources: { limits: { memory } } } } } },
  status: { printableStatus },
});

const cluster: Partial<Objects> = {
  ...soundCluster,
  nodes: [nodeOf("harvester-1"), nodeOf("harvester-2"), nodeOf("harvester-3", { cordoned: true })],
  machines: [machine("db", 8, "16Gi", "Running"), machine("web", 2, "2Gi", "Stopped")],
  instances: [instanceOf("db", "harvester-1")],
  persistentVolumes: [],
  pods: [
    machinePodOf("default/db", "harvester-1", "500m", "11Gi"),
    podOf("harvester-system/harvester-0", "harvester-2"),
  ],
};

beforeAll(async () => {
  server = await ApiServer.up();
  makeKinds(server);
  makeObjects(server, cluster);
  const overcommit = { name: "overcommit-config" };
  const value = '{"cpu":1600,"memory":150,"storage":200}';
  apply(server, { apiVersion: "harvesterhci.io/v1beta1", kind: "Setting", metadata: overcommit, value });
});
afterAll(() => server?.down());

const notesOf = (ends: readonly TaskEnd[]): string[] => ends.flatMap(({ title, notes }) => [`# ${title}`, ...notes]);

describe("the report of resources", () => {
  const report = (user?: string) => resources({ kubeconfig: server.kubeconfig(user) });

  test("says the same in check mode and in a run, and only reads", async () => {
    const before = server.requests().length;
    const ends = await host.apply(report());
    expect(notesOf(ends)).toEqual(notesOf(await host.check(report())));
    expect(ends.map(({ outcome }) => outcome)).toEqual(ends.map(() => "ok"));
    expect(ends.flatMap(({ steps }) => steps)).toEqual([]);
    const verbs = server
      .requests()
      .slice(before)
      .map((request) => request.split(" ")[0]);
    expect(verbs.length).toBeGreaterThan(0);
    expect(verbs.filter((verb) => verb !== "get" && verb !== "list")).toEqual([]);
    expect(notesOf(ends)).toMatchInlineSnapshot();
  });

  test("names each list that the user may not read, and shows nothing as zero", async () => {
    const ends = await host.apply(report("guest"));
    expect(ends.map(({ outcome }) => outcome)).toEqual(ends.map(() => "ok"));
    for (const { title, notes } of ends)
      expect([title, notes.join("\n")]).toEqual([title, expect.stringContaining("HTTP 403")]);
    expect(notesOf(ends).filter((note) => !/^#|^not seen: .*because/.test(note))).toEqual([
      "which node could be lost is unknown without what follows",
    ]);
  });

  test("is complete with the rights to read alone", async () => {
    const ends = await host.apply(report());
    allowReading(server);
    await expect.poll(async () => notesOf(await host.apply(report("guest")))).toEqual(notesOf(ends));
  });
});
