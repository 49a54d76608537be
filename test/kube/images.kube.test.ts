import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { vmImagesSchema } from "../../roles/vm-images/images.ts";
import { imagesImported } from "../../roles/vm-images/images-imported.ts";
import { vmImages } from "../../roles/vm-images/role.ts";
import { type TaskEnd, taskHost } from "../tasks/on-host.ts";
import { apply, imageImporter, makeNodes, play } from "./actors.ts";
import { imageKind } from "./harvester-kinds.ts";
import { ApiServer } from "./server/api-server.ts";

let server: ApiServer;
const host = taskHost();
const stop = new AbortController();
let importer: Promise<void>;

beforeAll(async () => {
  server = await ApiServer.up();
  apply(server, imageKind);
  makeNodes(server, { "harvester-1": {}, "harvester-2": {}, "harvester-3": {} });
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  importer = play(server, stop.signal, imageImporter);
});
afterAll(async () => {
  stop.abort();
  await importer;
  await server?.down();
});

const images = (urls: Readonly<Record<string, string>>) =>
  vmImages(
    vmImagesSchema.parse({
      kubeconfig: server.kubeconfig(),
      images: Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, { url }])),
      deadlineSeconds: 120,
    }),
  );
const outcomes = (ends: readonly TaskEnd[]): string[] => ends.map(({ title, outcome }) => `${title}: ${outcome}`);

describe("the images of a cluster", () => {
  const two = { debian: "https://x.example.org/debian.qcow2", talos: "https://x.example.org/talos.raw.xz" };

  test("are created, waited for, and left alone by the next run", async () => {
    expect(outcomes(await host.apply(images(two)))).toEqual([
      "the cluster has a node for each replica of the images: ok",
      "no image has failed: ok",
      "kubeObject VirtualMachineImage default/debian: changed",
      "kubeObject VirtualMachineImage default/talos: changed",
      "the cluster has the images default/debian, default/talos: ok",
    ]);
    for (const mode of ["check", "apply"] as const)
      expect(outcomes(await host[mode](images(two))).filter((one) => !one.endsWith(": ok"))).toEqual([]);
  });

  test("that are there do not count as missing in check mode if a new one is listed", async () => {
    const more = { ...two, fedora: "https://x.example.org/fedora.qcow2" };
    const waits = (ends: readonly TaskEnd[]) => ends.flatMap(({ because }) => because ?? []);
    expect(waits(await host.check(images(more)))).toEqual([
      "would wait for Harvester to download them; now: default/fedora: the cluster does not have this image",
    ]);
    // The next task waits for another image, as gitops/vms does after it has created a machine.
    const talos = [{ namespace: "default", name: "talos" }];
    const imported = imagesImported({ kubeconfig: server.kubeconfig(), images: talos });
    const ends = await host.check(images(more), imported);
    expect(ends.at(-1)).toMatchObject({ title: "the cluster has the images default/talos", outcome: "ok" });
    expect(waits(ends)).toHaveLength(1);
  });

  test("fail at once, with the importer's message, if one cannot be downloaded", async () => {
    const ends = await host.apply(images({ bad: "https://x.example.org/broken.iso" }));
    expect(ends.at(-1)?.error?.message).toContain("sha512 does not match");
    const checked = await host.check(images({ bad: "https://x.example.org/broken.iso" }));
    expect(checked.at(-1)?.error?.message).toContain("sha512 does not match");
  });
});
