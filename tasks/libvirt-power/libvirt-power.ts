import { absent, libvirtDomain, peek, seconds, task, z } from "../../src/authoring.ts";
import {
  libvirtObstacle,
  libvirtOverview,
  libvirtUnits,
  unitsInDoubt,
  virshProgram,
} from "../../src/facts/catalogue.ts";
import { domainName } from "../libvirt-domain/params.ts";
import { stateStep } from "../libvirt-domain/steps.ts";
import { factsToStart, powerObstacle, startObstacle } from "./obstacle.ts";

const params = z.strictObject({
  name: domainName,
  state: z
    .enum(["running", "shutoff"], { error: '"running" or "shutoff"' })
    .describe("Whether the machine is running; to stop it, furrow asks the guest to shut down"),
  shutdownSeconds: seconds().default(300).describe("Seconds to wait for a shutdown"),
  force: z
    .boolean({ error: "true or false" })
    .default(false)
    .describe("Power off a guest that does not shut down in time, or that is paused or crashed"),
});

/** Starts or shuts down a libvirt virtual machine that exists. Its definition and disk images stay as they are. */
export const libvirtPower = task({
  name: "libvirtPower",
  summary: "Start or shut down an existing libvirt virtual machine without touching its definition",
  params,
  examples: [
    { name: "node-1", state: "shutoff", shutdownSeconds: 600 },
    { name: "node-1", state: "running" },
  ],
  title: (p) => `libvirtPower ${p.name} ${p.state}`,
})
  .facts((p) => ({ domain: libvirtDomain(p.name), libvirt: libvirtOverview(), virsh: virshProgram() }))
  .facts((p, { domain, libvirt }) => ({
    units: libvirt.daemon === "down" ? libvirtUnits() : [],
    ...factsToStart(p.state === "running" ? [domain] : []),
  }))
  .facts((_, { units }) => unitsInDoubt(units))
  .want((p, now) => {
    const { domain, libvirt } = now;
    const obstacle =
      libvirtObstacle({ virsh: peek(now, "virsh"), libvirt, units: now.units }) ??
      powerObstacle(p, domain) ??
      startObstacle(p.state === "running" ? [domain] : [], now);
    if (obstacle) return obstacle;
    const running = p.state === "running";
    return {
      domain: { state: running ? "running" : "shut off" },
      libvirt: { domains: { [p.name]: { active: running } } },
    };
  })
  .steps((p, { change, now: { domain } }) => {
    if (domain === absent) return [];
    // If only the overview differs, the machine's state changed between the two reads.
    const other = p.state === "running" ? "shut off" : "running";
    return [stateStep(p, change.domain ? domain : { ...domain, state: other })];
  });
