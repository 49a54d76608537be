import type { Cluster } from "./cluster-fields.ts";

/** One wrong value, with the path of the var. */
interface Repeated {
  readonly path: readonly (string | number)[];
  /** What was expected. */
  readonly message: string;
}

/** Returns the disks that are listed a second time, in `disks` or `extraDisks`. */
export function repeatedDisks({ disks, extraDisks }: Cluster): Repeated[] {
  const listed = [
    ...disks.map((device, at) => ({ device, path: ["disks", at], place: `disks.${at}` })),
    ...extraDisks.map(({ device }, at) => ({ device, path: ["extraDisks", at, "device"], place: `extraDisks.${at}` })),
  ];
  const first = new Map<string, string>();
  return listed.flatMap(({ device, path, place }): Repeated[] => {
    const other = first.get(device);
    if (other === undefined) first.set(device, place);
    return other === undefined ? [] : [{ path, message: `a disk of its own: ${other} already uses ${device}` }];
  });
}
