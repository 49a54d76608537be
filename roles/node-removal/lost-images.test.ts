import { describe, expect, test } from "vitest";
import { answersOf, type Objects, soundCluster } from "../../test/guards/examples.ts";
import { backingImageOf, imageOf, longhornNodeOf } from "../../test/guards/report-examples.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { absent } from "../../src/authoring.ts";
import { mayLeave } from "./quorum.ts";

const ask = (cluster: Partial<Objects>, ...acceptLoss: string[]): Explanation =>
  explain(mayLeave({ kubeconfig: "k", node: "harvester-2", acceptLoss }), {
    ...answersOf({
      ...soundCluster,
      images: [{ ...imageOf("default/image-x7k2p"), spec: { displayName: "debian-12" } }],
      ...cluster,
    }),
    domain: absent,
  });
const refusal = (...backingImages: object[]): string | undefined => ask({ backingImages }).refusal?.message;

interface Example {
  readonly spec: object;
  readonly status: { readonly diskFileStatusMap: object };
}
const image = (...nodes: string[]): Example => backingImageOf("default/image-x7k2p", ...nodes) as Example;
/** The image with its copy on harvester-2, and a copy in the given state on another disk. */
const withCopy = (disk: string, state: string): object => {
  const { spec, status, ...more } = image("harvester-2");
  const diskFileStatusMap = { ...status.diskFileStatusMap, [disk]: { state } };
  return { ...more, spec, status: { ...status, diskFileStatusMap } };
};
const lost = "without harvester-2 these would be lost: 1 image: default/image-x7k2p (debian-12; 1 GiB; ";

describe("an image", () => {
  test("whose only copy is on the node is not lost without consent, and naming it accepts the loss", () => {
    const alone = { backingImages: [image("harvester-2")] };
    expect(ask(alone).refusal).toMatchObject({
      message: `${lost}its only usable copy is on harvester-2, and Longhorn cannot create it again)`,
      hint: expect.stringContaining(`acceptLoss='["default/image-x7k2p"]'`) as string,
    });
    const accepted = ask(alone, "default/image-x7k2p");
    expect(accepted.refusal).toBeUndefined();
    expect(accepted.notes).toEqual([expect.stringContaining("lost with harvester-2, as accepted: 1 image: ")]);
  });

  test("that was downloaded counts too: its source may have disappeared", () => {
    const { spec, ...more } = image("harvester-2");
    expect(refusal({ ...more, spec: { ...spec, sourceType: "download" } })).toBe(
      `${lost}its only usable copy is on harvester-2, and Longhorn can download it again only if its source still has it)`,
    );
  });

  test("with a ready copy on another node is not lost; nor is one that has no copy on the node", () => {
    expect(
      refusal(image("harvester-2", "harvester-3"), backingImageOf("default/other", "harvester-1")),
    ).toBeUndefined();
  });

  test("is lost if the other copy is not ready, or its disk or its node is not usable", () => {
    expect(refusal(withCopy("disk-of-harvester-3", "in-progress"))).toContain("its only usable copy is on harvester-2");
    expect(refusal(withCopy("disk-of-harvester-3", "unknown"))).toContain("its only usable copy is on harvester-2");
    expect(refusal(withCopy("disk-of-nobody", "ready"))).toContain("its only usable copy is on harvester-2");
    const backingImages = [image("harvester-2", "harvester-3")];
    const broken = longhornNodeOf("harvester-3", { seen: { conditions: [{ type: "Ready", status: "False" }] } });
    const longhornNodes = [longhornNodeOf("harvester-1"), longhornNodeOf("harvester-2"), broken];
    expect(ask({ backingImages, longhornNodes }).refusal?.message).toBe(
      `${lost}its copies are on harvester-2 and harvester-3, and the disk default-disk of harvester-3 is not ready, and Longhorn cannot create it again)`,
    );
  });

  test("whose copies are on disks that Longhorn does not list may be on the node", () => {
    const { status, ...more } = image("harvester-9");
    expect(refusal({ ...more, status })).toContain("its only usable copy is on harvester-2");
  });

  test("that has failed, or is being deleted, is not lost", () => {
    const { metadata, ...more } = image("harvester-2") as Example & { readonly metadata: object };
    expect(refusal({ ...more, metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } })).toBeUndefined();
    const { spec, status, ...rest } = image("harvester-2");
    const failed = { "disk-of-harvester-2": { state: "failed" } };
    expect(refusal({ ...rest, spec, status: { ...status, diskFileStatusMap: failed } })).toBeUndefined();
  });

  test("of a release that only has the field disks is found too", () => {
    const { spec: _spec, ...more } = image("harvester-2");
    const spec = { sourceType: "upload", disks: { "disk-of-harvester-2": "" } };
    expect(refusal({ ...more, spec })).toContain("its only usable copy is on harvester-2");
  });
});
