import { peek } from "../../core/facts/compare.ts";
import { type HostFact, mayRefuse, onlyRead } from "../../core/facts/fact.ts";
import { refuse, type Refusal } from "../../core/authoring/refusal.ts";
import { type Absent, absent, knownAfterApply, type KnownAfterApply } from "../../core/facts/symbols.ts";
import { program, type Program } from "../system/program.ts";
import { unit } from "../systemd/unit.ts";
import type { UnitState } from "../systemd/unit-state.ts";
import type { LibvirtOverview } from "./overview.ts";

const daemons = ["libvirtd", "virtqemud", "virtnetworkd"];

/** The virsh program, which libvirt tasks need. */
export function virshProgram(): HostFact<Absent | Program> {
  return mayRefuse(onlyRead(program("virsh")), []);
}

/** The units that answer virsh: libvirt's single daemon or, since libvirt 7, one daemon per driver. */
export function libvirtUnits(): readonly HostFact<Absent | UnitState>[] {
  return daemons.flatMap((daemon) => [unit(`${daemon}.service`), unit(`${daemon}.socket`)]);
}

/**
 * Asks about the units again in the stage after {@link libvirtUnits}, now as facts that may lead to a refusal. Asks
 * nothing if libvirt is certain to answer.
 */
export function unitsInDoubt(units: LibvirtReach["units"]): { readonly units?: ReturnType<typeof libvirtUnits> } {
  const runs = (unit: Unit): boolean => typeof unit === "object" && isKnownState(peek(unit, "state"));
  return units.length === 0 || isReached(units, runs) ? {} : { units: libvirtUnits().map((unit) => mayRefuse(unit)) };
}

function isKnownState(state: UnitState["state"] | KnownAfterApply): boolean {
  return state !== knownAfterApply && state !== "stopped";
}

/** True if libvirt answers through its single daemon, or through the daemons of its drivers. */
function isReached(units: LibvirtReach["units"], holds: (unit: Unit) => boolean): boolean {
  const some = (daemon: string): boolean => {
    const at = daemons.indexOf(daemon) * 2;
    return Array.from(units.keys(), (index) => peek(units, index))
      .slice(at, at + 2)
      .some(holds);
  };
  return some("libvirtd") || (some("virtqemud") && some("virtnetworkd"));
}

type Unit = LibvirtReach["units"][number];

/** The facts that show whether libvirt can be reached; `units` matters only if libvirt's daemon does not answer. */
export interface LibvirtReach {
  readonly virsh: Absent | Program | KnownAfterApply;
  readonly libvirt: LibvirtOverview | KnownAfterApply;
  readonly units: readonly (Absent | UnitState | KnownAfterApply)[];
}

/** Why libvirt cannot be reached; undefined if it can be reached, or if an earlier task may install or start it. */
export function libvirtObstacle({ virsh, libvirt, units }: LibvirtReach): Refusal | undefined {
  if (virsh === absent) {
    return refuse({
      code: "no-libvirt",
      message: "virsh is not installed on this host",
      hint: 'Put package({ name: ["libvirt-daemon-system", "libvirt-clients"] }) before it (on SUSE: "libvirt")',
    });
  }
  if (typeof libvirt === "symbol" || libvirt.daemon !== "down") return undefined;
  const comes = (unit: Unit): boolean => unit !== absent && (typeof unit === "symbol" || unit.state !== "stopped");
  if (isReached(units, comes)) return undefined;
  return refuse({
    code: "libvirt-down",
    message: "libvirt's daemon does not answer on this host",
    current: libvirt.problem,
    expected: "a daemon that answers at qemu:///system",
    hint: 'Put service({ name: "libvirtd", state: "started", enabled: true }) before it (or "virtqemud.socket" and "virtnetworkd.socket")',
  });
}

/** The running domains that use a network, directly or through one of the given bridges, sorted. */
export function usersOfNet(libvirt: LibvirtOverview, network: string, bridges: readonly string[]): string[] {
  return Object.entries(libvirt.domains)
    .filter(
      ([, domain]) =>
        domain !== absent &&
        domain.active &&
        (domain.networks.includes(network) || domain.bridges.some((bridge) => bridges.includes(bridge))),
    )
    .map(([name]) => name)
    .toSorted();
}
