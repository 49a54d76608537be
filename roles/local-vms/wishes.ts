import { macOf } from "./mac.ts";
import { storageClass, volumeName } from "./objects.ts";
import type { LocalVms } from "./vms.ts";

/** The properties of machines that the guard compares with the cluster. */
export function wishesOf({ namespace, machines }: Pick<LocalVms, "namespace" | "machines">) {
  return Object.entries(machines).map(([name, { nics, disks, run }]) => ({
    name: `${namespace}/${name}`,
    // Networks are not compared, because the same vars define all of them and check mode does not create them.
    networks: [],
    macs: nics.map((_, index) => macOf(name, namespace, index)),
    disks: disks.map(({ image, size }, index) => ({
      claim: volumeName(name, index),
      size,
      ...(image === undefined ? { storageClass } : { image: `${namespace}/${image}` }),
    })),
    run,
  }));
}
