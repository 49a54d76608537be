import type { Case } from "../../src/testing/index.ts";
import { bareOff, claims, goneWithDisks, params, undefine } from "./libvirt-domain.cases.ts";
import { libvirtDomain } from "./libvirt-domain.ts";

const file = params.disks[0]?.file ?? "";
const clone = "/srv/precious/clone.qcow2";
const image = { format: "qcow2", sizeBytes: 20 * 2 ** 30, hasBacking: false };
const { libvirt: alone } = bareOff;
const own = { domain: "node-1", disk: file };

/** A host with an image that node-1 itself uses and that the given disk of the given guest also needs. */
const neededBy = (domain: string, disk: string): Case["now"] => ({
  ...bareOff,
  images: [image],
  libvirt: { ...alone, domains: { ...alone.domains, web: { ...claims, disks: [clone] } } },
  uses: [{ uses: [own, { domain, disk }], lost: [] }],
});
const refused = (title: string, now: Case["now"], refusal: string, call = goneWithDisks): Case => ({
  title,
  call,
  now,
  steps: [],
  refusal,
});

/** Cases of `libvirtDomain` in which another disk may need the image that the task would delete. */
export const cases: readonly Case[] = [
  refused(
    "removal of a disk on which another guest depends through its backing file",
    neededBy("web", clone),
    "image-has-overlay",
  ),
  refused(
    "removal of a disk on which a remaining disk of the same guest depends",
    neededBy("node-1", clone),
    "image-has-overlay",
    libvirtDomain({ name: "node-1", state: "absent", removeDisks: [file] }),
  ),
  refused(
    "removal of a disk while the backing files of another guest's disk cannot be read",
    {
      ...neededBy("web", clone),
      uses: [{ uses: [own], lost: [{ domain: "web", disk: clone, problem: "/srv/x does not exist" }] }],
    },
    "image-uses-unknown",
  ),
  {
    title: "must be removed with its disks, and an earlier task has removed the guest that depended on one of them",
    call: goneWithDisks,
    now: { ...neededBy("web", clone), libvirt: alone },
    steps: [`remove ${file}`, undefine],
  },
];
