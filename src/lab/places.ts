import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * The directory for images, caches and labs: `FURROW_LAB_DIR` if set, otherwise `furrow/lab` below `XDG_CACHE_HOME` or
 * `~/.cache`.
 */
export function labStateDir(env: NodeJS.ProcessEnv = process.env): string {
  const chosen = env["FURROW_LAB_DIR"];
  if (chosen !== undefined && chosen !== "") return chosen;
  const cache = env["XDG_CACHE_HOME"];
  return join(cache === undefined || cache === "" ? join(homedir(), ".cache") : cache, "furrow", "lab");
}

/** The directory that contains everything a lab owns. */
export function labDirectory(name: string, stateDir: string = labStateDir()): string {
  return join(stateDir, "labs", name);
}

/** Paths inside a lab's directory. */
export function labFiles(directory: string) {
  return {
    /** The lab's description; it is created before any resource and removed last. */
    description: join(directory, "lab.json"),
    identity: join(directory, "id_ed25519"),
    knownHosts: join(directory, "known_hosts"),
    hosts: join(directory, "hosts"),
  } as const;
}

/**
 * A short name derived from a lab's directory, so it is always the same for that directory. It is part of the name of
 * every resource outside the directory (cgroup, firewall table, the bridge's MAC address), so everything that a killed
 * run leaves behind can be found without a list.
 */
export function labMark(directory: string): string {
  return createHash("sha256").update(directory).digest("hex").slice(0, 8);
}
