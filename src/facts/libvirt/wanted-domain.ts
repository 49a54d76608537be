import type { absent } from "../../core/symbols.ts";
import type { DomainConfig, DomainVnc } from "./domain-config.ts";

/** Parts of a domain that shall be so; what is left out stays as it is. */
export type WantedDomainConfig = Partial<Omit<DomainConfig, "vnc" | "disks" | "interfaces">> & {
  /** The machine as it is to be asked for, where that is more than its family: `pc-q35-7.2`. */
  readonly machineType?: string;
  readonly disks?: {
    readonly [target: string]: Partial<Exclude<DomainConfig["disks"][string], symbol>> | typeof absent;
  };
  readonly interfaces?: {
    readonly [mac: string]: Partial<Exclude<DomainConfig["interfaces"][string], symbol>> | typeof absent;
  };
  readonly vnc?: Partial<DomainVnc> | typeof absent;
};
