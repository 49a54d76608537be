import type { Absent } from "../../src/authoring.ts";
import type { AzureDisk, AzureImage, AzureNetwork, AzureSize } from "../../src/facts/catalogue.ts";

/** The existing objects that a machine consists of. */
export interface Parts {
  readonly sizes: readonly (AzureSize | Absent)[];
  readonly images: readonly (AzureImage | Absent)[];
  readonly networks: readonly (AzureNetwork | Absent)[];
  readonly features: readonly ({ readonly state: string } | Absent)[];
  readonly disks: readonly (AzureDisk | Absent)[];
  /** The first disk of a machine that is being resized, and the machine's other disks. */
  readonly attached: readonly (AzureDisk | Absent)[];
}
