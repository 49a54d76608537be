/** A capability for operating a Harvester cluster, and the tests that prove it. */
export interface CoverageRow {
  /** `G3`: the letter names the chapter. */
  readonly id: string;
  readonly capability: string;
  readonly roles?: readonly string[];
  readonly playbooks?: readonly string[];
  /** Names of tests, keyed by the file that contains them. */
  readonly tests?: Readonly<Record<string, readonly string[]>>;
  /** What is missing. If a row has no tests, the whole capability is missing. */
  readonly missing?: string;
}
