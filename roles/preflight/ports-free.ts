import { absent, port, refuse, task, unit, type UnitState, z } from "../../src/authoring.ts";

const params = z.strictObject({
  ports: z
    .array(z.strictObject({ port: z.int(), unit: z.string() }))
    .describe("Host ports, each with the unit that will listen on it"),
  former: z.string().describe("A unit that listened on these ports before, and releases them"),
});

const isUp = (state: typeof absent | UnitState | undefined): boolean => state !== absent && state?.state !== "stopped";

/** Refuses ports on which another program listens, because the cluster could not be reached on them. */
export const portsFree = task({
  name: "portsFree",
  summary: "Refuse host ports on which something else listens",
  params,
  examples: [],
  title: ({ ports }) => `the host's ports ${ports.map(({ port: number }) => number).join(", ")} are free`,
})
  .facts((p) => ({ units: p.ports.map((one) => unit(one.unit)), former: unit(p.former) }))
  // A port is checked only if its unit is not running, so on a host with a running cluster, no port is checked.
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
      message: `something on the host listens on port ${taken.join(" and ")}, which the cluster needs`,
      hint: `Find out what it is (ss -ltnp sport = :${taken[0]}) and stop it, or remove the port from exposure.ports`,
    });
  })
  .steps(() => []);
