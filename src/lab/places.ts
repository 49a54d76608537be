import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * The directory of images, caches and labs: `FURROW_LAB_DIR`, or `furrow/lab` below `XDG_CACHE_HOME`, or else below
 * `~/.cache`.
 */
export function labStateDir(env: NodeJS.ProcessEnv = process.env): string {
  const chosen = env["FURROW_LAB_DIR"];
  if (chosen !== undefined && chosen !== "") return chosen;
  const cache = env["XDG_CACHE_HOME"];
  return join(cache === undefined || cache === "" ? join(homedir(), ".cache") : cache, "furrow", "lab");
}

/** The directory that contains everything that one lab owns. */
export function labDirectory(name: string, stateDir: string = labStateDir()): string {
  return join(stateDir, "labs", name);
}

/** Paths inside a lab's directory. */
export function labFiles(directory: string) {
  return {
    /** The description; it is created before any resource and removed last. */
    description: join(directory, "lab.json"),
    identity: join(directory, "id_ed25519"),
    knownHosts: join(directory, "known_hosts"),
    hosts: join(directory, "hosts"),
  } as const;
}

/**
 * A short name for a lab's directory, always the same. Every resource outside the directory (cgroup, firewall table,
 * the bridge's MAC) carries it, so that the remains of a killed run can be found without a record.
 */
export function labMark(directory: string): string {
  return createHash("sha256").update(directory).digest("hex").slice(0, 8);
}
