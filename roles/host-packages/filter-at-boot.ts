import type { HostFacts, Node } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { familyOf } from "./families.ts";

/**
 * Loads the packet filter tables at every boot, with the distribution's unit, or with furrow's own on a distribution
 * that has no such unit.
 */
export function filterAtBoot(facts: HostFacts): readonly Node[] {
  const { unit, text } = familyOf(facts).filter;
  const path = `/etc/systemd/system/${unit}.service`;
  return [
    ...(text === undefined ? [] : [t.file({ path, content: text, mode: "0644", owner: "root", group: "root" })]),
    t.service({ name: unit, enabled: true }),
  ];
}
