import type { HostFacts, Node } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { familyOf } from "./families.ts";

/** What loads the tables of the packet filter at every boot: the distribution's own unit, or one of ours where it has none. */
export function filterAtBoot(facts: HostFacts): readonly Node[] {
  const { unit, text } = familyOf(facts).filter;
  const path = `/etc/systemd/system/${unit}.service`;
  return [
    ...(text === undefined ? [] : [t.file({ path, content: text, mode: "0644", owner: "root", group: "root" })]),
    t.service({ name: unit, enabled: true }),
  ];
}
