import type { LinkMonitorObject } from "../cluster-answers/network-objects.ts";

/** A network interface of a node, as Harvester reports it. */
export interface Interface {
  readonly name: string;
  readonly state: "up" | "down" | undefined;
  /** The bond or bridge that it is part of, if known. */
  readonly master: string | undefined;
}

/**
 * The interfaces of a node that the link monitors report; undefined if no monitor reports on this node. A monitor may
 * cover only some interfaces, so a missing name does not prove that the node has no such interface.
 */
export function interfacesOf(monitors: readonly LinkMonitorObject[], node: string): Interface[] | undefined {
  const links = monitors.flatMap(({ links: all }) => all[node] ?? []);
  if (links.length === 0) return undefined;
  const names = new Map(links.flatMap(({ index, name }) => (index === undefined ? [] : [[index, name] as const])));
  const found = new Map(
    links.map(({ name, state, master }) => [
      name,
      {
        name,
        state,
        master: master === undefined || master === 0 ? undefined : (names.get(master) ?? `link ${master}`),
      },
    ]),
  );
  return [...found.values()];
}
