import { describe, expect, test } from "vitest";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { imageImported } from "./image-imported.ts";
import { imageObjects, vmImagesSchema } from "./images.ts";

const url = "https://factory.example.org/talos-1.9.0.raw.xz";
const checksum = "a".repeat(128);

test.each([
  ["an image without a URL", { talos: {} }, "images.talos.url"],
  [
    "a file on the controller",
    { talos: { url: "/srv/talos.raw" } },
    "images.talos.url: a URL that the cluster can reach",
  ],
  ["a protocol that Harvester does not speak", { talos: { url: "ftp://x/y" } }, "images.talos.url"],
  ["an SHA-256", { talos: { url, checksum: "a".repeat(64) } }, "images.talos.checksum: an SHA-512 in hex"],
  ["a name that Kubernetes does not allow", { "Talos 1.9": { url } }, "images.Talos 1.9: a name of at most"],
  [
    "two images with one name in Harvester's pages",
    { a: { url, displayName: "Talos" }, b: { url, displayName: "Talos" } },
    "images.b.displayName: a name that a does not have",
  ],
  ["a misspelt field", { talos: { url, checkSum: checksum } }, "images.talos"],
])("refuses %s", (_what, images, says) => {
  const [issue] = vmImagesSchema.safeParse({ kubeconfig: "k", images }).error?.issues ?? [];
  expect(`${issue?.path.join(".")}: ${issue?.message}`).toContain(says);
});

test("the objects are those of Harvester, with the replicas of the volumes made from them", () => {
  const { images } = vmImagesSchema.parse({ kubeconfig: "k", images: { talos: { url, checksum, replicas: 2 } } });
  expect(imageObjects(images)).toEqual([
    {
      apiVersion: "harvesterhci.io/v1beta1",
      kind: "VirtualMachineImage",
      metadata: { name: "talos", namespace: "default" },
      spec: {
        displayName: "talos",
        sourceType: "download",
        url,
        checksum,
        retry: 3,
        storageClassParameters: { migratable: "true", numberOfReplicas: "2", staleReplicaTimeout: "30" },
      },
    },
  ]);
});

describe("the wait for an image", () => {
  const ask = (status: object | undefined): Explanation =>
    explain(imageImported({ kubeconfig: "k", name: "talos", namespace: "default" }), {
      image: {
        found: true,
        object: { kind: "VirtualMachineImage", metadata: { name: "talos" }, spec: { url }, ...(status && { status }) },
      },
    });
  const conditions = (...all: [string, string, string?][]): object[] =>
    all.map(([type, state, message = ""]) => ({ type, status: state, message }));

  test("ends when it is imported", () => {
    const done = { progress: 100, conditions: conditions(["Imported", "True"]) };
    expect(ask({ ...done, storageClassName: "lh-1" }).refusal).toBeUndefined();
    expect(ask(done).refusal?.message).toContain("has not named its storage class");
  });

  test.each([
    ["it was only just made", undefined, "0 % are downloaded"],
    ["it is at 60 %", { progress: 60, conditions: conditions(["Imported", "Unknown"]) }, "60 % are downloaded"],
    [
      "100 % are there but not checked",
      { progress: 100, conditions: conditions(["Imported", "Unknown"]) },
      "100 % are downloaded",
    ],
    [
      "a download failed and is repeated",
      {
        progress: 12,
        conditions: conditions(["RetryLimitExceeded", "False", "retry attempted 1/3 failed due to error: timeout"]),
      },
      "12 % are downloaded; retry attempted 1/3 failed due to error: timeout",
    ],
  ])("goes on while %s", (_what, status, says) => {
    const { refusal } = ask(status);
    expect([refusal?.message, refusal?.final]).toEqual([says, undefined]);
  });

  test("fails at once with the importer's words when Harvester has given up", () => {
    const message = "retry attempted 3/3 failed due to error: sha512 does not match";
    const { refusal } = ask({
      progress: 100,
      conditions: conditions(["Imported", "False", message], ["RetryLimitExceeded", "True", message]),
    });
    expect(refusal).toMatchObject({ final: true, message: `Harvester cannot download ${url}: ${message}` });
  });

  test.each([
    [{ found: false }, "the cluster does not have the image"],
    [{ error: { code: "HTTP 403", message: "no" } }, "cannot tell how far the download is: VirtualMachineImage talos"],
  ])("never takes a missing answer for an image: %j", (image, says) => {
    const task = imageImported({ kubeconfig: "k", name: "talos", namespace: "default" });
    expect(explain(task, { image }).refusal?.message).toContain(says);
  });
});
