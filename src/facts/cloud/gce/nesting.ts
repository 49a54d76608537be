import type { GceMachineType } from "./values.ts";

/**
 * Series whose machines cannot nest virtual machines, according to
 * https://cloud.google.com/compute/docs/instances/nested-virtualization/overview: E2, the series with AMD processors,
 * and the memory-optimized series. All other series with Intel processors can, among them N4 (Intel Emerald Rapids:
 * https://cloud.google.com/compute/docs/general-purpose-machines#n4_series). The API says only whether the processor is
 * Arm.
 */
const without = /^(e2|n2d|n4d|t2d|c2d|c3d|c4d|h4d|m1|m2|m3|m4|x4)-/;

/** Whether machines of this type can run virtual machines themselves. */
export function canNest({ name, architecture }: GceMachineType): boolean {
  return architecture !== "ARM64" && !without.test(name) && !/^(f1-micro|g1-small)$/.test(name);
}
