import { FurrowError } from "../../core/errors.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { digitalOceanOwner } from "../../facts/cloud/digitalocean/index.ts";
import { type Raw, textOf, textsOf } from "./views.ts";

/**
 * The id of a resource that is about to be changed or deleted. Throws FurrowError E_DRIVER if the resource does not
 * exist or does not have the owner's tag: it may have been replaced since the task looked at it.
 */
export function ownId(found: Raw | Absent, what: string, owner: string): string {
  const current =
    found === absent ? "it does not exist" : `its tags are ${textsOf(found["tags"]).join(", ") || "none"}`;
  const tag = digitalOceanOwner(owner);
  if (found !== absent && textsOf(found["tags"]).includes(tag)) return textOf(found["id"]);
  throw new FurrowError("E_DRIVER", {
    what: `the ${what} is not the one that furrow created for ${owner}`,
    current,
    expected: `the tag ${tag}`,
    hint: "Rerun: something else changed the resource during this run",
  });
}
