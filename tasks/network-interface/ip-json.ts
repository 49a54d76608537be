import { FurrowError, type Lines } from "../../src/facts/index.ts";

/** A network interface in the output of `ip -j -d link`. */
export interface IpLink {
  readonly ifname: string;
  readonly flags?: readonly string[];
  readonly mtu?: number;
  readonly max_mtu?: number;
  readonly master?: string;
  readonly link?: string;
  readonly linkinfo?: {
    readonly info_kind?: string;
    readonly info_data?: { readonly id?: number; readonly mode?: string };
  };
}

/** The addresses of an interface in the output of `ip -j addr`. */
export interface IpAddress {
  readonly ifname: string;
  readonly addr_info?: readonly {
    readonly local?: string;
    readonly prefixlen?: number;
    readonly scope?: string;
    readonly dynamic?: boolean;
    readonly mngtmpaddr?: boolean;
  }[];
}

/** A route in the output of `ip -j route`. */
export interface IpRoute {
  readonly dst: string;
  readonly gateway?: string;
  readonly dev?: string;
  readonly nexthops?: readonly { readonly dev?: string }[];
}

/**
 * The list in a line of JSON, as ip prints it. An empty line is an empty list. Throws FurrowError E_FACT for anything
 * else.
 */
export function listIn(lines: Lines, name: string): readonly unknown[] {
  const text = lines[name] ?? "";
  if (text === "") return [];
  try {
    const list: unknown = JSON.parse(text);
    // Old versions of ip print an empty object for each entry that they omit.
    if (Array.isArray(list)) return list.filter((entry: object) => Object.keys(entry).length > 0);
  } catch {
    // Reported below.
  }
  throw new FurrowError("E_FACT", {
    what: `the host's ip command did not print a JSON list (${name})`,
    current: text.slice(0, 300),
    expected: "the output of iproute2's ip -j",
    hint: "Install iproute2 on the host; busybox's ip is not enough",
  });
}
