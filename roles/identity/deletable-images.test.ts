import { expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/index.ts";
import { deletableImages } from "./deletable-images.ts";

const file = "/mnt/datadisk1/harvester-data.qcow2";
const libvirt = { daemon: "up", problem: "", networks: {}, links: {}, domains: {} };
const call = deletableImages({ images: [{ node: "lab-1", file }] });
const directory = { type: "directory" };
const image = { type: "file" };

test.each([
  ["an image", [directory, directory, image]],
  ["an image that was already deleted", [directory, directory, absent]],
  ["a directory that does not exist", [directory, absent, absent]],
])("accepts %s", (_name, paths) => {
  expect(explain(call, { paths, libvirt }).refusal).toBeUndefined();
});

test.each([
  ["/mnt", [{ type: "link" }, directory, image]],
  ["/mnt/datadisk1", [directory, { type: "link" }, image]],
  ["/mnt/datadisk1/harvester-data.qcow2", [directory, directory, { type: "link" }]],
])("refuses an image behind the symbolic link %s, because its target may be someone else's", (link, paths) => {
  expect(explain(call, { paths, libvirt }).refusal).toMatchObject({
    code: "image-behind-link",
    message: `${link} is a symbolic link, so /mnt/datadisk1/harvester-data.qcow2 may be another file, and is not deleted`,
    hint: expect.stringContaining("delete the image by hand") as string,
  });
});

test("names the disks that a user has attached, which stay", () => {
  const domain = { active: true, disks: ["/dev/sdx", file, "/srv/own/data.img"], networks: [], bridges: [] };
  const now = { paths: [directory, directory, image], libvirt: { ...libvirt, domains: { "lab-1": domain } } };
  expect(explain(call, now)).toMatchObject({
    notes: ["not deleted with lab-1: /dev/sdx, /srv/own/data.img; furrow did not make these disks"],
  });
});
