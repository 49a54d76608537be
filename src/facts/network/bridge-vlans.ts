import { z } from "zod";
import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";

/** The VLANs that each port of a host's bridges carries: `{ "vm-bo": [1, 30] }`. */
export type BridgeVlans = Readonly<Record<string, readonly number[]>>;

/** Asks which VLANs the ports of the host's bridges carry. Absent on a host without the `bridge` program. */
export function bridgeVlans(): HostFact<Absent | BridgeVlans> {
  return ask(bridgeVlansKind, "host");
}

const entry = z.looseObject({ vlan: z.int(), vlanEnd: z.int().optional() });
// Older versions of iproute2 print an object, newer ones a list.
const listSchema = z.array(z.looseObject({ ifname: z.string(), vlans: z.array(entry).default([]) }));
const objectSchema = z.record(z.string(), z.array(entry));

/** The VLANs of bridge ports, as `bridge -j vlan show` prints them (bridge(8), bridge/vlan.c in iproute2). */
export const bridgeVlansKind = defineKind<Absent | BridgeVlans>({
  name: "bridgeVlans",
  summary: "The VLANs that each port of the host's bridges carries",
  facets: {},
  read: (questions) => `PATH=$PATH:/usr/sbin:/sbin
if ! command -v bridge >/dev/null 2>&1; then j=absent; else j=$(bridge -c -j vlan show 2>&1) || j="!bridge vlan show: $j"; fi
${questions
  .map(
    ({ number }) =>
      `case $j in absent) echo '${number} absent=yes';; '!'*) echo "${number} $(printf %s "$j" | tr '\\n' ' ')";; *) echo "${number} json=$(printf %s "$j" | tr '\\n' ' ')";; esac`,
  )
  .join("\n")}`,
  parse(lines) {
    if (lines["absent"] !== undefined) return absent;
    const table = tableIn(lines["json"]);
    if (table === undefined)
      throw new FurrowError("E_FACT", {
        what: "the output of `bridge vlan show` cannot be parsed",
        current: lines["json"] ?? "",
      });
    return Object.fromEntries(
      table.map(([name, vlans]) => [
        name,
        vlans.flatMap(({ vlan, vlanEnd = vlan }) => Array.from({ length: vlanEnd - vlan + 1 }, (_, at) => vlan + at)),
      ]),
    );
  },
});

function tableIn(text = ""): [string, z.output<typeof entry>[]][] | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const list = listSchema.safeParse(json);
    if (list.success) return list.data.map(({ ifname, vlans }) => [ifname, vlans]);
    const object = objectSchema.safeParse(json);
    return object.success ? Object.entries(object.data) : undefined;
  } catch {
    return undefined;
  }
}
