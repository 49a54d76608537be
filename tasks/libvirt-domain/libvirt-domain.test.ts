import { describe, expect, test } from "vitest";
import { absent, knownAfterApply } from "../../src/authoring.ts";
import { contractOf, explain, type Explanation } from "../../src/testing/index.ts";
import { cases, domainWith, none, params, right } from "./libvirt-domain.cases.ts";
import { cases as dependentCases } from "./dependents.cases.ts";
import { cases as foreignCases } from "./foreign-use.cases.ts";
import { cases as overlayCases } from "./overlay.cases.ts";
import { libvirtDomain } from "./libvirt-domain.ts";

const mac = "52:54:00:00:00:01";
const [disk] = params.disks;
const tell = (change: object, now: object = {}): Explanation =>
  explain(libvirtDomain({ ...params, ...change }), { ...right, ...now });
const defined = (told: Explanation): string => {
  const step = told.steps.find((one) => one.step === "run" && one.label === "define node-1");
  return step?.step === "run" ? (step.stdin ?? "") : "";
};

test("libvirtDomain meets the task contract", () => {
  expect(
    contractOf(libvirtDomain, [...cases, ...dependentCases, ...foreignCases, ...overlayCases], {
      folder: "libvirt-domain",
    }),
  ).toEqual([]);
});

test("a machine on a snapshot overlay is not redefined to use its base image, and the hint shows how to merge the overlay", () => {
  const overlay = "/data/node-1.snap1";
  const file = disk?.file ?? "";
  const uses = [{ uses: [{ domain: "node-1", disk: overlay }], lost: [] }];
  const told = tell({}, { domain: domainWith({ disks: { vda: { file: overlay } } }), uses });
  expect(told.steps).toEqual([]);
  expect(told.refusal).toMatchObject({
    message: expect.stringContaining(`node-1 writes to ${overlay}, an overlay of ${file}`) as string,
    hint: expect.stringContaining(`virsh blockcommit node-1 ${overlay} --active --pivot`) as string,
  });
});

describe("a definition", () => {
  test("is based on the current definition: UUID, addresses, drives and unknown elements are kept", () => {
    const told = tell({ memoryMiB: 4096, vcpus: 4 });
    expect(told.change["libvirtDomain:node-1"]).toEqual(["memoryMiB", "vcpus"]);
    const xml = defined(told);
    for (const kept of [
      "<uuid>u-1</uuid>",
      "<description>a&#10;b</description>",
      "<address type='pci' bus='0x01'/>",
      "<address type='pci' bus='0x03'/>",
      "cache='none'",
      "device='cdrom'",
      "machine='pc-q35-7.2'",
      "migratable='on'",
    ]) {
      expect(xml).toContain(kept);
    }
    expect(xml).toContain("<memory unit='MiB'>4096</memory><currentMemory unit='MiB'>4096</currentMemory>");
    expect(xml).not.toContain("topology");
  });

  test("names the parts that differ", () => {
    const changed = tell(
      {
        disks: [{ ...disk, bus: "sata" }],
        interfaces: [{ mac: mac.toUpperCase(), bridge: "br0" }],
        serialLog: "/var/log/n1.log",
        vnc: { port: 5901 },
      },
      { networks: [] },
    );
    expect(changed.change["libvirtDomain:node-1"]).toEqual([
      "disks.vda",
      "disks.sda",
      `interfaces.${mac}.network`,
      `interfaces.${mac}.bridge`,
      "serialLog",
      "vnc",
    ]);
    expect(defined(changed)).toContain("<graphics type='vnc' autoport='no' port='5901' listen='127.0.0.1'>");
  });

  test("gives every device its own boot order if one device has one", () => {
    const told = tell({
      bootOrder: undefined,
      disks: [{ ...disk, boot: 2 }],
      interfaces: [{ mac, network: "vlan1", boot: 1 }],
    });
    expect(told.change["libvirtDomain:node-1"]).toEqual(["boot", "disks.vda.boot", `interfaces.${mac}.boot`]);
    expect(defined(told)).not.toContain("<boot dev");
  });

  test("gets common virtual hardware if it is new", () => {
    const xml = defined(tell({ firmware: "uefi", type: "qemu" }, none));
    expect(xml).toContain("<os firmware='efi'>");
    expect(xml).toContain("<feature enabled='no' name='secure-boot'/>");
    expect(xml).toContain("<cpu mode='maximum'/>");
    expect(xml).toContain("<type machine='q35'>hvm</type>");
    expect(xml).not.toContain("uuid");
  });

  test("is predicted if an earlier package task installs libvirt", () => {
    const libvirt = { ...none.libvirt, daemon: "none" };
    const told = tell({}, { ...none, libvirt, virsh: knownAfterApply });
    expect(told.change).toMatchObject({ "libvirtDomain:node-1": [""] });
  });
});

describe("a running guest whose definition has lost its disk", () => {
  const domain = domainWith({ disks: { vda: absent } }, { live: { memoryMiB: 1024 } });
  const image = String(disk?.file);

  test("reports that the lost disk, not only the memory, needs a restart, and that the disk's image is kept", () => {
    expect(tell({ disks: [] }, { domain, images: [], folders: [] }).notes).toEqual([
      expect.stringMatching(
        /^needs a restart for .*memoryMiB.*disks\.vda|^needs a restart for .*disks\.vda.*memoryMiB/,
      ),
      `not deleted: ${image}; remove by hand what is no longer needed`,
    ]);
  });

  const removal = libvirtDomain({ name: "node-1", state: "absent", removeDisks: true, force: true });
  const nobody = [
    { uses: [], lost: [] },
    { uses: [], lost: [] },
  ];

  test("also loses the image of that disk when it is removed with its disks", () => {
    const told = explain(removal, { ...right, domain, images: [{ format: "qcow2", sizeBytes: 1 }], uses: nobody });
    expect(told.described.join("\n")).toContain(image);
  });

  test("loses only the listed images, and not one that a user has attached", () => {
    const attached = "/srv/own/windows.qcow2";
    const sdb = { file: attached, format: "qcow2", bus: "scsi" };
    const both = domainWith({ disks: { sdb } }, { live: { disks: { sdb } } });
    const call = libvirtDomain({ name: "node-1", state: "absent", removeDisks: [image], force: true });
    const told = explain(call, { ...right, domain: both, images: [{ format: "qcow2", sizeBytes: 1 }], uses: nobody });
    expect(told.described.filter((step) => step.startsWith("remove "))).toEqual([`remove ${image}`]);
    const others = libvirtDomain({ name: "node-1", state: "absent", removeDisks: ["/data/other.qcow2"], force: true });
    expect(explain(others, { ...right, domain: both, images: [] }).described.join()).not.toContain("remove ");
  });

  test("is not removed with its disks if another guest uses the image", () => {
    const libvirt = {
      ...right.libvirt,
      domains: { other: { active: true, disks: [image], networks: [], bridges: [] } },
    };
    const told = explain(removal, {
      ...right,
      domain,
      libvirt,
      images: [{ format: "qcow2", sizeBytes: 1 }],
      uses: nobody,
    });
    expect(told.refusal?.code).toBe("disk-in-use");
    expect(told.steps).toEqual([]);
  });
});

describe("a machine that is off, but whose memory libvirt has saved", () => {
  const now = { ...right, domain: domainWith({}, { state: "shut off", saved: true }), images: [] };
  const removalOf = (force: boolean): Explanation =>
    explain(libvirtDomain({ name: "node-1", state: "absent", force }), now);

  test("is not removed without force, because it was never shut down", () => {
    const { refusal, steps } = removalOf(false);
    expect(steps).toEqual([]);
    expect(refusal).toMatchObject({
      code: "domain-saved",
      current: "shut off (saved)",
      hint: expect.stringMatching(/virsh start node-1.*virsh managedsave-remove node-1/) as string,
    });
  });

  test("is removed with force, like a running one", () => {
    expect(removalOf(true).refusal).toBeUndefined();
    expect(removalOf(true).described.join()).toContain("--managed-save");
  });
});

describe("a machine with checkpoints, which libvirt does not undefine without a flag", () => {
  const domain = domainWith({}, { state: "shut off", checkpoints: ["monday", "tuesday"] });
  const now = { ...right, domain, images: [{ format: "qcow2", sizeBytes: 1 }], uses: [{ uses: [], lost: [] }] };
  const removalOf = (force: boolean): Explanation =>
    explain(libvirtDomain({ name: "node-1", state: "absent", removeDisks: true, force }), now);

  test("is refused before its images are deleted", () => {
    const { refusal, steps } = removalOf(false);
    expect(steps).toEqual([]);
    expect(refusal).toMatchObject({
      code: "domain-has-checkpoints",
      message: "node-1 cannot be removed, because backups may be based on its checkpoints",
      current: "monday, tuesday",
    });
  });

  test("is removed by force with its checkpoints, and a note names them", () => {
    const { refusal, described, notes } = removalOf(true);
    expect(refusal).toBeUndefined();
    expect(described.join()).toContain("--checkpoints-metadata");
    expect(notes).toEqual(["its checkpoints are deleted: monday, tuesday; the next backup cannot be incremental"]);
  });
});

describe("notes", () => {
  test("report what needs a restart", () => {
    const domain = domainWith({}, { live: { memoryMiB: 1024 } });
    expect(tell({}, { domain }).notes).toEqual(["needs a restart for memoryMiB"]);
    expect(tell({}).notes).toEqual([]);
  });

  test("do not ask for a restart for a disk that a later task attaches to the running machine", () => {
    const added = { file: "/srv/extra.qcow2", bus: "scsi", wwn: "5000000000000001" };
    const live = { disks: domainWith({}).disks, interfaces: {}, memoryMiB: 1024 };
    const notes = (more: object): readonly string[] =>
      tell({ disks: [disk, { ...added, ...more }] }, { domain: domainWith({}, { live }) }).notes;
    expect(notes({}).join()).toMatch(/^needs a restart for .*disks\.sda/);
    expect(notes({ attachedLater: true }).join()).toMatch(/^needs a restart for .*memoryMiB/);
    expect(notes({ attachedLater: true }).join()).not.toContain("sda");
  });

  test("report that removing the screen needs a restart", () => {
    const domain = domainWith({}, { live: { vnc: { listen: "0.0.0.0", port: 0 } } });
    expect(tell({ vnc: false }, { domain })).toMatchObject({ change: {}, notes: ["needs a restart for vnc"] });
    expect(domain.vnc).toBe(absent);
  });
});

test.each([
  { change: { name: "a b" }, param: "name" },
  { change: { type: "qemu", cpu: "host-passthrough" }, param: "cpu" },
  { change: { disks: [{ file: "a.qcow2" }] }, param: "disks.0.file" },
  { change: { disks: [{ file: "/a", size: "20GB" }] }, param: "disks.0.size" },
  { change: { disks: [{ file: "/a" }, { file: "/a" }] }, param: "disks.1.file" },
  { change: { disks: [{ file: "/a", target: "sda" }] }, param: "disks.0.target" },
  {
    change: {
      disks: [
        { file: "/a", target: "vdb" },
        { file: "/b", target: "vdb" },
      ],
    },
    param: "disks.1.target",
  },
  { change: { disks: [{ file: "/a", wwn: "5000c50015ea71aa" }] }, param: "disks.0.wwn" },
  { change: { disks: [{ file: "/a", boot: 1 }] }, param: "disks.0.boot" },
  { change: { interfaces: [{ mac }] }, param: "interfaces.0" },
  { change: { interfaces: [{ mac, network: "a", bridge: "b" }] }, param: "interfaces.0" },
  { change: { interfaces: [{ mac: "01:00:5e:00:00:01", network: "a" }] }, param: "interfaces.0.mac" },
  {
    change: {
      interfaces: [
        { mac, network: "a" },
        { mac, network: "a" },
      ],
    },
    param: "interfaces.1.mac",
  },
  { change: { serial: false, serialLog: "/var/log/x" }, param: "serialLog" },
  { change: { vnc: { listen: "localhost" } }, param: "vnc.listen" },
])("refuses the param $param in $change", ({ change, param }) => {
  expect(() => tell(change)).toThrow(`"${param}"`);
});
