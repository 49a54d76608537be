import type { z } from "../../src/authoring.ts";

interface Limits {
  /** The size in GiB. */
  readonly size: readonly [least: number, most: number];
  /** The number of I/O operations per second; undefined if not configurable for this type. */
  readonly iops?: readonly [least: number, most: number];
  readonly iopsPerGb?: number;
  /** The throughput in MiB per second; undefined if not configurable for this type. */
  readonly throughput?: readonly [least: number, most: number];
}

/**
 * EC2's limits for volumes (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVolume.html); the
 * operations per GiB are from https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html, which gives two
 * numbers for io2; this table has the larger one.
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

/** On gp3, each MiB per second needs four operations per second. */
const throughputPerIops = 0.25;
/** The default number of operations per second for gp3. */
const gp3Iops = 3000;

/** The requested size, type and speed of a volume. */
export interface VolumeShape {
  readonly sizeGb?: number | undefined;
  readonly type: string;
  readonly iops?: number | undefined;
  readonly throughput?: number | undefined;
}

/** Returns the param that EC2 would refuse, and what it accepts instead; undefined if EC2 accepts all params. */
export function shapeFault(shape: VolumeShape): { readonly param: string; readonly expected: string } | undefined {
  const { sizeGb, type, iops, throughput } = shape;
  const limit = limits[type];
  if (limit === undefined) return undefined;
  if (sizeGb !== undefined && isOutside(sizeGb, limit.size)) {
    return { param: "sizeGb", expected: `${between(limit.size)} GiB for ${type}` };
  }
  if (iops === undefined && (type === "io1" || type === "io2")) {
    return { param: "iops", expected: `a number of operations per second, which ${type} requires` };
  }
  if (iops !== undefined && limit.iops === undefined) {
    return { param: "iops", expected: `no iops for ${type}; only gp3, io1 and io2 accept them` };
  }
  if (iops !== undefined && limit.iops !== undefined && isOutside(iops, limit.iops)) {
    return { param: "iops", expected: `${between(limit.iops)} operations per second for ${type}` };
  }
  const most = Math.max(limit.iops?.[0] ?? 0, (limit.iopsPerGb ?? 0) * (sizeGb ?? Infinity));
  if (iops !== undefined && iops > most) {
    return { param: "iops", expected: `at most ${most} operations per second for ${sizeGb} GiB of ${type}` };
  }
  if (throughput !== undefined && limit.throughput === undefined) {
    return { param: "throughput", expected: `no throughput for ${type}; only gp3 accepts this setting` };
  }
  if (throughput !== undefined && throughput > (iops ?? gp3Iops) * throughputPerIops) {
    return {
      param: "throughput",
      expected: `at most ${(iops ?? gp3Iops) * throughputPerIops} MiB per second with ${iops ?? gp3Iops} operations per second`,
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

/** Adds a schema issue at the param that EC2 would refuse; none if EC2 accepts all params. */
export function refineShape(shape: VolumeShape, context: z.core.$RefinementCtx): void {
  const fault = shapeFault(shape);
  if (fault !== undefined) context.addIssue({ code: "custom", path: [fault.param], message: fault.expected });
}
