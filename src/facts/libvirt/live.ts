import { differences } from "../../core/facts/compare.ts";

/**
 * The dotted paths of the settings in which the live configuration differs from the wanted configuration. These changes
 * need a restart to take effect.
 */
export function livePaths(live: object, wanted: object): string[] {
  return differences(live, wanted).map(({ path }) => path);
}
