import { setTimeout as sleep } from "node:timers/promises";
import { markWord } from "./cgroup.ts";
import { bootHost, waitForHost } from "./host-boot.ts";
import { hostKeeper, hostLeader } from "./inside.ts";
import type { Lab, LabHost } from "../lab.ts";
import { labMark } from "../places.ts";
import { killAll } from "./processes.ts";
import { withMark } from "./shell.ts";

/** Cuts a host's power: kills all its processes at once, and leaves its disks and its layer as they are. */
export async function powerOff(host: LabHost): Promise<void> {
  const leader = await hostLeader(host);
  if (leader === undefined) return;
  await killAll(() => [leader]);
  // The keeper releases the root directory a moment after the host's last process has ended.
  while ((await hostKeeper(host)) !== undefined) await sleep(10);
}

/**
 * Boots a host that is down, and waits until it accepts logins.
 *
 * @throws FurrowError E_LAB if it does not accept logins within a minute
 */
export async function powerOn(lab: Lab, host: LabHost): Promise<void> {
  const mark = labMark(lab.directory);
  await withMark(markWord(mark), () => bootHost(host, lab.bridge, mark));
  await waitForHost(host, 60);
}
