import type { Case } from "../../src/testing/index.ts";
import { claims, domainWith, params, right } from "./libvirt-domain.cases.ts";
import { libvirtDomain } from "./libvirt-domain.ts";

const file = params.disks[0]?.file ?? "";
const overlay = "/data/node-1.snap1";
const onOverlay = { disks: { vda: { file: overlay } } };
const use = { domain: "node-1", disk: overlay };
const lost = { ...use, problem: "/data/gone.qcow2 does not exist" };

const call = libvirtDomain(params);
const refused = (title: string, domain: object, uses: object, refusal = "snapshot-overlay"): Case => ({
  title,
  call,
  now: { ...right, domain, uses: [{ uses: [], lost: [], ...uses }] },
  steps: [],
  refusal,
});

/** Cases of `libvirtDomain` in which the machine does not use the wanted image, but may use an overlay of it. */
export const cases: readonly Case[] = [
  refused("a running guest whose disk is an overlay of its image, because of a snapshot", domainWith(onOverlay), {
    uses: [use],
  }),
  refused(
    "a guest that is off and whose disk is an overlay of its image",
    domainWith(onOverlay, { state: "shut off" }),
    { uses: [use] },
  ),
  refused(
    "a running guest that writes to an overlay, although its definition has the image",
    domainWith({}, { live: onOverlay }),
    { uses: [use, { domain: "node-1", disk: file }] },
  ),
  refused(
    "a guest with another disk whose backing files cannot be read",
    domainWith(onOverlay),
    { lost: [lost] },
    "image-uses-unknown",
  ),
  refused(
    "a guest with another disk, and libvirt does not report which images that disk needs",
    domainWith(onOverlay),
    { lost: [{ domain: "", disk: "", problem: "libvirt does not answer" }] },
    "image-uses-unknown",
  ),
  {
    title: "a guest with another disk that does not need the wanted image, and another guest's disk that is unreadable",
    call,
    now: {
      ...right,
      domain: domainWith(onOverlay, { state: "shut off" }),
      libvirt: { ...right.libvirt, domains: { "node-1": { ...claims, active: false } } },
      uses: [{ uses: [], lost: [{ ...lost, domain: "web" }] }],
    },
    steps: ["define node-1", "virsh start node-1"],
  },
];
