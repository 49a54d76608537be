/** The configuration that a bond requires on the ports of the switch. */
export type SwitchSide = "lacp" | "static" | "none";

/**
 * The modes of a Linux bond, and what the switch needs for each (Documentation/networking/bonding.rst of the kernel,
 * "Switch Configuration"). The modes are those that Harvester's VlanConfig accepts.
 */
export const bondModes = {
  "balance-rr": "static",
  "active-backup": "none",
  "balance-xor": "static",
  broadcast: "static",
  "802.3ad": "lacp",
  "balance-tlb": "none",
  "balance-alb": "none",
} as const satisfies Readonly<Record<string, SwitchSide>>;

/** The name of a bond mode. */
export type BondMode = keyof typeof bondModes;

/** What the switch needs, as the end of a sentence: `the switch needs …`. */
export const switchTexts: Readonly<Record<SwitchSide, string>> = {
  lacp: "LACP (IEEE 802.3ad) on these ports",
  static: "a static link aggregation of these ports, without LACP",
  none: "no link aggregation on these ports",
};

/** The bond modes that work with the switch's configuration. */
export function modesFor(side: SwitchSide): BondMode[] {
  return (Object.keys(bondModes) as BondMode[]).filter((mode) => bondModes[mode] === side);
}
