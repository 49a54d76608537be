import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { startEc2Fake } from "../../test/cloud/ec2-fake/fake.ts";
import { GceFake } from "../../test/cloud/gce-fake/fake.ts";
import { fill as fillGce } from "../../test/cloud/gce-fake/fill.ts";
import { fill } from "../../test/cloud/ec2-fake/fill.ts";
import { ApiError } from "../../test/cloud/ec2-fake/wire.ts";
import { load } from "../measure/rounds.ts";
import { median } from "../measure/statistics.ts";
import type { BenchOptions } from "../options.ts";

/** The cost of listing a cloud's machines. */
interface Listing {
  readonly hosts: number;
  readonly wallMs: number;
  /** The peak memory of the process. */
  readonly megabytes: number;
}

const regions = ["eu-bench-1", "eu-bench-2", "us-bench-1", "ap-bench-1"];
const run = promisify(execFile);

/**
 * Measures how much time and memory it takes to list 5,000 machines in 4 regions, with fakes of EC2 and Compute Engine
 * that occasionally throttle a call. The listing runs in a separate process, so its peak memory includes the SDK, the
 * cloud's answers and the hosts. For comparison, does the same with one machine in each region.
 */
export async function inventory({ json, runs = 5 }: BenchOptions): Promise<void> {
  const rows = [await listEc2(1, runs), await listEc2(1250, runs), await listGce(4, runs), await listGce(5000, runs)];
  if (json) process.stdout.write(`${JSON.stringify({ benchmark: "inventory", runs, load: load(), rows })}\n`);
  for (const row of json ? [] : rows) {
    const { cloud, hosts, wallMs, megabytes, calls, throttled } = row;
    process.stdout.write(
      `${cloud}, ${hosts} machines in ${regions.length} regions: ${wallMs.toFixed(0)} ms, ${calls} calls (${throttled} throttled), ${megabytes.toFixed(0)} MB at most\n`,
    );
  }
}

async function listEc2(perRegion: number, runs: number) {
  let throttled = 0;
  const fake = await startEc2Fake({
    judge: ({ number }) => {
      if (number % 50 !== 2) return undefined;
      throttled += 1;
      return new ApiError("RequestLimitExceeded", "Request limit exceeded.", 503);
    },
  });
  for (const region of regions) fill(fake.world(region), perRegion);
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL: fake.url,
    AWS_ACCESS_KEY_ID: "TEST",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_EC2_METADATA_DISABLED: "true",
  };
  const found: Listing[] = [];
  try {
    for (let round = 0; round < runs; round += 1) {
      const { stdout } = await run(process.execPath, [join(import.meta.dirname, "list-ec2.ts"), ...regions], { env });
      found.push(JSON.parse(stdout) as Listing);
    }
  } finally {
    await fake.close();
  }
  return {
    cloud: "EC2",
    ...summary(found),
    calls: Math.round(fake.calls.length / runs),
    throttled: Math.round(throttled / runs),
  };
}

async function listGce(count: number, runs: number) {
  const fake = new GceFake();
  const env = { ...process.env, ...(await fake.start()) };
  fillGce(fake, count);
  const found: Listing[] = [];
  try {
    for (let round = 0; round < runs; round += 1) {
      fake.planned.push({ on: /aggregated/, status: 429, reason: "rateLimitExceeded", message: "Slow down", times: 1 });
      const { stdout } = await run(process.execPath, [join(import.meta.dirname, "list-gce.ts")], { env });
      found.push(JSON.parse(stdout) as Listing);
    }
  } finally {
    await fake.stop();
  }
  return { cloud: "Compute Engine", ...summary(found), calls: Math.round(fake.calls.length / runs), throttled: 1 };
}

function summary(found: readonly Listing[]): Listing {
  return {
    hosts: found[0]?.hosts ?? 0,
    wallMs: median(found.map(({ wallMs }) => wallMs)),
    megabytes: median(found.map(({ megabytes }) => megabytes)),
  };
}
