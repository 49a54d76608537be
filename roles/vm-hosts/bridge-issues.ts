import type { z } from "../../src/authoring.ts";
import { params } from "../../tasks/network-interface/params.ts";

/** An error in a value, and where it is. */
export interface VarIssue {
  readonly path: (string | number)[];
  readonly message: string;
}

/**
 * Says what `networkInterface` would refuse about the bridges that a host should get, so that the error is reported
 * before furrow connects to the host.
 */
export function bridgeIssues(bridges: Readonly<Record<string, object>>): VarIssue[] {
  const users = new Map<string, string>();
  return Object.entries(bridges).flatMap(([name, bridge]) => {
    const { error } = params.safeParse({ kind: "bridge", name, ...bridge });
    const ports = "ports" in bridge ? (bridge.ports as readonly string[]) : [];
    const twice = ports.flatMap((port, index): VarIssue[] => {
      const other = users.get(port);
      users.set(port, name);
      if (other === undefined || other === name) return [];
      return [{ path: ["bridges", name, "ports", index], message: `an interface that is not a port of ${other}` }];
    });
    return [
      ...(error?.issues ?? [])
        .flatMap(ofBridge)
        .map(({ path, message }) => ({ path: ["bridges", name, ...path.map(part)], message })),
      ...twice,
    ];
  });
}

/** The issues of the branch for bridges, if no branch of the union fits. */
function ofBridge(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  return issue.errors.find((branch) => !branch.some(({ path }) => path[0] === "kind")) ?? [];
}

function part(key: PropertyKey): string | number {
  return typeof key === "number" ? key : String(key);
}
