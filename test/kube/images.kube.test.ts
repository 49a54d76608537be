import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { vmImagesSchema } from "../../roles/vm-images/images.ts";
import { vmImages } from "../../roles/vm-images/role.ts";
import { type TaskEnd, taskHost } from "../tasks/on-host.ts";
import { imageKind } from "./harvester-kinds.ts";
import { ApiServer } from "./server/api-server.ts";

let server: ApiServer;
const host = taskHost();
const stop = new AbortController();
let importer: Promise<void>;

const kind = "virtualmachineimages.harvesterhci.io";
const read = (...argv: string[]): unknown => JSON.parse(server.kubectl(["get", ...argv, "--output=json"]));
const patch = (name: string, status: object): string =>
  server.kubectl(["patch", kind, name, "--type=merge", `--patch=${JSON.stringify({ status })}`]);

beforeAll(async () => {
  server = await ApiServer.up();
  server.kubectl(["apply", "--filename=-"], JSON.stringify(imageKind));
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  importer = download(stop.signal);
});
afterAll(async () => {
  stop.abort();
  await importer;
  await server?.down();
});

interface Images {
  readonly items: readonly { readonly metadata: { readonly name: string }; readonly spec: { readonly url: string } }[];
}

/** Does what Harvester does with an image: it reports its progress; a URL that contains "broken" fails at last. */
async function download(until: AbortSignal): Promise<void> {
  const begun = new Set<string>();
  while (!until.aborted) {
    const { items } = read(kind) as Images;
    for (const { metadata, spec } of items.filter((one) => !begun.has(one.metadata.name))) {
      begun.add(metadata.name);
      patch(metadata.name, { progress: 60, conditions: [{ type: "Imported", status: "Unknown" }] });
      const message = "retry attempted 3/3 failed due to error: sha512 does not match";
      patch(
        metadata.name,
        spec.url.includes("broken")
          ? {
              progress: 100,
              failed: 4,
              conditions: [
                { type: "Imported", status: "False", message },
                { type: "RetryLimitExceeded", status: "True", message },
              ],
            }
          : {
              progress: 100,
              size: 1,
              storageClassName: `lh-${metadata.name}`,
              conditions: [{ type: "Imported", status: "True" }],
            },
      );
    }
    await pause(500);
  }
}

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

  test("are made, waited for, and left alone by the next run", async () => {
    expect(outcomes(await host.apply(images(two)))).toEqual([
      "kubeObject VirtualMachineImage default/debian: changed",
      "kubeObject VirtualMachineImage default/talos: changed",
      "the image default/debian is in the cluster: ok",
      "the image default/talos is in the cluster: ok",
    ]);
    for (const mode of ["check", "apply"] as const)
      expect(outcomes(await host[mode](images(two))).filter((one) => !one.endsWith(": ok"))).toEqual([]);
  });

  test("fail at once, with the importer's words, if one cannot be downloaded", async () => {
    const ends = await host.apply(images({ bad: "https://x.example.org/broken.iso" }));
    expect(ends.at(-1)?.error?.message).toContain("sha512 does not match");
  });
});
