import { type HostFacts, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { familyOf } from "./families.ts";
import type { Family } from "./family.ts";
import { registered } from "./registered.ts";

/** Debian's default time client, which `chrony` replaces: only one time daemon can be installed. */
const replaced = ["systemd-timesyncd"];

/** How long the first boot of a cloud machine may take, in seconds. */
const firstBootSeconds = 600;

/** The facts that the packages' scripts may change, so check mode does not predict them. */
const provides = (family: Family): string[] => [
  ...Object.keys(family.files).map((path) => `file:${path}`),
  "libvirtNet:default",
  "file:/etc/nginx/**",
  "file:/etc/libvirt/**",
  "file:/var/lib/libvirt/**",
];

/** Installs the packages that a host needs to boot and run nested nodes. */
export const hostPackages = role(
  {
    name: "host packages",
    summary: "Install libvirt, QEMU, nginx and the tools that the other roles use",
    params: z.strictObject({ facts: z.custom<HostFacts>(), cluster: z.custom<Cluster>() }),
  },
  ({ facts, cluster }) => {
    const family = familyOf(facts);
    const filters = cluster.airGap !== undefined || needsFilter(cluster);
    const names = [
      ...family.packages,
      ...(cluster.firmware === "uefi" ? family.uefi : []),
      ...(cluster.exposure === false ? [] : family.exposure),
      ...(filters ? family.airGap : []),
    ];
    const mayRemove = filters ? { mayRemove: replaced } : {};
    return [
      // A cloud machine's first boot may still be installing packages or registering the machine; zypper and apt must
      // not run before it has finished.
      t.waitFor({ cloudInit: true, deadlineSeconds: firstBootSeconds }),
      family.registers && registered({ deadlineSeconds: firstBootSeconds }),
      t.pkg(
        { name: names, recommends: false, provides: provides(family), ...mayRemove },
        { name: "packages for libvirt, QEMU, iPXE and nginx" },
      ),
      family.starts.map((name) => t.service({ name, state: "started", enabled: true })),
    ];
  },
);

/** True if only some subnets may use the exposed ports. */
function needsFilter({ exposure }: Cluster): boolean {
  return exposure !== false && exposure.from.length > 0;
}
