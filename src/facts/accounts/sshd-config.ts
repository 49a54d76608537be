import type { FactPattern } from "../../core/facts/fact.ts";

/** The folders with sshd's configuration; the second one is SUSE's. */
const folders = ["/etc/ssh/", "/usr/etc/ssh/"];

/** The facts about sshd that become unpredictable after a change to the file at a path. */
export function sshFactsOf(path: string): readonly FactPattern[] {
  return folders.some((folder) => path.startsWith(folder)) ? ["sshKeyFiles:**"] : [];
}
