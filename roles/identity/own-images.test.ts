import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/index.ts";
import { ownImages } from "./own-images.ts";

const image = "/mnt/datadisk1/harvester-data.qcow2";
const images = [{ node: "lab-1", file: image }];
const call = ownImages({ prefix: "lab", network: "vlan1", images });
const there = { format: "qcow2", sizeBytes: 1, hasBacking: false };
const domain = { active: false, disks: [image], networks: [], bridges: [] };
const host = (owner: string | undefined, found: unknown, domains: object = {}) => ({
  owner: owner === undefined ? absent : { type: "file", text: owner },
  images: [found],
  uses: [{ uses: [], lost: [] }],
  libvirt: { daemon: "up", problem: "", networks: {}, links: {}, domains },
});
const refusal = (...now: Parameters<typeof host>) => explain(call, host(...now)).refusal;

test.each<[string, ...Parameters<typeof host>]>([
  ["an empty host", undefined, absent],
  ["images that were deleted by hand, with the record of another cluster", "old\n", absent],
  ["an image whose machine was not defined before the run was killed", "lab\n", there],
  ["a cluster from before there were records", undefined, there, { "lab-1": domain }],
  ["a removed machine of another cluster", undefined, there, { "lab-1": domain, "old-1": absent }],
])("accepts %s", (_name, ...now) => {
  expect(refusal(...now)).toBeUndefined();
});

test("names the cluster that the images belong to, and how to keep or delete it", () => {
  expect(refusal("old\n", there)).toMatchObject({
    code: "other-cluster",
    message: expect.stringContaining("belong to the cluster old") as string,
    current: "old",
    expected: "lab",
    hint: expect.stringMatching(/Set prefix: "old".*--var prefix=old --var removeDisks=true/) as string,
  });
});

test("names the virtual machine that uses an image", () => {
  expect(refusal(undefined, there, { "old-2": { ...domain, active: true } })).toMatchObject({
    code: "image-in-use",
    current: "old-2",
    hint: expect.stringContaining('Set prefix: "old"') as string,
  });
});

test("refuses an image that the host has no record of, unless it is to be deleted", () => {
  expect(refusal(undefined, there)).toMatchObject({
    code: "unknown-cluster",
    hint: expect.stringContaining("echo lab >/etc/furrow-harvester/cluster") as string,
  });
  const destroying = ownImages({ prefix: "lab", network: "vlan1", images, unknown: "accept" });
  expect(explain(destroying, host(undefined, there)).refusal).toBeUndefined();
  expect(explain(destroying, host("old\n", there)).refusal?.code).toBe("other-cluster");
});

test.each([
  ["other disks", ["/srv/own/windows.qcow2", "/home/me/link/data.img"]],
  ["no disk", []],
  ["the image of another node", ["/mnt/datadisk2/harvester-data.qcow2"]],
])("refuses a virtual machine that has the name of a node but is not one: it has %s", (_name, disks) => {
  const destroying = ownImages({ prefix: "lab", network: "vlan1", images, unknown: "accept" });
  for (const task of [call, destroying]) {
    const { refusal: reason, steps } = explain(task, host("lab\n", there, { "lab-1": { ...domain, disks } }));
    expect(steps).toEqual([]);
    expect(reason).toMatchObject({
      code: "not-a-node",
      message: `the virtual machine lab-1 does not use ${image}, so furrow did not make it`,
      current: disks.join(", ") || "no disks",
      expected: image,
      hint: expect.stringContaining("virsh domrename lab-1") as string,
    });
  }
});

test("accepts a node to which a user has attached a disk", () => {
  const disks = [image, "/srv/own/data.qcow2"];
  expect(refusal("lab\n", there, { "lab-1": { ...domain, disks } })).toBeUndefined();
});

test.each([
  ["its image", { disks: ["/mnt/datadisk2/harvester-data.qcow2"] }],
  ["the nodes' network", { disks: ["/srv/moved.qcow2"], networks: ["vlan1"] }],
])("refuses to leave behind a node that the vars do not list, and names it; it has %s", (_name, own) => {
  const left = { "lab-1": domain, "lab-2": { ...domain, ...own } };
  const destroying = ownImages({ prefix: "lab", network: "vlan1", images, unknown: "accept" });
  for (const task of [call, destroying]) {
    expect(explain(task, host("lab\n", there, left)).refusal).toMatchObject({
      code: "nodes-left",
      message: "this host has lab-2, but the vars list only lab-1",
      hint: expect.stringContaining("removedNodes") as string,
    });
  }
});

test("ignores a virtual machine that is named like a node but has neither its image nor its network", () => {
  const other = { ...domain, disks: ["/srv/own/windows.qcow2"], networks: ["default"] };
  expect(refusal("lab\n", there, { "lab-1": domain, "lab-7": other })).toBeUndefined();
});

describe("a node whose disk is an overlay of its image after virsh snapshot-create-as --disk-only", () => {
  const overlay = "/mnt/datadisk1/harvester-data.snap1";
  const destroying = ownImages({ prefix: "lab", network: "vlan1", images, unknown: "accept" });
  const now = { ...host("lab\n", there, { "lab-1": { ...domain, disks: [overlay] } }) };

  test("is recognized, and the hint says how to merge the overlay, so that nothing written since is lost", () => {
    const uses = [{ uses: [{ domain: "lab-1", disk: overlay }], lost: [] }];
    for (const task of [call, destroying]) {
      const { refusal: reason, steps } = explain(task, { ...now, uses });
      expect(steps).toEqual([]);
      expect(reason).toMatchObject({
        code: "snapshot-overlay",
        message: expect.stringContaining(`lab-1 writes to ${overlay}, an overlay of ${image}`) as string,
        current: overlay,
        expected: image,
        hint: expect.stringContaining(`virsh blockcommit lab-1 ${overlay} --active --pivot`) as string,
      });
      expect(reason?.hint).not.toMatch(/virsh edit|domrename/);
    }
  });

  test("is refused without a hint to correct its path if the backing files of its disk cannot be read", () => {
    const problem = "/srv/base.qcow2 does not exist";
    const uses = [{ uses: [], lost: [{ domain: "lab-1", disk: overlay, problem }] }];
    const reason = explain(call, { ...now, uses }).refusal;
    expect(reason).toMatchObject({ code: "image-uses-unknown", message: expect.stringContaining(problem) as string });
    expect(reason?.hint).not.toMatch(/virsh edit|domrename/);
  });

  test("is recognized on an extra disk too, which a deployment would otherwise replace", () => {
    const second = { node: "lab-1", file: "/mnt/datadisk1-2/harvester-data.qcow2" };
    const snapshot = "/mnt/datadisk1-2/harvester-data.snap1";
    const both = ownImages({ prefix: "lab", network: "vlan1", images: [...images, second] });
    const found = {
      ...host("lab\n", there, { "lab-1": { ...domain, disks: [image, snapshot] } }),
      images: [there, there],
    };
    const uses = [{ uses: [{ domain: "lab-1", disk: snapshot }], lost: [] }];
    expect(explain(both, { ...found, uses }).refusal?.code).toBe("snapshot-overlay");
    expect(explain(both, { ...found, uses: [{ uses: [], lost: [] }] }).refusal).toBeUndefined();
  });
});
