import { file, mountAt, packageOffer, packageState, task, tree, unit, z } from "../../src/authoring.ts";
import { packageIndexState, sysctlValue } from "../../src/facts/catalogue.ts";

/** A task that has no wants, but asks about the facts that package lists or libvirt's objects are likely to affect. */
export const onlooker = task({
  name: "onlooker",
  summary: "Look on",
  params: z.strictObject({ at: z.enum(["packages", "libvirt"]) }),
  examples: [],
})
  .facts(({ at }) =>
    at === "packages"
      ? {
          index: packageIndexState(),
          same: packageIndexState("apt"),
          offers: ["tree", "nano"].map((name) => packageOffer(name)),
          packages: ["tree", "nano"].map((name) => packageState(name)),
          trees: ["/etc/apt", "/srv"].map((path) => tree(path)),
          files: ["/etc/apt/sources.list", "/etc/apt/sources.list.d"].map((path) => file(path, ["sha256"])),
        }
      : {
          units: ["libvirtd", "ssh", "nginx"].map((name) => unit(name)),
          trees: ["/etc/libvirt", "/srv"].map((path) => tree(path)),
          files: ["/var/lib/libvirt/images", "/etc/hosts", "/etc/fstab"].map((path) => file(path)),
          mounts: ["/", "/var/lib/libvirt"].map((path) => mountAt(path)),
          forward: sysctlValue("net.ipv4.ip_forward"),
        },
  )
  .want(() => ({}))
  .steps(() => []);
