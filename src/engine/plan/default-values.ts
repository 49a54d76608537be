import { type Fact, isControllerFact } from "../../core/fact.ts";
import { knownAfterApply } from "../../core/symbols.ts";

/** Fills in what is not said of a thing that is there. */
export type Unsaid = (known: object, fact: Fact) => object;

/**
 * Hosts on which a plan can be compared with itself before any real one was asked: a thing that is there is an ordinary one
 * of its kind, and all else about it is blank. One for each package manager, because tasks refuse all but their own.
 */
export const ordinaryHosts: readonly Unsaid[] = ["apt", "zypper", "dnf", "pacman"].map((manager) => (known, fact) => {
  const said = Object.entries(known).filter(([, part]) => part !== knownAfterApply);
  return { ...ordinary(fact, manager), ...Object.fromEntries(said) };
});

function ordinary(fact: Fact, manager: string): object {
  if (isControllerFact(fact)) return fact.driver === "ec2" ? { ours: true, tags: {}, denied: "" } : {};
  if (fact.kind === "unit") return { load: "loaded", lasting: true };
  if (fact.kind === "packageManager") return { name: manager };
  if (fact.kind === "libvirt") return { daemon: "up", networks: {}, domains: {}, links: {} };
  if (fact.kind === "user") {
    return { uid: 1000, group: fact.key, home: fact.key === "root" ? "/root" : `/home/${fact.key}` };
  }
  return {};
}
