import { closest } from "../../core/closest.ts";
import { FurrowError } from "../../core/errors.ts";
import type { Play } from "../../core/authoring/playbook.ts";
import type { Planned } from "./plan.ts";
import type { RunRequest } from "./request.ts";

/** A host that `on` names, and the position of the call. */
interface Target {
  readonly name: string;
  readonly source: string | undefined;
}

/**
 * Refuses hosts that `on` names but that do not exist, once all plans are made. Refuses nothing if a host could still
 * be added under the name: if a play's tasks are not known yet, or if an earlier task creates a play's hosts. Throws
 * FurrowError E_PATTERN.
 */
export function refuseUnknownHosts(
  { hostNamed }: Pick<RunRequest, "hostNamed">,
  plays: readonly { readonly play: Play<never>; readonly hosts: readonly unknown[] | undefined }[],
  plans: NonNullable<RunRequest["plans"]>,
): void {
  if (!plays.every(({ play, hosts }) => hosts !== undefined && plans.get(play)?.size === hosts.length)) return;
  const known = new Set([...plans.values()].flatMap((ofHosts) => [...ofHosts.keys()]));
  for (const [play, ofHosts] of plans) {
    for (const [host, plan] of ofHosts) {
      for (const { name, source } of targetsIn(plan, undefined)) {
        if (known.has(name)) continue;
        if (hostNamed(name) === undefined) {
          const where = {
            host,
            ...(play.name !== undefined && { play: play.name }),
            ...(source !== undefined && { source }),
          };
          throw unknownHost(name, known).at(where);
        }
        known.add(name);
      }
    }
  }
}

/** The error for a host that `on` names but that does not exist. `known`: some hosts that do exist. */
export function unknownHost(name: string, known: Iterable<string>): FurrowError {
  const near = closest(name, [...known]);
  return new FurrowError("E_PATTERN", {
    what: `the inventory has no host "${name}"`,
    hint: near === undefined ? 'Use a host from the inventory in on(), or "localhost"' : `Write "${near}" instead`,
  });
}

/**
 * The hosts that the tasks act on, unless the tasks are certain to be skipped. `source`: the position of the innermost
 * `on`.
 */
function targetsIn(plan: readonly Planned[], source: string | undefined): Target[] {
  return plan.flatMap((node) => {
    if (node.when.includes(false)) return [];
    if (node.node !== "group") return [{ name: node.target, source }];
    const own = node.kind === "on" ? node.written : source;
    return [node.children, node.rescue ?? [], node.always ?? []].flatMap((part) => targetsIn(part, own));
  });
}
