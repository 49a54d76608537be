import type { z } from "../../src/authoring.ts";

interface Limits {
  /** GiB. */
  readonly size: readonly [least: number, most: number];
  /** I/O operations a second; undefined: the type takes none. */
  readonly iops?: readonly [least: number, most: number];
  readonly iopsPerGb?: number;
  /** MiB a second; undefined: the type takes none. */
  readonly throughput?: readonly [least: number, most: number];
}

/**
 * What EC2 makes volumes of (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVolume.html); operations
 * for each GiB as in https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html, of io2 the larger of its two
 * numbers.
 */
const limits: Readonly<Record<string, Limits>> = {
  gp2: { size: [1, 16_384] },
  gp3: { size: [1, 65_536], iops: [3000, 80_000], iopsPerGb: 500, throughput: [125, 2000] },
  io1: { size: [4, 16_384], iops: [100, 64_000], iopsPerGb: 50 },
  io2: { size: [4, 65_536], iops: [100, 256_000], iopsPerGb: 1000 },
  st1: { size: [125, 16_384] },
  sc1: { size: [125, 16_384] },
  standard: { size: [1, 1024] },
};

/** Each MiB a second of gp3 needs four operations a second. */
const throughputPerIops = 0.25;
/** What gp3 has where nothing is said. */
const gp3Iops = 3000;

/** A volume as it is asked for. */
export interface VolumeShape {
  readonly sizeGb?: number | undefined;
  readonly type: string;
  readonly iops?: number | undefined;
  readonly throughput?: number | undefined;
}

/** The param that EC2 would refuse, and what it takes; undefined where it takes all. */
export function shapeFault(shape: VolumeShape): { readonly param: string; readonly expected: string } | undefined {
  const { sizeGb, type, iops, throughput } = shape;
  const limit = limits[type];
  if (limit === undefined) return undefined;
  if (sizeGb !== undefined && isOutside(sizeGb, limit.size)) {
    return { param: "sizeGb", expected: `${between(limit.size)} GiB for ${type}` };
  }
  if (iops === undefined && (type === "io1" || type === "io2")) {
    return { param: "iops", expected: `a number of operations a second, which ${type} needs` };
  }
  if (iops !== undefined && limit.iops === undefined) {
    return { param: "iops", expected: `none: ${type} takes no iops; gp3, io1 and io2 do` };
  }
  if (iops !== undefined && limit.iops !== undefined && isOutside(iops, limit.iops)) {
    return { param: "iops", expected: `${between(limit.iops)} operations a second for ${type}` };
  }
  const most = Math.max(limit.iops?.[0] ?? 0, (limit.iopsPerGb ?? 0) * (sizeGb ?? Infinity));
  if (iops !== undefined && iops > most) {
    return { param: "iops", expected: `at most ${most} operations a second for ${sizeGb} GiB of ${type}` };
  }
  if (throughput !== undefined && limit.throughput === undefined) {
    return { param: "throughput", expected: `none: only gp3 takes a throughput, ${type} does not` };
  }
  if (throughput !== undefined && throughput > (iops ?? gp3Iops) * throughputPerIops) {
    return {
      param: "throughput",
      expected: `at most ${(iops ?? gp3Iops) * throughputPerIops} MiB a second with ${iops ?? gp3Iops} operations a second`,
    };
  }
  return undefined;
}

function isOutside(value: number, [least, most]: readonly [number, number]): boolean {
  return value < least || value > most;
}

function between([least, most]: readonly [number, number]): string {
  return `${least} to ${most}`;
}

/** Refuses in a schema what EC2 would refuse, at the param that is wrong. */
export function refineShape(shape: VolumeShape, context: z.core.$RefinementCtx): void {
  const fault = shapeFault(shape);
  if (fault !== undefined) context.addIssue({ code: "custom", path: [fault.param], message: fault.expected });
}
