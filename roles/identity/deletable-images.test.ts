import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/index.ts";
import { deletableImages } from "./deletable-images.ts";

const file = "/mnt/datadisk1/harvester-data.qcow2";
const libvirt = { daemon: "up", problem: "", networks: {}, links: {}, domains: {} };
const call = deletableImages({ images: [{ node: "lab-1", file }] });
const uses = [{ uses: [{ domain: "lab-1", disk: file }], lost: [] }];
const directory = { type: "directory" };
const image = { type: "file" };

test.each([
  ["an image", [directory, directory, image]],
  ["an image that was already deleted", [directory, directory, absent]],
  ["a directory that does not exist", [directory, absent, absent]],
])("accepts %s", (_name, paths) => {
  expect(explain(call, { paths, libvirt, uses }).refusal).toBeUndefined();
});

test.each([
  ["/mnt", [{ type: "link" }, directory, image]],
  ["/mnt/datadisk1", [directory, { type: "link" }, image]],
  ["/mnt/datadisk1/harvester-data.qcow2", [directory, directory, { type: "link" }]],
])("refuses an image behind the symbolic link %s, because its target may be someone else's", (link, paths) => {
  expect(explain(call, { paths, libvirt, uses }).refusal).toMatchObject({
    code: "image-behind-link",
    message: `${link} is a symbolic link, so /mnt/datadisk1/harvester-data.qcow2 may be another file, and is not deleted`,
    hint: expect.stringContaining("delete the image by hand") as string,
  });
});

test("names the disks that a user has attached, which stay", () => {
  const domain = { active: true, disks: ["/dev/sdx", file, "/srv/own/data.img"], networks: [], bridges: [] };
  const now = { paths: [directory, directory, image], uses, libvirt: { ...libvirt, domains: { "lab-1": domain } } };
  expect(explain(call, now)).toMatchObject({
    notes: ["not deleted with lab-1: /dev/sdx, /srv/own/data.img; furrow did not make these disks"],
  });
});

describe("an image that another disk needs", () => {
  const clone = "/srv/precious/clone.qcow2";
  const claims = { active: true, disks: [file], networks: [], bridges: [] };
  const domains = { "lab-1": claims, web: { ...claims, disks: [clone] } };
  const now = { paths: [directory, directory, image], libvirt: { ...libvirt, domains } };
  const refusalOf = (found: object, there: object = now) => explain(call, { ...there, uses: [found] }).refusal;

  test("is not deleted if a virtual machine uses an overlay of it: that would have destroyed the machine's disk", () => {
    expect(
      refusalOf({
        uses: [
          { domain: "lab-1", disk: file },
          { domain: "web", disk: clone },
        ],
        lost: [],
      }),
    ).toMatchObject({
      code: "image-has-overlay",
      message: `${file} must not be deleted: ${clone}, a disk of the virtual machine web, contains only the differences from it`,
      current: "needed by web",
      hint: expect.stringContaining(`qemu-img rebase -b "" ${clone}`) as string,
    });
  });

  test("is not deleted if an overlay of it is attached to its own node, because that disk stays", () => {
    const found = { uses: [{ domain: "lab-1", disk: clone }], lost: [] };
    expect(refusalOf(found)?.code).toBe("image-has-overlay");
  });

  test("is not deleted if another machine has it as a disk, even under another name", () => {
    expect(refusalOf({ uses: [{ domain: "web", disk: file }], lost: [] })?.code).toBe("disk-in-use");
    expect(refusalOf({ uses: [{ domain: "web", disk: "/srv/link.qcow2" }], lost: [] })?.message).toContain("web");
  });

  test("is not deleted while the backing files of any disk that stays cannot be read", () => {
    const problem = "/srv/base.qcow2 does not exist";
    expect(refusalOf({ uses: [], lost: [{ domain: "web", disk: clone, problem }] })).toMatchObject({
      code: "image-uses-unknown",
      message: `cannot tell whether ${file} is still needed by the virtual machine web: ${problem}`,
      hint: expect.stringContaining(`qemu-img info -U --backing-chain ${clone}`) as string,
    });
    expect(refusalOf({ uses: [], lost: [{ domain: "", disk: "", problem: "libvirt does not answer: x" }] })?.code).toBe(
      "image-uses-unknown",
    );
    // An interrupted run has deleted the image, but not yet the machine.
    expect(
      refusalOf({ uses: [], lost: [{ domain: "lab-1", disk: file, problem: "it does not exist" }] }),
    ).toBeUndefined();
  });
});
