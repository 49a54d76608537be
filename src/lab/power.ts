import { setTimeout as sleep } from "node:timers/promises";
import { markWord } from "./cgroup.ts";
import { bootHost, waitForHost } from "./host-boot.ts";
import { hostKeeper, hostLeader } from "./inside.ts";
import type { Lab, LabHost } from "./lab.ts";
import { labMark } from "./places.ts";
import { killAll } from "./processes.ts";
import { withMark } from "./shell.ts";

/** Pulls a host's plug: every process in it dies at once, its disks and its own layer stay as they are. */
export async function powerOff(host: LabHost): Promise<void> {
  const leader = await hostLeader(host);
  if (leader === undefined) return;
  await killAll(() => [leader]);
  // The keeper lets go of the root directory a moment after the last process in it.
  while ((await hostKeeper(host)) !== undefined) await sleep(10);
}

/**
 * Boots a host that is down, and waits until it takes logins.
 *
 * @throws FurrowError E_LAB when it does not within a minute
 */
export async function powerOn(lab: Lab, host: LabHost): Promise<void> {
  const mark = labMark(lab.directory);
  await withMark(markWord(mark), () => bootHost(host, lab.bridge, mark));
  await waitForHost(host, 60);
}
