import type { Hosts } from "./targets.ts";

/** The hosts of a benchmark, with access to them that bypasses every tool. */
export interface Fleet {
  readonly hosts: Hosts;
  /**
   * Runs a sh script as root inside the first `hosts` hosts, without ssh. Returns what it printed. Throws if it fails.
   */
  run(script: string, hosts: number): Promise<readonly string[]>;
  /** CPU time of all processes on the hosts since the hosts were started, in milliseconds. */
  cpuMs(): number;
  /** The number of session channels that the hosts' sshds have opened so far. */
  sessions(): Promise<number>;
  end(): Promise<void>;
}
