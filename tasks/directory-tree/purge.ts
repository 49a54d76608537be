import { type Absent, absent, knownAfterApply, peek, type Refusal, type Removal } from "../../src/authoring.ts";
import { lossRefusal, protectedPath } from "../file/loss.ts";

/**
 * Refuses to purge anything vital. `names` are paths below `root`; `going` lists, in the same order, what would be
 * removed with each of them.
 */
export function purgeRefusal(
  root: string,
  names: readonly string[],
  going: readonly (Absent | Removal)[],
): Refusal | undefined {
  for (const [at, name] of names.entries()) {
    const goes = peek(going, at) === knownAfterApply ? undefined : going[at];
    if (goes === undefined || goes === absent) continue;
    const real = goes.real.slice(0, -name.length - 1) || "/";
    const refusal =
      protectedPath(root, real) ?? lossRefusal(`${root}/${name}`, goes, { recursive: true, devices: false });
    if (refusal) return refusal;
  }
  return undefined;
}
