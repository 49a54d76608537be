import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * The directory that holds images, caches and labs: `FURROW_LAB_DIR`, else `furrow/lab` below `XDG_CACHE_HOME`,
 * else below `~/.cache`.
 */
export function labStateDir(env: NodeJS.ProcessEnv = process.env): string {
  const chosen = env["FURROW_LAB_DIR"];
  if (chosen !== undefined && chosen !== "") return chosen;
  const cache = env["XDG_CACHE_HOME"];
  return join(cache === undefined || cache === "" ? join(homedir(), ".cache") : cache, "furrow", "lab");
}

/** Where one lab keeps everything it owns. */
export function labDirectory(name: string, stateDir: string = labStateDir()): string {
  return join(stateDir, "labs", name);
}

/** Paths inside a lab's directory. */
export function labFiles(directory: string) {
  return {
    /** The description; exists before any resource does, and goes last. */
    description: join(directory, "lab.json"),
    identity: join(directory, "id_ed25519"),
    knownHosts: join(directory, "known_hosts"),
    hosts: join(directory, "hosts"),
  } as const;
}

/**
 * A short name for a lab's directory, the same at each call. Every resource outside the directory (cgroup, firewall
 * table, the bridge's MAC) carries it, so that what a killed run left can be found without any record of it.
 */
export function labMark(directory: string): string {
  return createHash("sha256").update(directory).digest("hex").slice(0, 8);
}
