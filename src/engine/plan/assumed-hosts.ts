import { type Fact, isControllerFact } from "../../core/facts/fact.ts";
import { knownAfterApply } from "../../core/facts/symbols.ts";

/** Fills in the parts of an existing thing that no task has set. */
export type AssumedHost = (known: object, fact: Fact) => object;

/**
 * Assumed hosts, on which the tasks in a plan can be compared with each other before a real host is asked. Things on an
 * assumed host have only the usual values for their kind. There is one assumed host per package manager, because a task
 * that needs one package manager refuses the others.
 */
export const assumedHosts: readonly AssumedHost[] = ["apt", "zypper", "dnf", "pacman"].map(
  (manager) => (known, fact) => {
    const said = Object.entries(known).filter(([, part]) => part !== knownAfterApply);
    return { ...usualParts(fact, manager), ...Object.fromEntries(said) };
  },
);

/** Where trusted certificates are stored on distributions with this package manager. */
const caLayouts: Readonly<Record<string, string>> = { apt: "debian", zypper: "suse", dnf: "redhat" };

/** What configures the network on distributions with this package manager. */
const networkTools: Readonly<Record<string, string>> = { apt: "ifupdown", zypper: "wicked", dnf: "NetworkManager" };

function usualParts(fact: Fact, manager: string): object {
  if (isControllerFact(fact)) return fact.driver === "ec2" ? { ours: true, tags: {}, denied: "" } : {};
  if (fact.kind === "unit") return { load: "loaded", lasting: true };
  if (fact.kind === "packageManager") return { name: manager };
  if (fact.kind === "libvirt") return { daemon: "up", networks: {}, domains: {}, links: {} };
  if (fact.kind === "firewalld") {
    const zone = { target: "default", services: {}, ports: {}, rules: {} };
    return { daemon: "running", zone: fact.key, runtime: zone, permanent: zone };
  }
  if (fact.kind === "kernelModule") {
    const unused = { holders: [], references: 0, parameters: {}, interfaces: [], disks: [], staleInitramfs: "" };
    return { state: "unloaded", kernel: "", listed: true, locked: false, ...unused };
  }
  if (fact.kind === "kernelModuleRules") return { rules: [] };
  if (fact.kind === "sshKeyFiles") return { files: [".ssh/authorized_keys"], from: "sshd" };
  if (fact.kind === "networkState") {
    const host = {
      resolvers: ["resolved", "resolvconf"],
      systemd: true,
      armed: false,
      connection: "eth0",
      address: "",
    };
    return { renderers: [networkTools[manager] ?? "networkd"], ...host, defaults: ["eth0"], links: {}, foreign: {} };
  }
  if (fact.kind === "unitInstances") return { names: [] };
  if (fact.kind === "caStore") return { layout: caLayouts[manager] ?? "debian" };
  if (fact.kind === "user") {
    return { uid: 1000, group: fact.key, home: fact.key === "root" ? "/root" : `/home/${fact.key}` };
  }
  return {};
}
