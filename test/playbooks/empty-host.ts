import { hostFacts } from "../../src/authoring.ts";
import { gptAreas } from "../../src/facts/catalogue.ts";
import type { SimulatedState } from "../../src/testing/index.ts";
import { marksOf } from "../../tasks/disk/marks.ts";

const artifact = { url: "http://mirror/x", checksum: `sha512:${"0".repeat(128)}` };
/** Boot artifacts that are never fetched. */
export const artifacts = { kernel: artifact, initrd: artifact, rootfs: artifact, iso: artifact };

const facts = {
  hostname: "metal",
  architecture: "x86_64",
  kernel: "6.4",
  processors: 64,
  memoryBytes: 256 * 2 ** 30,
  kvm: true,
  addresses: {},
};
/** The distributions of the simulated hosts. */
export const distributions = {
  debian: { id: "debian", version: "12", like: ["debian"] },
  sles: { id: "sles", version: "15.7", like: ["suse", "sles"] },
};
/** A blank data disk. */
function blank(device: string, path: string): SimulatedState {
  const disk = {
    type: "disk" as const,
    path,
    sizeBytes: 50 * 1024 ** 3,
    sectorBytes: 512,
    serial: path,
    readOnly: false,
    fileSystem: "",
    uuid: "",
    label: "",
    uses: [],
    carriesRoot: false,
    table: "",
    signatures: [],
    partitions: {},
  };
  const { head, tail } = gptAreas(marksOf("cafe", disk).unfinished);
  const zeros = (area: Uint8Array): string => Buffer.alloc(area.length).toString("base64");
  return {
    [`block-device:${device}`]: disk,
    [`disk-content:${device}`]: { data: "none", head: zeros(head), tail: zeros(tail) },
  };
}

/** The state of a host with three blank data disks and no cluster, as input for the simulation. */
export const emptyHost = (os: object): SimulatedState => ({
  [`host:${hostFacts().key}`]: { ...facts, os },
  "file:/etc/machine-id": { text: "cafe\n" },
  "file:/etc/fstab": { text: "" },
  "file:/dev/kvm": { type: "other" },
  // Nothing listens on these ports yet.
  "port:192.168.130.11 22 virbr1": { open: false },
  "port:192.168.130.120 9345 virbr1": { open: false },
  "port:127.0.0.1 443": { open: false },
  "port:127.0.0.1 6443": { open: false },
  ...blank("/dev/disk/by-id/a", "/dev/sdb"),
  ...blank("/dev/disk/by-id/b", "/dev/sdc"),
  ...blank("/dev/disk/by-id/c", "/dev/sdd"),
});
