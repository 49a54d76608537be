import { type Fact, isControllerFact } from "../../core/facts/fact.ts";
import { knownAfterApply } from "../../core/facts/symbols.ts";

/** Fills in the parts of a present thing that no task has set. */
export type Unsaid = (known: object, fact: Fact) => object;

/**
 * Assumed hosts, on which the tasks of a plan can be compared with each other before a real host is asked. A present
 * thing is an ordinary one of its kind; its other parts are empty. There is one such host per package manager, because
 * tasks refuse the other managers.
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
