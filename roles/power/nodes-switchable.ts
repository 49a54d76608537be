import { absent, libvirtDomain, peek, type Refusal, refuse, task, z } from "../../src/authoring.ts";
import {
  isSaved,
  libvirtObstacle,
  libvirtOverview,
  libvirtUnits,
  unitsInDoubt,
  virshProgram,
} from "../../src/facts/catalogue.ts";
import { savedDomain } from "../../tasks/libvirt-domain/obstacle.ts";
import { factsToStart, powerObstacle, startObstacle } from "../../tasks/libvirt-power/obstacle.ts";
import { maintenanceMarker } from "../cluster/places.ts";

const params = z.strictObject({
  names: z.array(z.string()).min(1).describe("The names of all nodes"),
  state: z.enum(["running", "shutoff"]).describe("The state that the nodes will be in"),
  force: z.boolean().default(false).describe("Accept nodes that can only be powered off"),
});

/** Refuses unless every node can be switched on or off, before anything is written or any node is switched. */
export const nodesSwitchable = task({
  name: "nodesSwitchable",
  summary: "Refuse to switch a cluster on or off unless every node can be switched",
  params,
  examples: [],
  title: ({ state }) => `all nodes can be ${state === "running" ? "started" : "shut down"}`,
})
  .facts((p) => ({
    domains: p.names.map(libvirtDomain),
    libvirt: libvirtOverview(),
    virsh: virshProgram(),
  }))
  .facts((p, { domains, libvirt }) => ({
    units: libvirt.daemon === "down" ? libvirtUnits() : [],
    ...factsToStart(p.state === "running" ? domains : []),
  }))
  .facts((_, { units }) => unitsInDoubt(units))
  .want((p, now) => {
    const { domains, libvirt } = now;
    const missing = p.names.find((_, at) => (domains[at] ?? absent) === absent);
    return (
      startItFirst(libvirtObstacle({ virsh: peek(now, "virsh"), libvirt, units: now.units })) ??
      (missing === undefined ? undefined : notThere(missing, p.state)) ??
      p.names
        .map((name, at) => {
          const domain = domains[at] ?? absent;
          // Powering a node off does not discard its saved memory, so a saved node is refused even with `force`.
          return (
            (p.state === "shutoff" ? savedDomain(name, domain) : undefined) ?? powerObstacle({ ...p, name }, domain)
          );
        })
        .find((obstacle) => obstacle !== undefined) ??
      startObstacle(p.state === "running" ? domains : [], now) ??
      {}
    );
  })
  .steps(() => [])
  .notes((p, { domains }) =>
    p.state === "shutoff"
      ? []
      : p.names
          .filter((_, at) => {
            const domain = domains[at] ?? absent;
            return domain !== absent && isSaved(domain);
          })
          .map((name) => `${name} resumes from its saved memory instead of booting: it continues where it stopped`),
  );

/** The usual hints address playbook authors. */
function startItFirst(obstacle: Refusal | undefined): Refusal | undefined {
  if (obstacle?.reason.code === "no-libvirt") {
    return refuse({
      ...obstacle.reason,
      hint: "Install it on the host: libvirt-daemon-system and libvirt-clients (on SUSE: libvirt)",
    });
  }
  if (obstacle?.reason.code !== "libvirt-down") return obstacle;
  return refuse({
    ...obstacle.reason,
    hint: "Start it on the host: systemctl start libvirtd (on SUSE: virtqemud.socket virtnetworkd.socket)",
  });
}

function notThere(name: string, state: "running" | "shutoff"): Refusal {
  const again =
    state === "shutoff"
      ? "define it again with playbooks/harvester.ts"
      : // The deployment refuses to run while the cluster is shut down.
        `remove ${maintenanceMarker} and define it again with playbooks/harvester.ts`;
  return refuse({
    code: "node-missing",
    message: `libvirt has no virtual machine ${name}`,
    hint: `If harvester-remove-node has removed the node, add its number to \`removedNodes\`; otherwise finish its removal, or ${again}`,
  });
}
