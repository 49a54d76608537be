import { createHash } from "node:crypto";
import { Refusal } from "./refusal.ts";
import type { Thing } from "./world.ts";

/** The version of a resource; only those of Microsoft.Network have one. */
function etagOf(thing: Thing): string | undefined {
  if (!thing.type.startsWith("Microsoft.Network/")) return undefined;
  return `W/"${createHash("sha256").update(JSON.stringify(thing)).digest("hex").slice(0, 16)}"`;
}

/** Refuses a change if the request names a different version of the resource. */
export function assertVersion(thing: Thing | undefined, ifMatch: string | undefined): void {
  if (ifMatch === undefined || (thing !== undefined && etagOf(thing) === ifMatch)) return;
  throw new Refusal(412, "PreconditionFailed", "Precondition failed. The resource has another version.");
}

/** A resource with its version; the subnets of a network have versions too. */
export function versionedView(thing: Thing): object {
  const etag = etagOf(thing);
  const view = structuredClone(thing);
  const { subnets } = view.properties as { subnets?: { name: string; properties: object }[] };
  if (etag === undefined) return view;
  if (thing.type.endsWith("virtualNetworks") && subnets !== undefined) {
    view.properties["subnets"] = subnets.map(({ name, properties }) => ({
      id: `${thing.id}/subnets/${name}`,
      name,
      etag,
      properties: { ...properties, provisioningState: "Succeeded" },
    }));
  }
  return { ...view, etag };
}
