import type { absent } from "../../core/facts/symbols.ts";
import type { DomainConfig, DomainVnc } from "./domain-config.ts";

/** The parts of a domain that a task wants; omitted parts stay unchanged. */
export type WantedDomainConfig = Partial<Omit<DomainConfig, "vnc" | "disks" | "interfaces">> & {
  /** The machine type to request, if it is more specific than the family: `pc-q35-7.2`. */
  readonly machineType?: string;
  readonly disks?: {
    readonly [target: string]: Partial<Exclude<DomainConfig["disks"][string], symbol>> | typeof absent;
  };
  readonly interfaces?: {
    readonly [mac: string]: Partial<Exclude<DomainConfig["interfaces"][string], symbol>> | typeof absent;
  };
  readonly vnc?: Partial<DomainVnc> | typeof absent;
};
