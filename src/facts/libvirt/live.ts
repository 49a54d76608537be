import { differences } from "../../core/compare.ts";

/** The dotted parts in which what runs is not as wanted: what takes a restart to be so. */
export function livePaths(live: object, wanted: object): string[] {
  return differences(live, wanted).map(({ path }) => path);
}
