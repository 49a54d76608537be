import { absent, file, libvirtDomain, refuse, task, z } from "../../src/authoring.ts";
import { isActiveState, isSaved } from "../../src/facts/catalogue.ts";
import { maintenanceMarker } from "../cluster/places.ts";

const params = z.strictObject({
  names: z.array(z.string()).min(1).describe("The names of all nodes"),
  state: z.enum(["running", "shutoff"]).describe("The state that the nodes should have"),
});

/** Says, after a task has failed, how far a shutdown or a restart has progressed, and how to finish or reverse it. */
export const powerUnfinished = task({
  name: "powerUnfinished",
  summary: "Report how far a shutdown or restart has progressed, and how to continue",
  params,
  examples: [],
  title: ({ state }) => (state === "running" ? "the restart is finished" : "the shutdown is finished"),
})
  .facts((p) => ({ domains: p.names.map(libvirtDomain), marker: file(maintenanceMarker, ["text"]) }))
  .want((p, { domains, marker }) => {
    const [what, hint] = p.state === "running" ? ["restart", again] : ["shutdown", backOrAgain];
    const states = p.names.map((name, at) => {
      const domain = domains[at] ?? absent;
      return `${name}: ${domain === absent ? "not defined" : isActiveState(domain.state) ? "on" : isSaved(domain) ? "saved" : "off"}`;
    });
    return refuse({
      code: `${what}-unfinished`,
      message: `the ${what} cannot finish, because the task before this one failed${marker === absent ? "" : guarded}`,
      current: states.join("; "),
      expected: `all nodes ${p.state === "running" ? "on, and the cluster answers" : "off"}`,
      hint: `Fix what that task reports, then ${hint}`,
    });
  })
  .steps(() => []);

// A plan and a run show the same text, so the text says neither what has been done nor what will be done.
const guarded = "; until it does, the host is under maintenance, so the watchdog starts no node";
const again = "rerun: running nodes are left alone";
const backOrAgain =
  "rerun; add --var shutdownSeconds=600 to give each node more time, or --var powerOff=true to power it off after that time. To start the nodes that are off instead, run playbooks/harvester-restart.ts";
