import { setTimeout as sleep } from "node:timers/promises";
import { hostLeader, labDown, labUp } from "../../src/lab/index.ts";
import { labTaskHost, type TaskEnd, type TaskHost } from "./on-host.ts";

/** A lab host that can be rebooted and removed. */
export interface OneLabHost extends TaskHost {
  /** Reboots the host, and waits until all its services are up. */
  readonly reboot: () => Promise<void>;
  readonly down: () => Promise<void>;
}

/** Starts a fresh lab host with this name for the tests of a task. */
export async function oneLabHost(name: string): Promise<OneLabHost> {
  const lab = await labUp({ hosts: 1, name, replace: true });
  const [labHost] = lab.hosts;
  if (labHost === undefined) throw new Error("the lab has no host");
  let host = await labTaskHost(labHost);
  const reboot = async (): Promise<void> => {
    const before = await hostLeader(labHost);
    await host.sh("systemctl reboot");
    for (let tries = 0; tries < 100; tries += 1) {
      const leader = await hostLeader(labHost);
      if (leader !== undefined && leader !== before) {
        host = await labTaskHost(labHost);
        if (
          await host.sh("systemctl is-system-running --wait").then(
            () => true,
            () => false,
          )
        )
          return;
      }
      await sleep(200);
    }
    throw new Error("the host does not come back");
  };
  return {
    apply: (...nodes) => host.apply(...nodes),
    check: (...nodes) => host.check(...nodes),
    sh: (script) => host.sh(script),
    reboot,
    down: () => labDown({ name }),
  };
}

/** The outcomes of tasks in order, each with the error if the task failed. */
export function outcomes(ends: readonly TaskEnd[]): string[] {
  return ends.map(({ outcome, error }) => (error ? `${outcome}: ${error.message}` : outcome));
}
