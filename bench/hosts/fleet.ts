import type { Hosts } from "./targets.ts";

/** Hosts of a benchmark, with an access path that no tool uses. */
export interface Fleet {
  readonly hosts: Hosts;
  /** Runs a sh script as root inside the first hosts, without ssh. Returns what it printed. Throws if it fails. */
  run(script: string, hosts: number): Promise<readonly string[]>;
  /** CPU time of all processes in the hosts, in milliseconds since they were started. */
  cpuMs(): number;
  /** How many session channels their sshds have opened so far. */
  sessions(): Promise<number>;
  end(): Promise<void>;
}
