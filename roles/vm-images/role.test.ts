import { describe, expect, test } from "vitest";
import { faults } from "../../src/load/playbook/issues.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { imageObjects, vmImagesSchema } from "./images.ts";
import { imagesImported, noFailedImage } from "./images-imported.ts";

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
  [
    "a URL with a password",
    { talos: { url: "https://me:secret@x.example.org/y" } },
    "a URL without a user and password",
  ],
  ["a URL with a space", { talos: { url: "https://x.example.org/a b" } }, "images.talos.url: a URL that the cluster"],
  ["an SHA-256", { talos: { url, checksum: "a".repeat(64) } }, "images.talos.checksum: an SHA-512 in hex"],
  ["a name that Kubernetes does not allow", { "Talos 1.9": { url } }, "images.Talos 1.9: a name of at most"],
  [
    "two images with the same name in the Harvester UI",
    { a: { url, displayName: "Talos" }, b: { url, displayName: "Talos" } },
    "images.b.displayName: a name that a does not have",
  ],
  ["a misspelled field", { talos: { url, checkSum: checksum } }, "images.talos"],
])("refuses %s", (_what, images, says) => {
  const data = { kubeconfig: "k", images };
  const [fault] = faults(vmImagesSchema, vmImagesSchema.safeParse(data).error?.issues ?? [], data);
  expect(`${fault?.path}: ${fault?.expected ?? ""}`).toContain(says);
});

test("the objects match Harvester's, with the replicas of the volumes made from them", () => {
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

describe("the wait for images", () => {
  const images = [{ namespace: "default", name: "talos" }];
  const answer = (status: object | undefined, name = "talos"): object => ({
    found: true,
    object: { kind: "VirtualMachineImage", metadata: { name }, spec: { url, retry: 3 }, ...(status && { status }) },
  });
  const ask = (status: object | undefined): Explanation =>
    explain(imagesImported({ kubeconfig: "k", images }), { images: [answer(status)] });
  const conditions = (...all: [string, string, string?][]): object[] =>
    all.map(([type, state, message = ""]) => ({ type, status: state, message }));
  const message = "retry attempted 3/3 failed due to error: sha512 does not match";
  const failed = {
    progress: 100,
    conditions: conditions(["Imported", "False", message], ["RetryLimitExceeded", "True", message]),
  };

  test("ends when the image is imported and Harvester has named its storage class", () => {
    const done = { progress: 100, conditions: conditions(["Imported", "True"]) };
    expect(ask({ ...done, storageClassName: "lh-1" }).refusal).toBeUndefined();
    expect(ask(done).refusal?.message).toContain("has not reported its storage class");
  });

  test.each([
    ["the image was only just created", undefined, "default/talos: 0 % downloaded"],
    [
      "it is at 60 %",
      { progress: 60, conditions: conditions(["Imported", "Unknown"]) },
      "default/talos: 60 % downloaded",
    ],
    [
      "100 % is downloaded but not checked",
      { progress: 100, conditions: conditions(["Imported", "Unknown"]) },
      "100 %",
    ],
    [
      "a download failed and is repeated",
      { progress: 12, failed: 1, conditions: conditions(["RetryLimitExceeded", "False", "timeout"]) },
      "default/talos: 12 % downloaded; timeout",
    ],
  ])("goes on while %s", (_what, status, says) => {
    const { refusal } = ask(status);
    expect(refusal?.message).toContain(says);
    expect(refusal?.final).toBeUndefined();
  });

  test.each([
    ["Harvester has given up", failed],
    ["there were more failures than attempts", { failed: 4, conditions: conditions(["Imported", "False", message]) }],
  ])("fails at once with the importer's message if %s", (_what, status) => {
    const { refusal } = ask(status);
    expect(refusal).toMatchObject({
      final: true,
      message: `default/talos: Harvester cannot download ${url}: ${message}`,
    });
  });

  const limit = "VMImage has reached the specified retry limit";
  test.each([
    [
      "a 404",
      [["Initialized", "False", "got 404 status code from https://x/y"]],
      "got 404 status code from https://x/y",
    ],
    ["a wrong checksum", [["Imported", "False", "sha512 does not match"]], "sha512 does not match"],
    [
      "both, once each",
      [
        ["Initialized", "False", "no route"],
        ["Imported", "False", "no route"],
      ],
      "no route",
    ],
    [
      "an old report",
      [
        ["Initialized", "True", "ready"],
        ["Imported", "False", ""],
      ],
      limit,
    ],
  ] as [string, [string, string, string][], string][])(
    "names the cause of a failure, not only Harvester's retry limit: %s",
    (_what, causes, says) => {
      const { refusal } = ask({ failed: 4, conditions: conditions(...causes, ["RetryLimitExceeded", "True", limit]) });
      expect(refusal?.message).toBe(`default/talos: Harvester cannot download ${url}: ${says}`);
      const retried = ask({ failed: 1, conditions: conditions(...causes, ["RetryLimitExceeded", "False", limit]) });
      expect(retried.refusal?.message).toBe(`default/talos: 0 % downloaded; ${says}`);
    },
  );

  test("shows no signature of a presigned URL", () => {
    const says = "got 403 from https://b/k?X-Amz-Signature=LEAK&x=1";
    const causes = [["Imported", "False", says]] as [string, string, string][];
    const { refusal } = ask({ failed: 4, conditions: conditions(...causes, ["RetryLimitExceeded", "True", limit]) });
    expect(refusal?.message).toContain("got 403 from https://b/k?X-Amz-Signature=…&x=1");
    expect(refusal?.message).not.toContain("LEAK");
  });

  test("fails at once if one image has failed, although another one is still being downloaded", () => {
    const both = [{ namespace: "default", name: "debian" }, ...images];
    const { refusal } = explain(imagesImported({ kubeconfig: "k", images: both }), {
      images: [answer({ progress: 30 }, "debian"), answer(failed)],
    });
    expect(refusal?.final).toBe(true);
    expect(refusal?.message).not.toContain("debian");
  });

  test("fails even in check mode, which does not wait", () => {
    const check = (status: object | undefined): string | undefined =>
      explain(noFailedImage({ kubeconfig: "k", images }), { images: [answer(status)] }).refusal?.message;
    expect(check(failed)).toContain("sha512 does not match");
    expect(check({ progress: 60 })).toBeUndefined();
    const missing = explain(noFailedImage({ kubeconfig: "k", images }), { images: [{ found: false }] });
    expect(missing.refusal).toBeUndefined();
  });

  test.each([
    [{ found: false }, "default/talos: the cluster does not have this image"],
    [{ error: { code: "HTTP 403", message: "no" } }, "cannot tell whether the image exists: VirtualMachineImage talos"],
  ])("never mistakes a missing answer for an image: %j", (image, says) => {
    const task = imagesImported({ kubeconfig: "k", images });
    expect(explain(task, { images: [image] }).refusal?.message).toContain(says);
  });
});
