import type { Case } from "../../src/testing/index.ts";
import { claims, domainWith, none, params, right } from "./libvirt-domain.cases.ts";
import { libvirtDomain } from "./libvirt-domain.ts";

const overlay = "/srv/web.snap1";
const web = { ...claims, active: false, disks: [overlay] };
const image = { format: "qcow2", sizeBytes: 20 * 2 ** 30, hasBacking: false };
const call = libvirtDomain(params);
const use = { domain: "web", disk: overlay };
const lost = { ...use, problem: "/srv/gone.qcow2 does not exist" };
const other = { vda: { file: "/data/other.qcow2" } };

/** The facts of a host with another machine, and with an image that node-1 does not use yet. */
const beside = (uses: object, domain?: object): Case["now"] => ({
  ...(domain === undefined ? none : { ...right, domain }),
  images: [image],
  libvirt: { ...none.libvirt, domains: { web, ...(domain && { "node-1": claims }) } },
  uses: [{ uses: [], lost: [], ...uses }],
});
const refused = (title: string, now: Case["now"], refusal: string): Case => ({ title, call, now, steps: [], refusal });

/** Cases of `libvirtDomain` in which a disk of another machine may need the wanted image. */
export const cases: readonly Case[] = [
  refused("a new machine on the backing file of another machine's disk", beside({ uses: [use] }), "disk-in-use"),
  refused(
    "a machine whose disk is replaced with the backing file of another machine's disk",
    beside({ uses: [use] }, domainWith({ disks: other })),
    "disk-in-use",
  ),
  refused(
    "a new machine on the volume of a pool that another machine uses",
    beside({ uses: [{ domain: "web", disk: "default/web" }] }),
    "disk-in-use",
  ),
  refused(
    "a new machine on an existing image, and another machine's disk that is unreadable",
    beside({ lost: [lost] }),
    "image-uses-unknown",
  ),
  refused(
    "a new machine on an existing image, and libvirt does not report what another machine needs",
    beside({ lost: [{ domain: "", disk: "u1", problem: "libvirt does not show the definition" }] }),
    "image-uses-unknown",
  ),
  {
    title: "a new machine on the backing file of a machine that an earlier task has removed",
    call,
    now: { ...beside({ uses: [use], lost: [lost] }), libvirt: none.libvirt },
    steps: ["define node-1", "virsh autostart node-1", "virsh start node-1"],
  },
  {
    title: "an image that the machine already uses, although another machine's disk is unreadable or based on it",
    call,
    now: { ...right, uses: [], libvirt: { ...right.libvirt, domains: { ...right.libvirt.domains, web } } },
    steps: [],
  },
];
