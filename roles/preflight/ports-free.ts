import { absent, port, refuse, task, unit, type UnitState, z } from "../../src/authoring.ts";

const params = z.strictObject({
  ports: z
    .array(z.strictObject({ port: z.int(), unit: z.string() }))
    .describe("Ports of the host, each with the unit that shall have it"),
  former: z.string().describe("A unit that had them before, and gives them up"),
});

const isUp = (state: typeof absent | UnitState | undefined): boolean => state !== absent && state?.state !== "stopped";

/** Refuses ports on which something else listens: the cluster could not be reached there. */
export const portsFree = task({
  name: "portsFree",
  summary: "Refuse ports of the host on which something else listens",
  params,
  examples: [],
  title: ({ ports }) => `the host's ports ${ports.map(({ port: number }) => number).join(", ")} are free`,
})
  .facts((p) => ({ units: p.ports.map((one) => unit(one.unit)), former: unit(p.former) }))
  // Asked only where the unit is not up: a cluster that is there is asked nothing more.
  .facts((p, now) => ({
    taken: isUp(now.former)
      ? []
      : p.ports.filter((_one, at) => !isUp(now.units[at])).map(({ port: number }) => port("127.0.0.1", number)),
  }))
  .want((p, now) => {
    const asked = p.ports.filter((_one, at) => !isUp(now.units[at]));
    const taken = asked.filter((_one, at) => now.taken[at]?.open).map(({ port: number }) => number);
    if (taken.length === 0) return {};
    return refuse({
      code: "port-taken",
      message: `something listens on port ${taken.join(" and ")} of the host, where the cluster shall be reached`,
      hint: `See what it is (ss -ltnp sport = :${taken[0]}) and stop it, or leave the port out of exposure.ports`,
    });
  })
  .steps(() => []);
